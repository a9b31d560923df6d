//! README.md and the guide: every code block, command, variable, key and link is a true one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mongate::Config;
use serde_json::Value;

use crate::support::{folder, mongate};

const CONFIGURATION: &str = "src/guide/configuration.md";

/// A page, divided into its code blocks and the text between them.
struct Page {
    name: String,
    blocks: Vec<Block>,
    prose: String,
}

struct Block {
    /// `FILE:LINE` of its fence, for messages.
    place: String,
    /// What stands behind the fence: `toml`, or `rust,no_run`.
    language: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn pages() -> Vec<Page> {
    let guide = files(&root().join("src/guide"), "md").into_iter();
    let guide = guide.map(|path| path.strip_prefix(root()).unwrap().display().to_string());
    let names: Vec<String> = ["README.md".to_owned()].into_iter().chain(guide).collect();
    assert!(names.len() >= 9, "{names:?}");
    names.into_iter().map(|name| page(&name, &read(&name))).collect()
}

fn page(name: &str, text: &str) -> Page {
    let mut page = Page { name: name.to_owned(), blocks: Vec::new(), prose: String::new() };
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => {
                let place = format!("{name}:{number}");
                open = Some(Block { place, language: language.to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => page.blocks.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => page.prose += &format!("{line}\n"),
        }
    }
    assert!(open.is_none(), "{name}: a code block has no end");
    page
}

/// The files below a folder whose names end in this.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What `mongate` says of a configuration, which it reads and does nothing with.
fn check(configuration: &str) -> Result<(), String> {
    let project = folder();
    fs::create_dir(project.path().join(".config")).unwrap();
    fs::write(project.path().join(".config/mongate.toml"), configuration).unwrap();
    let output = mongate().args(["baseline", "list"]).current_dir(project.path()).output().unwrap();
    output.status.success().then_some(()).ok_or(String::from_utf8(output.stderr).unwrap())
}

/// `mongate help ARGUMENTS`; `None` where there is no such command.
fn help(arguments: &[&str]) -> Option<String> {
    let output = mongate().arg("help").args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// Words, flags and keys.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)))
}

#[test]
fn every_block_says_what_it_is_and_is_that() {
    let pages = pages();
    for block in pages.iter().flat_map(|page| &page.blocks) {
        let Block { place, language, text } = block;
        match language.split(',').next().unwrap() {
            "toml" => match text.lines().next().unwrap().trim_start_matches("# ") {
                ".config/mongate.toml" => check(text).unwrap_or_else(|e| panic!("{place}: {e}")),
                "Cargo.toml" | ".config/nextest.toml" => {
                    toml::from_str::<toml::Table>(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                }
                other => panic!("{place}: the first line names no file: {other}"),
            },
            "json" => {
                let results = tempfile::NamedTempFile::new().unwrap();
                fs::write(results.path(), text).unwrap();
                let mut command = mongate();
                command.arg("report").arg(results.path()).args(["--format", "json"]);
                let output = command.output().unwrap();
                assert!(output.status.success(), "{place}: {output:?}");
                assert!(
                    serde_json::from_slice::<Value>(&output.stdout).unwrap()["startup"][0]
                        .is_object()
                );
            }
            // A documentation test compiles the guide's; others have to be the same.
            "rust" => {
                let mut guide = pages[1..].iter().flat_map(|page| &page.blocks);
                assert!(guide.any(|other| other.text == *text), "{place}: not in the guide");
            }
            "sh" | "yaml" | "text" => {}
            other => panic!("{place}: {other:?} is not a language"),
        }
    }
}

#[test]
fn the_defaults_that_the_guide_shows_are_the_defaults() {
    let page = page(CONFIGURATION, &read(CONFIGURATION));
    let shown = &page.blocks[0].text;
    let parse = |text: &str| format!("{:#?}", Config::parse(text, Path::new("guide")).unwrap());
    assert_eq!(parse(shown), parse("[transactions]"));
    // What is commented out has no default to show, and is a true key all the same.
    let (file, keys) = shown.split_once('\n').unwrap();
    let keys: Vec<&str> = keys.lines().map(|l| l.strip_prefix("# ").unwrap_or(l)).collect();
    let all = format!("{file}\n{}", keys.join("\n"));
    check(&all).unwrap_or_else(|e| panic!("{all}\n{e}"));
    let shown: BTreeSet<&str> = words(&page.blocks[0].text).collect();
    let tables = "[mongod] [startup] [[startup.variant]] [transactions] [session] [gate] \
        [[gate.limit]] [gate.baseline]";
    for table in tables.split(' ').chain([""]) {
        // mongate names all keys of a table when it meets one that it does not know.
        let message = check(&format!("{table}\nno-such-key = 1")).unwrap_err();
        let expected: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        assert!(expected.len() >= 3, "{message}");
        for key in expected {
            assert!(shown.contains(key), "{CONFIGURATION} does not show `{key}` of {table}");
        }
    }
}

/// Every `mongate COMMAND --flag` in shell and YAML blocks and in inline code.
#[test]
fn every_command_exists_with_its_flags() {
    let mut found = 0;
    let mut helps: BTreeMap<String, Option<String>> = BTreeMap::new();
    for Page { name, blocks, prose } in pages() {
        let in_blocks = blocks.iter().filter(|b| ["sh", "yaml"].contains(&&*b.language));
        let lines = in_blocks.flat_map(|block| block.text.lines());
        let lines = lines.map(|line| line.split(" #").next().unwrap());
        for code in lines.chain(prose.split('`').skip(1).step_by(2)) {
            let mut tokens =
                code.split_whitespace().skip_while(|token| *token != "mongate").skip(1);
            let Some(command) = tokens.next() else {
                continue;
            };
            let mut path = vec![command];
            // `mongate test` hands its arguments to the runner.
            let rest: Vec<&str> = tokens.take_while(|_| command != "test").collect();
            if command == "baseline" {
                path.extend(rest.first());
            }
            let text = helps.entry(path.join(" ")).or_insert_with(|| help(&path));
            let text = text.as_ref().unwrap_or_else(|| panic!("{name}: no such command: {code}"));
            for flag in rest.iter().filter(|token| token.starts_with("--")) {
                assert!(words(text).any(|word| word == *flag), "{name}: no {flag} in: {code}");
            }
            found += 1;
        }
    }
    assert!(found > 60, "{found}");
}

#[test]
fn the_readme_names_every_command() {
    let readme = read("README.md");
    let all = help(&[]).unwrap();
    let (_, list) = all.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // Lines that go on with a text begin further right.
    let lines = lines.filter(|line| !line.starts_with("   "));
    let commands: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for command in commands {
        assert!(readme.contains(&format!("`mongate {command}")), "README.md lacks {command}");
    }
    assert!(readme.lines().count() <= 200);
}

#[test]
fn the_guide_names_the_variables_that_mongate_reads() {
    let variables = |text: &str| -> BTreeSet<String> {
        let found = words(text).filter(|word| word.starts_with("MONGATE_"));
        let of_label =
            |word: &str| word.starts_with("MONGATE_MONGOD_").then_some("MONGATE_MONGOD_");
        found.map(|word| of_label(word).unwrap_or(word).to_owned()).collect()
    };
    let mut sources = files(&root().join("src"), "rs");
    // Tests may have variables of their own.
    sources.retain(|path| !path.display().to_string().contains("/tests"));
    let code: String = sources.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let read_by_code = variables(&code);
    assert!(read_by_code.len() >= 15, "{read_by_code:?}");
    assert_eq!(variables(&read(CONFIGURATION)), read_by_code);
    for Page { name, .. } in pages() {
        let named = variables(&read(&name));
        assert!(named.is_subset(&read_by_code), "{name}: {named:?}");
    }
}

#[test]
fn every_relative_link_points_to_a_file_and_a_heading() {
    let slug = |heading: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    let mut found = 0;
    for page in pages() {
        let inline = page.prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let defined = page.prose.lines().filter(|line| line.starts_with('['));
        let defined = defined.filter_map(|line| Some(line.split_once("]: ")?.1));
        for link in inline.chain(defined).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = root().join(&page.name).with_file_name(file);
            let text = fs::read_to_string(&target);
            let text = text.unwrap_or_else(|e| panic!("{}: {link}: {e}", page.name));
            let mut headings = text.lines().filter_map(|line| line.strip_prefix("## "));
            let meant = anchor.is_empty() || headings.any(|heading| slug(heading) == anchor);
            assert!(meant, "{}: no such heading: {link}", page.name);
            found += 1;
        }
    }
    assert!(found > 25, "{found}");
}
