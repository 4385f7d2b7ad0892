//! The address, connections, and who may use them.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::task::AbortHandle;

use crate::page;
use crate::settings::{MOST_MESSAGE, Settings};
use crate::tab::{self, Tabs};
use crate::token;

/// The port without another wish. It stays the same, so that an open tab finds the next start.
const USUAL_PORT: u16 = 25454;
const HTTP_PORT: u16 = 80;
/// Maximum number of connections that are no tab yet. A new one closes the oldest: on this machine
/// a browser is served within milliseconds.
const MOST_PENDING: usize = 128;
/// The longest life of a connection that does not become a tab.
const PATIENCE: Duration = Duration::from_secs(10);
/// The greatest request line with its headers, in bytes.
const MOST_HEADERS: usize = 16 * 1024;
/// Wait after a failed accept, as with too many open files.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("port {port} of 127.0.0.1 cannot be used: {source}")]
    Port { port: u16, source: io::Error },
    /// The system refuses what a server needs.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The board, served to this machine alone.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    notes: Vec<String>,
}

struct Site {
    /// The names of this server in requests; a request with another name comes from elsewhere.
    hosts: Vec<String>,
    /// The secret part of the address.
    token: String,
    page: String,
    tabs: Tabs,
    settings: Arc<Settings>,
}

impl Server {
    /// Takes a port of the loopback interface, 0 for any free one. Without a wish it takes the usual
    /// one, or a free one if that is taken. `token_file` keeps the secret part of the address.
    pub fn bind(port: Option<u16>, token_file: Option<&Path>, settings: Settings) -> Result<Self, ServeError> {
        let mut notes = Vec::new();
        let listener = match listen(port.unwrap_or(USUAL_PORT)) {
            Err(error) if port.is_none() => {
                notes.push(format!("{error}. The address is another one this time."));
                listen(0)?
            }
            listener => listener?,
        };
        listener.set_nonblocking(true)?;
        let is_usual = notes.is_empty();
        let port = listener.local_addr()?.port();
        let hosts = hosts(port);
        // Whoever has taken the usual port hears the kept token from open tabs.
        let token = match token_file.filter(|_| is_usual).map(|path| (path, token::kept(path))) {
            None => token::fresh(),
            Some((_, Ok(token))) => token,
            Some((path, Err(error))) => {
                notes.push(format!("{}: {error}. The address changes at the next start.", path.display()));
                token::fresh()
            }
        };
        let page = page::html(&hosts, &settings);
        let site = Site { hosts, token, page, tabs: Tabs::default(), settings: Arc::new(settings) };
        Ok(Self { listener, site: Arc::new(site), notes })
    }

    /// Why the address will not be that of another start.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The address of the page. Whoever knows it may use the engine.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.site.hosts[0], self.site.token)
    }

    /// Serves the board until the program ends.
    pub fn run(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = Router::new()
                .route(&format!("/{}/", self.site.token), get(send_page))
                .route(&format!("/{}/socket", self.site.token), get(open_tab))
                .layer(axum::middleware::map_response(last_on_its_connection))
                .with_state(self.site);
            let mut pending: VecDeque<AbortHandle> = VecDeque::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let service = TowerToHyperService::new(router.clone());
                let mut protocol = http1::Builder::new();
                protocol.max_buf_size(MOST_HEADERS).header_read_timeout(None);
                let connection = protocol.serve_connection(TokioIo::new(stream), service).with_upgrades();
                let task = tokio::spawn(async move {
                    // A connection that fails or takes too long is closed; its other end knows why.
                    let _ = tokio::time::timeout(PATIENCE, connection).await;
                });
                pending.retain(|connection| !connection.is_finished());
                pending.push_back(task.abort_handle());
                if pending.len() > MOST_PENDING
                    && let Some(oldest) = pending.pop_front()
                {
                    oldest.abort();
                }
            }
        })
    }
}

fn listen(port: u16) -> Result<TcpListener, ServeError> {
    TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(|source| ServeError::Port { port, source })
}

impl Site {
    /// Whether every header `name` holds a name of this server after `before`; true without such a
    /// header.
    fn names_us(&self, headers: &HeaderMap, name: &HeaderName, before: &str) -> bool {
        let is_ours =
            |value: &str| value.strip_prefix(before).is_some_and(|host| self.hosts.iter().any(|our| our == host));
        headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_ours))
    }

    /// Whether a request is meant for this server: sent to its own name, and not by a page from
    /// elsewhere.
    fn is_meant(&self, headers: &HeaderMap) -> bool {
        headers.contains_key(header::HOST)
            && self.names_us(headers, &header::HOST, "")
            && self.names_us(headers, &header::ORIGIN, "http://")
    }
}

/// Only a tab keeps its connection.
async fn last_on_its_connection(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn send_page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    if !site.is_meant(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    ];
    (headers, site.page.clone()).into_response()
}

async fn open_tab(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // Browsers always send the origin of a socket.
    if !site.is_meant(&headers) || !headers.contains_key(header::ORIGIN) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match upgrade {
        Ok(upgrade) => upgrade
            .max_message_size(MOST_MESSAGE)
            .max_frame_size(MOST_MESSAGE)
            .on_upgrade(move |socket| tab::serve(socket, site.tabs.clone(), Arc::clone(&site.settings))),
        Err(rejection) => rejection.into_response(),
    }
}

/// The names of the server in requests. Browsers leave the usual port of HTTP out.
fn hosts(port: u16) -> Vec<String> {
    let names = ["127.0.0.1", "localhost"];
    let short = names.map(str::to_owned).into_iter().filter(|_| port == HTTP_PORT);
    names.iter().map(|name| format!("{name}:{port}")).chain(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_port_of_http_may_be_left_out() {
        assert_eq!(hosts(80), ["127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"]);
        assert_eq!(hosts(81), ["127.0.0.1:81", "localhost:81"]);
    }
}
