// The connection to the server: requests carry a number, and replies go to the handler of that
// number.
const settings = JSON.parse(byId("settings").textContent);
const SOCKET = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${location.pathname}socket`;
const AGAIN_AFTER = 1000;

// `lost`: why there is no connection, or null before the first one.
const server = { socket: null, next: 1, waiting: new Map(), lost: null, onRecord: () => {}, onOpen: () => {}, onClose: () => {} };
const isConnected = () => server.socket?.readyState === WebSocket.OPEN;
const TOO_MANY_TABS = 1013;

const connect = () => {
  const socket = new WebSocket(SOCKET);
  server.socket = socket;
  // A server with too many tabs opens a connection too, and answers nothing.
  socket.addEventListener("open", () => ask({ ask: "position", line: { start: EVEN, moves: [] } }, () => { server.lost = null; showError(""); server.onOpen(); }));
  socket.addEventListener("message", (event) => { receive(JSON.parse(event.data)); });
  socket.addEventListener("close", (event) => {
    server.waiting.clear();
    server.lost = event.code === TOO_MANY_TABS ? text("tooManyTabs", settings.tabs) : text("lost");
    showError(server.lost);
    server.onClose();
    setTimeout(connect, AGAIN_AFTER);
  });
};

// Why the server refuses: in the page's words if it has them, else in the server's. Quotes what the
// reader wrote as it is.
const QUOTING = ["malformed", "illegal-move", "wrong-side", "ambiguous-move", "too-late"];
const partText = (part) => ({ Black: text("black"), White: text("white"), ...text("pieceNames") })[part] ?? (/^[1-9][a-i]$/.test(part) ? squareName(cellOf(part)) : part);
const refusalText = ({ text: sentence, reason, parts, line }) => {
  const words = text("refusals")[reason];
  if (!words) return sentence;
  const found = filled(words, QUOTING.includes(reason) ? parts : parts.map(partText));
  return line ? text("atLine", line, found) : found;
};
const receive = (reply) => {
  if (reply.is === "record") return server.onRecord(reply);
  const found = server.waiting.get(reply.id);
  if (reply.is !== "line") server.waiting.delete(reply.id);
  found?.(reply);
  if (reply.is === "error") showError(text(found ? "refusedRequest" : "refusedRecord", refusalText(reply)));
};

// Sends a text or a record. The server would end the connection at a message that is too large.
const MEBI = 1 << 20;
const isTooLarge = ({ size }) => {
  if (size <= settings.message) return false;
  showError(text("tooLarge", (size / MEBI).toFixed(1), settings.message / MEBI));
  return true;
};
const sendMessage = (message) => {
  if (isTooLarge(new Blob([message]))) return false;
  server.socket.send(message);
  return true;
};

// Sends a request, and returns its number. `onReply` gets every reply to it.
const ask = (request, onReply) => {
  const id = server.next;
  server.next += 1;
  if (!isConnected()) {
    if (server.lost) showError(server.lost);
    return id;
  }
  server.waiting.set(id, onReply);
  if (!sendMessage(JSON.stringify({ ...request, id }))) server.waiting.delete(id);
  return id;
};
// The only reply to a request.
const replyOf = (request) => new Promise((done, fail) => {
  const { socket } = server;
  const lose = () => fail(new Error(text("lost")));
  socket.addEventListener("close", lose, { once: true });
  const id = ask(request, (reply) => { socket.removeEventListener("close", lose); done(reply); });
  if (!server.waiting.has(id)) fail(new Error(byId("error").textContent));
});
// Ends the search in progress and ignores its answer.
const stopSearch = (id) => {
  if (id === null) return;
  server.waiting.delete(id);
  if (isConnected()) server.socket.send(JSON.stringify({ ask: "stop" }));
};
const sendRecord = (name, bytes) => {
  if (mode === "analyze") announce(() => (analysis.on ? text("analyzing") : ""));
  else announceMore("");
  if (!isConnected()) return showError(server.lost ?? "");
  const line = new TextEncoder().encode(`${name.replace(/\s/g, " ")}\n`);
  sendMessage(new Blob([line, bytes]));
};
const showError = (words) => {
  if (words) {
    byId("notice").textContent = "";
    toldMore.tell = null;
  }
  // The same words again would be read out again.
  if (byId("error").textContent === words) return;
  byId("error").textContent = words;
  if (words) showTold();
};
// Takes an error away, but not that of a lost connection.
const clearError = () => showError(isConnected() || !server.lost ? "" : server.lost);
