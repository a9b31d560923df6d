//! Why: what single things do, what cold starts and more servers cost, how versions compare.

use super::words::{cell, clause, effect, mib, name, time};
use super::{Page, letter, table};
use crate::advise::{AFFORDABLE_MS, Effect, OfServer, Sharing, Together, Versions};
use crate::figures::{milliseconds, short_time, size};

/// What single arguments do.
pub(super) fn effects(page: &mut Page, effects: &[Effect]) {
    if effects.is_empty() {
        return;
    }
    page.doc.heading(2, "flags by themselves, against the same start without");
    let mut table = table(&["flag", "effect"], &[]);
    for found in effects {
        let of_set = match found.against.case.contains("::replica_set") {
            true => " (replica_set)",
            false => "",
        };
        table.row([format!("{}{of_set}", found.variant), effect(found)]);
    }
    page.doc.table(table);
    page.over(effects.iter().map(|found| found.against.blocks));
    let none = effects.iter().filter(|found| found.is_none());
    let none: Vec<&str> = none.map(|found| found.variant.as_str()).collect();
    if !none.is_empty() {
        page.doc.say(format!(
            "No use for the start here, as far as the intervals reach: {}.",
            none.join(", ")
        ));
    }
    if effects.iter().any(|found| !found.is_none() && !found.against.shown) {
        page.doc.say(
            "undecided: no effect is shown, and one of more than 10 % is not ruled out; more \
            blocks (--blocks) or a quieter machine may tell.",
        );
    }
}

/// What a RAM disk does, and why.
pub(super) fn ram_disk(page: &mut Page, server: &OfServer) {
    let Some(found) = &server.ram_disk else {
        return;
    };
    page.doc.heading(2, "a RAM disk against the disk");
    let worth: Vec<&str> = found.worth_it.iter().map(|need| letter(*need)).collect();
    page.doc.item(match worth.is_empty() {
        true => "=> not worth it here: nothing that is recommended above lies on it".to_owned(),
        false => format!("=> worth it here for {}", worth.join(", ")),
    });
    let mut table = table(&["on the RAM disk", "difference from the same on disk"], &[]);
    for compared in &found.against {
        let id = compared.case.replacen("::ramdisk", "::disk", 1);
        // The column says where it lies.
        let name = name(&id).replacen(" disk", "", 1);
        table.row([name, cell(compared)]);
    }
    page.doc.table(table);
    page.over(found.against.iter().map(|compared| compared.blocks));
    let sync = |us: Option<f64>| us.map_or("an unknown time".to_owned(), short_time);
    page.doc.say(format!(
        "Why: an fsync takes {} on the disk and {} on the RAM disk.",
        sync(found.disk_fsync_us),
        sync(found.ram_fsync_us)
    ));
    for finding in &found.findings {
        page.doc.say(format!("{} is {}.", name(&finding.case), finding.text));
    }
}

/// Cold against warm.
pub(super) fn cold(page: &mut Page, server: &OfServer) {
    let Some(found) = &server.cold else { return };
    page.doc.heading(2, "the first start of a CI job: the binary is not yet in the page cache");
    let mut table = table(&["cold", "median", "warm", "difference"], &[1, 2]);
    for start in &found.starts {
        table.row([
            name(&start.figures.id.replacen("::cold", "", 1)),
            milliseconds(start.figures.median_ms),
            milliseconds(start.warm_ms),
            cell(&start.against),
        ]);
    }
    page.doc.table(table);
    let leads = found.leads.iter().flat_map(|lead| [&lead.warm, &lead.cold]);
    let compared = found.starts.iter().map(|start| &start.against).chain(leads);
    page.over(compared.map(|compared| compared.blocks));
    for lead in &found.leads {
        page.doc.say(format!(
            "{} against the default arguments: warm {}; cold {}.",
            name(&lead.warm.case),
            clause(&lead.warm),
            clause(&lead.cold)
        ));
    }
    page.doc.say(
        "In ms. A job pays the cold start once, and the warm ones of the tables above after it.",
    );
}

