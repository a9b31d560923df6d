//! Progress on standard error where that is a terminal; notes always.

use std::cell::RefCell;
use std::env;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

use crate::host::locale;
use crate::model::Observer;
use crate::model::Progress;
use crate::report::terminal::Style;

/// Shows how far a download or a session is.
#[derive(Debug, Default)]
pub struct Console {
    /// The bar that stands there now; none where standard error is no terminal.
    bar: RefCell<Option<ProgressBar>>,
}

impl Console {
    /// A console with nothing on it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes away the bar that stands there.
    pub fn clear(&self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn show(&self, template: &str, what: &str, total: u64) {
        self.clear();
        if io::stderr().is_terminal() {
            let bar = ProgressBar::new(total);
            // A template that does not parse would show as the default bar.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            *self.bar.borrow_mut() = Some(bar);
        }
    }
}

impl Progress for Console {
    fn begin(&self, what: &str, total_bytes: Option<u64>) {
        self.show("{msg} [{wide_bar}] {bytes} of {total_bytes}", what, total_bytes.unwrap_or(0));
    }

    fn advance(&self, bytes_so_far: u64) {
        if let Some(bar) = &*self.bar.borrow() {
            bar.set_position(bytes_so_far);
        }
    }

    fn end(&self) {
        self.clear();
    }
}

impl Observer for Console {
    fn note(&self, text: &str) {
        let write = || {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(io::stderr(), "mongate: {text}");
        };
        match &*self.bar.borrow() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn blocks(&self, done: u32, of: u32) {
        let showing = self.bar.borrow().is_some();
        if !showing {
            self.show(
                "{msg} [{wide_bar}] block {pos} of {len}, {elapsed}",
                "measuring",
                u64::from(of),
            );
        }
        if let Some(bar) = &*self.bar.borrow() {
            bar.set_length(u64::from(of));
            bar.set_position(u64::from(done));
            bar.tick();
        }
    }
}

/// How to draw tables on standard output: NO_COLOR and a pipe mean plain text; COLUMNS goes before
/// the terminal's own width.
pub(crate) fn style() -> Style {
    let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let terminal = io::stdout().is_terminal();
    Style { width: width(), color: terminal && !set("NO_COLOR"), unicode: locale::shows_unicode() }
}

fn width() -> u16 {
    const USUAL: u16 = 80;
    let stated = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    stated
        .or_else(|| {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
            Some(size.ws_col).filter(|&columns| columns > 0)
        })
        .unwrap_or(USUAL)
}
