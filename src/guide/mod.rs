//! The long texts: how to use mongate, how it measures and decides, and what it writes.

/// A page of the guide. Its links name files, for readers of the repository; the definitions that
/// go before them are the ones that count here.
macro_rules! pages {
    ($($page:ident: $text:literal,)*) => {$(
        #[doc = "[gate]: crate::guide::gate\n[configuration]: crate::guide::configuration"]
        #[doc = "[statistics]: crate::guide::statistics\n[profile]: crate::guide::profile"]
        #[doc = "[transactions]: crate::guide::transactions"]
        #[doc = "[results]: crate::guide::results\n\n"]
        #[doc = include_str!($text)]
        pub mod $page {}
    )*};
}

pages! {
    gate: "gate.md",
    ci: "ci.md",
    configuration: "configuration.md",
    statistics: "statistics.md",
    profile: "profile.md",
    transactions: "transactions.md",
    results: "results.md",
    exit_codes: "exit-codes.md",
}