/// Several servers at once, and who shares one.
pub(super) fn together(page: &mut Page, server: &OfServer, cores: usize) {
    if server.together.is_empty() {
        return;
    }
    page.doc.heading(2, "a server for each test, or one for the suite: several started together");
    for found in &server.together {
        let id = &found.alone.id;
        let mut table = table(
            &["servers", "each", "last", "a server", "difference", "memory", "dbPath"],
            &[0, 1, 2, 3, 5, 6],
        );
        for step in &found.steps {
            let gain = step.against.as_ref().map_or(String::new(), cell);
            table.row([
                step.servers.to_string(),
                milliseconds(step.each_ms),
                milliseconds(step.last_ms),
                milliseconds(step.server_ms),
                gain,
                size(step.total_rss_mb),
                size(step.total_folder_mb),
            ]);
        }
        page.doc.item(format!("{}:", name(id)));
        page.doc.table(table);
        page.doc.item(format!("=> {}", shared(found, cores)));
    }
    let compared = server.together.iter().flat_map(|found| &found.steps);
    let compared = compared.filter_map(|step| step.against.as_ref());
    page.over(compared.map(|compared| compared.blocks));
    page.doc.say(format!(
        "each: ms until the middle server is ready; last: until all are; a server: that divided by \
            their number; difference: of that from one alone. Memory and \
         dbPath: of all together in MiB. Rule: a server for each test where it costs no more than \
         {AFFORDABLE_MS:.0} ms a test with its whole interval, else one that the suite \
         shares; at once the fewest with which a server \
         is not shown to take longer than with the best number."
    ));
}

fn shared(found: &Together, cores: usize) -> String {
    let best = found.steps.iter().find(|step| step.servers == found.best);
    let Some(best) = best else {
        return String::new();
    };
    let cost = time(best.server_ms, best.server_ci95_ms);
    let at_once = match &best.against {
        None => "Parallel tests gain nothing that could be shown from starting several at once"
            .to_owned(),
        Some(gain) => format!(
            "Let parallel tests start {} at once on these {cores} cores: the time a server against \
                one alone: {}; together they take {} of memory and {} of dbPath",
            best.servers,
            clause(gain),
            mib(best.total_rss_mb),
            mib(best.total_folder_mb)
        ),
    };
    match found.sharing {
        Sharing::Each => format!("each test can have its own, which costs it {cost}. {at_once}."),
        Sharing::Shared => format!(
            "let the suite share one, with a database for each test: a server of its own would \
                cost each test {cost}. {at_once}."
        ),
    }
}

/// How servers compare, and what of it could not be measured.
pub(super) fn versions(page: &mut Page, versions: &Versions) {
    page.doc.heading(2, "6.x against 7.x and later");
    let base = versions.base_version.as_ref().or(versions.base.as_ref());
    let Some(base) = base else { return };
    for other in &versions.others {
        let own = other.version.as_ref().unwrap_or(&other.label);
        if let Some(fastest) = &other.fastest {
            page.doc.item(format!(
                "=> {own} against {base}, each on the fastest standalone that it can have ({} and \
                    {}): {}",
                name(&fastest.case),
                name(&fastest.against),
                clause(fastest)
            ));
        }
        let mut table = table(&["the same on both", "difference"], &[]);
        for compared in &other.alike {
            table.row([name(&compared.case), cell(compared)]);
        }
        page.doc.table(table);
        let all = other.alike.iter().chain(&other.fastest);
        page.over(all.map(|compared| compared.blocks));
    }
    if versions.others.is_empty() {
        page.doc.item(format!(
            "Only {base} was measured, so nothing is said of what an upgrade costs."
        ));
    }
    if !versions.missing.is_empty() {
        page.doc
            .item(format!("Not measured: {}; the reasons are below.", versions.missing.join(", ")));
    }
    if versions.unasked {
        page.doc.item(
            "No 7.x or later is in the configuration; `mongate advise 6.0 7.0` compares them \
            where both can be had.",
        );
    }
}
