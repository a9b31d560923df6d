//! Reads from a web server, with a limit on every wait.

use std::io;
use std::time::Duration;

use ureq::http::{Response, Uri};
use ureq::{Agent, Body, Timeout};

use crate::error::{Error, Result};

/// How long to wait for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Until its name is resolved, and again until a connection stands.
    pub connect: Duration,
    /// Until its next byte.
    pub silence: Duration,
}

impl Default for Limits {
    /// 4 s for a connection, so that a machine without internet has its answer from two hosts in
    /// less than 10 s; 20 s of silence.
    fn default() -> Self {
        Self { connect: Duration::from_secs(4), silence: Duration::from_secs(20) }
    }
}

/// What a server has at an address.
pub(super) enum Answer {
    /// A body.
    Found(Response<Body>),
    /// Nothing there: the status says how it put it (MongoDB's host says 403).
    Missing(u16),
}

/// A client with its limits; it honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
pub(super) struct Client {
    agent: Agent,
    limits: Limits,
}

impl Client {
    pub(super) fn new(limits: Limits) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("mongate/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(limits.connect))
            .timeout_connect(Some(limits.connect))
            .timeout_recv_response(Some(limits.silence))
            .timeout_per_read(Some(limits.silence))
            .build();
        Self { agent: config.into(), limits }
    }

    /// Asks for an address.
    pub(super) fn get(&self, url: &str) -> Result<Answer> {
        let request = self.agent.get(url);
        // A proxy is for other machines.
        let response = if is_loopback(url) {
            request.config().proxy(None).build().call()
        } else {
            request.call()
        };
        let response = response.map_err(|e| self.failed(url, e))?;
        match response.status().as_u16() {
            200 => Ok(Answer::Found(response)),
            status @ (403 | 404 | 410) => Ok(Answer::Missing(status)),
            status => Err(Error::environment(format!(
                "{} answers with HTTP status {status} to {url}",
                host(url)
            ))),
        }
    }

    /// Asks for a text of at most `limit` bytes; `Err` inside is the status of a server that has
    /// nothing there.
    pub(super) fn text(&self, url: &str, limit: u64) -> Result<std::result::Result<String, u16>> {
        match self.get(url)? {
            Answer::Missing(status) => Ok(Err(status)),
            Answer::Found(mut response) => response
                .body_mut()
                .with_config()
                .limit(limit)
                .read_to_string()
                .map(Ok)
                .map_err(|e| self.failed(url, e)),
        }
    }

    /// Says what went wrong while a body was read.
    pub(super) fn broken(&self, url: &str, error: io::Error) -> Error {
        self.failed(url, error.into())
    }

    fn failed(&self, url: &str, error: ureq::Error) -> Error {
        let host = host(url);
        Error::environment(match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                let seconds = self.limits.connect.as_secs_f64();
                format!("{host} cannot be reached: no connection within {seconds} s")
            }
            ureq::Error::Timeout(_) => {
                let seconds = self.limits.silence.as_secs_f64();
                format!("{host} fell silent: nothing for {seconds} s from {url}")
            }
            ureq::Error::HostNotFound => format!("{host} cannot be reached: no such host"),
            ureq::Error::Io(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                format!("{host} broke off in the middle of {url}")
            }
            ureq::Error::Io(e) => format!("{host} cannot be reached: {e}"),
            e => format!("{host} cannot be used: {e} ({url})"),
        })
    }
}

/// The host and port of an address, for a message.
pub(super) fn host(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    let authority = uri.as_ref().and_then(Uri::authority);
    authority.map_or_else(
        || url.to_owned(),
        // Without a password that a mirror's address may hold.
        |a| a.as_str().rsplit('@').next().unwrap_or_default().to_owned(),
    )
}

fn is_loopback(url: &str) -> bool {
    let host = url.parse::<Uri>().ok().and_then(|uri| {
        let host = uri.host()?.trim_matches(['[', ']']);
        Some(
            host == "localhost"
                || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        )
    });
    host.unwrap_or(false)
}
