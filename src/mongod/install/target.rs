//! Which of MongoDB's archives suit a machine.
//!
//! A mongod is built for a distribution: it needs its glibc or a newer one, its generation of
//! OpenSSL, and, on Debian and Ubuntu, a libcurl with Debian's symbol versions. Not every
//! distribution has every version of MongoDB, so a machine has a list to try.

/// The archives that suit a machine, best first, as the part of an address before `-<version>.tgz`:
/// `linux/mongodb-linux-x86_64-debian12`.
///
/// `os` and `arch` are what [`std::env::consts`] say, `os_release` is the text of `/etc/os-release`
/// (empty when there is none). Empty when MongoDB publishes nothing that could run there, as for
/// Alpine.
pub fn targets(os: &str, arch: &str, os_release: &str) -> Vec<String> {
    match (os, arch) {
        ("macos", "aarch64") => {
            ["arm64", "x86_64"].map(|arch| format!("osx/mongodb-macos-{arch}")).to_vec()
        }
        ("macos", "x86_64") => vec!["osx/mongodb-macos-x86_64".into()],
        ("linux", "x86_64" | "aarch64") => distributions(os_release)
            .into_iter()
            .filter(|name| is_built_for(name, arch))
            .map(|name| format!("linux/mongodb-linux-{arch}-{name}"))
            .collect(),
        _ => Vec::new(),
    }
}

/// The distributions whose builds run on this one.
fn distributions(os_release: &str) -> Vec<String> {
    let id = field(os_release, "ID").unwrap_or_default();
    let like = field(os_release, "ID_LIKE").unwrap_or_default();
    let version = field(os_release, "VERSION_ID");
    let (major, minor) = numbers(version.unwrap_or_default());
    let codename = ["UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME"]
        .iter()
        .find_map(|key| field(os_release, key))
        .unwrap_or_default();
    let is_like = |name: &str| id == name || like.split_whitespace().any(|word| word == name);

    match id {
        "alpine" => return Vec::new(),
        "ubuntu" | "pop" if major > 0 => return ubuntu(major * 100 + minor),
        "debian" if major > 0 => return debian(major),
        "amzn" => return amazon(major),
        "fedora" => return rhel(9),
        _ => {}
    }
    // A derivative has a version of its own and its parent's code name.
    match codename {
        "bionic" => ubuntu(1804),
        "focal" => ubuntu(2004),
        "jammy" => ubuntu(2204),
        "noble" => ubuntu(2404),
        "buster" => debian(10),
        "bullseye" => debian(11),
        "bookworm" => debian(12),
        "trixie" => debian(13),
        _ if is_like("rhel") || is_like("centos") => rhel(major),
        _ if is_like("suse") || id.starts_with("opensuse") => names(&["suse15"]),
        _ if is_like("ubuntu") || is_like("debian") => debian(13),
        // Unknown: the builds that ask for the least come first.
        _ => names(&["rhel93", "rhel90", "ubuntu2204", "ubuntu2404"]),
    }
}

/// Ubuntu, as in 2204. From 22.04 on with OpenSSL 3, before with 1.1.
fn ubuntu(release: u32) -> Vec<String> {
    let list = match release {
        2404.. => ["ubuntu2404", "ubuntu2204"].as_slice(),
        2204.. => &["ubuntu2204"],
        2004.. => &["ubuntu2004", "ubuntu1804"],
        _ => &["ubuntu1804"],
    };
    // A newer release may have builds of its own by now.
    newer("ubuntu", release, 2404, list)
}

/// Debian. From 12 on with OpenSSL 3, before with 1.1.
fn debian(release: u32) -> Vec<String> {
    let list = match release {
        13.. => ["debian12", "ubuntu2404", "ubuntu2204"].as_slice(),
        12 => &["debian12", "ubuntu2204"],
        11 => &["debian11", "ubuntu2004", "debian10", "ubuntu1804"],
        _ => &["debian10", "ubuntu1804"],
    };
    newer("debian", release, 12, list)
}

/// Red Hat and its relatives: the names changed over time, and an architecture has only some of
/// them.
fn rhel(release: u32) -> Vec<String> {
    names(match release {
        9.. => &["rhel93", "rhel90"],
        8 => &["rhel8", "rhel80", "rhel82"],
        _ => &["rhel70"],
    })
}

fn amazon(release: u32) -> Vec<String> {
    names(match release {
        2023.. => &["amazon2023", "rhel90"],
        _ => &["amazon2"],
    })
}

fn newer(family: &str, release: u32, newest: u32, list: &[&str]) -> Vec<String> {
    let own = (release > newest).then(|| format!("{family}{release}"));
    own.into_iter().chain(names(list)).collect()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// Whether MongoDB builds the Community server of that distribution for that architecture.
fn is_built_for(name: &str, arch: &str) -> bool {
    match arch {
        "aarch64" => !name.starts_with("debian") && !matches!(name, "rhel70" | "rhel80" | "suse15"),
        _ => name != "rhel82",
    }
}

/// A value of os-release, without its quotes.
fn field<'a>(os_release: &'a str, key: &str) -> Option<&'a str> {
    os_release.lines().find_map(|line| {
        let value = line.trim().strip_prefix(key)?.strip_prefix('=')?;
        Some(value.trim_matches(['"', '\'']))
    })
}

/// Major and minor number of a version: (22, 4) for "22.04", zeros for what is missing or beyond
/// every distribution.
fn numbers(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse::<u16>().unwrap_or(0));
    let mut next = || u32::from(parts.next().unwrap_or(0));
    (next(), next())
}
