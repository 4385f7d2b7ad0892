//! One tab of a browser: its socket, and the thread that answers it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::{CloseFrame, Message as SocketMessage, WebSocket, close_code};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;

use crate::outgoing::Outgoing;
use crate::session::{Session, TabMessage};
use crate::settings::Settings;

/// Maximum number of queued messages of a tab; further ones wait in its browser.
const WAITING_REQUESTS: usize = 16;

#[derive(Clone, Default)]
pub(crate) struct Tabs(Arc<AtomicUsize>);

/// The place of a tab; dropping it frees the place.
struct Place(Arc<AtomicUsize>);

impl Tabs {
    fn take(&self, most: usize) -> Option<Place> {
        let add = |count: usize| (count < most).then_some(count + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Place(Arc::clone(&self.0)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers a tab until it is gone.
pub(crate) async fn serve(mut socket: WebSocket, tabs: Tabs, settings: Arc<Settings>) {
    let Some(place) = tabs.take(settings.tabs) else {
        let reason = format!("at most {} tabs at a time", settings.tabs);
        let frame = CloseFrame { code: close_code::AGAIN, reason: reason.into() };
        let _ = socket.send(SocketMessage::Close(Some(frame))).await;
        return;
    };
    let (outgoing, mut replies) = Outgoing::new();
    let (requests, mut waiting) = mpsc::channel(WAITING_REQUESTS);
    // Dropping the session stops the tab's search; only then is the place free.
    let answer = move || {
        let _place = place;
        let mut session = Session::new(settings, outgoing);
        while let Some(message) = waiting.blocking_recv() {
            session.receive(&message);
        }
    };
    if std::thread::Builder::new().name("tab".to_owned()).spawn(answer).is_err() {
        return;
    }
    let (mut sink, mut stream) = socket.split();
    let reading = async {
        while let Some(Ok(message)) = stream.next().await {
            let message = match message {
                SocketMessage::Text(text) => TabMessage::Request(text.as_str().to_owned()),
                SocketMessage::Binary(bytes) => TabMessage::Record(bytes.to_vec()),
                SocketMessage::Close(_) => break,
                SocketMessage::Ping(_) | SocketMessage::Pong(_) => continue,
            };
            if requests.send(message).await.is_err() {
                break;
            }
        }
    };
    let writing = async {
        while let Some(text) = replies.recv().await {
            if sink.send(SocketMessage::Text(text.into())).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        () = reading => {}
        () = writing => {}
    }
}
