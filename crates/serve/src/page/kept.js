// The reader's own games, kept in the browser for the next visit. What the list shows lies apart
// from the records, so that thousands of games open at once. Without a database the games last as
// long as the tab.
const STORES = ["games", "records"];
const channel = "BroadcastChannel" in window ? new BroadcastChannel("kiki games") : null;
// As the database, without one.
const lasting = Object.fromEntries(STORES.map((name) => [name, new Map()]));
const memory = {
  get: (name, id) => lasting[name].get(id), all: (name) => [...lasting[name].values()], count: (name) => lasting[name].size,
  put: (name, value) => { lasting[name].set(value.id, value); }, delete: (name, id) => { lasting[name].delete(id); },
};
let database = null;
const openDatabase = () => {
  database ??= new Promise((done) => {
    try {
      const request = indexedDB.open("kiki", 1);
      request.onupgradeneeded = () => { for (const name of STORES) request.result.createObjectStore(name, { keyPath: "id" }); };
      request.onsuccess = () => { request.result.onversionchange = () => request.result.close(); done(request.result); };
      request.onerror = () => done(null);
    } catch { done(null); }
  });
  return database;
};
const answered = (request) => new Promise((done, fail) => { request.onsuccess = () => done(request.result); request.onerror = () => fail(request.error); });
// Runs `work` in one transaction: all of it happens or nothing, and other tabs wait for its end.
const inStore = async (kind, work) => {
  const opened = await openDatabase();
  if (!opened) return work(memory);
  const transaction = opened.transaction(STORES, kind);
  const ended = new Promise((done, fail) => { transaction.oncomplete = done; transaction.onabort = () => fail(transaction.error); });
  ended.catch(() => {});
  const at = (name) => transaction.objectStore(name);
  try {
    const result = await work({
      get: (name, id) => answered(at(name).get(id)), all: (name) => answered(at(name).getAll()), count: (name) => answered(at(name).count()),
      put: (name, value) => answered(at(name).put(value)), delete: (name, id) => answered(at(name).delete(id)),
    });
    await ended;
    return result;
  } catch (error) {
    try { transaction.abort(); } catch { /* It has ended. */ }
    throw error;
  }
};
const isFull = (error) => error?.name === "QuotaExceededError";

// A record without what is empty.
const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && value.length === 0);
const slim = (record) => JSON.parse(JSON.stringify(record, (key, value) => (key !== "moves" && isEmpty(value) ? undefined : value)));
// What the list shows of a game.
const entryOf = (id, version, { black = "", white = "", start_time: time = "", time_control: control = "", start, moves, outcome = null, reason = null, search }) =>
  ({ id, version, black, white, time, control, start, plies: moves.length, last: moves.slice(-3).map(({ move }) => move).join(" "), outcome, reason, searched: Boolean(search) });
// A game is there already if one of the same key has the same moves.
const keyOfGame = ({ black, white, time, start, plies, last }) => JSON.stringify([black, white, time, start, plies, last]);
const movesIn = ({ moves }) => moves.map(({ move }) => move).join(" ");
// `known`: the numbers of the games of each key.
const addKey = (known, entry) => known.set(keyOfGame(entry), [...(known.get(keyOfGame(entry)) ?? []), entry.id]);
const isThere = async (at, known, entry, record) => {
  const found = await Promise.all((known.get(keyOfGame(entry)) ?? []).map((id) => at.get("records", id)));
  return found.some((kept) => kept && movesIn(kept.record) === movesIn(record));
};
const putGame = async (at, id, version, record) => {
  await at.put("games", entryOf(id, version, record));
  await at.put("records", { id, record });
};

// The newest state of this tab's games is written one after the other.
let writing = Promise.resolve();
const inTurn = (work) => { writing = writing.then(work); return writing; };
let unkept = null;
const showUnkept = (error) => {
  unkept = error;
  byId("unkept").textContent = error ? text("storeFull", isFull(error) ? text("fullStore") : String(error)) : "";
};

// Keeps the game of the play screen after each move: a game that is broken off is kept as such.
// `version` tells how often it was written. Another tab that began as a copy of this one may have
// gone on with the game: then this game gets another number.
const keepOwn = () => {
  const kept = match;
  if (!kept?.isKept) return;
  const played = playedGame();
  // A game without a move of the reader is not kept, unless the clock or the rules end it.
  const { outcome, reason } = kept.at.ending;
  const isEnded = outcome && reason !== "resignation";
  if (!(kept.isWritten || isEnded || isWatched() || hasPersonsMove())) return;
  const isOver = kept.over;
  const record = slim({ ...recordOf(played), ...(isOver ? {} : { reason: "interrupted" }) });
  inTurn(async () => {
    kept.version += 1;
    const { version } = kept;
    try {
      await inStore("readwrite", async (at) => {
        const found = await at.get("games", kept.id);
        // It was deleted from the list.
        if (!found && kept.isWritten && isOver) return;
        if (found && found.version >= version) kept.id = crypto.randomUUID();
        await putGame(at, kept.id, version, record);
      });
      kept.isWritten = true;
      played.own = kept.id;
      showUnkept(null);
      tellOwn();
    } catch (error) {
      showUnkept(error);
    }
  });
};
// An own game may be on several screens: as it was played, and in the analysis.
const copiesOf = (shown) => Object.values({ ...allScreens(), replaced }).map((screen) => screen?.game).filter((other) => shown.own && other?.own === shown.own && other !== shown);
const twinsOf = (node) => copiesOf(game).map((copy) => knownAt(copy, movesTo(node))).filter(Boolean);
// Gives a copy what an analysis has added.
const share = ({ search, children }, copy) => {
  if (search) Object.assign(copy, { search, value: search.value });
  for (const child of children) share(child, addMove(copy, child, { ...stepOf(child), ending: child.ending }));
};
// Keeps what an analysis has added to an own game, if its moves are still the same.
const keepStudied = () => {
  const { own } = game;
  if (!own) return;
  const mainLine = ({ root }) => movesTo(lastOfLine(root)).join(" ");
  for (const copy of copiesOf(game)) if (mainLine(copy) === mainLine(game)) share(game.root, copy.root);
  const studied = slim(recordOf(game));
  inTurn(async () => {
    try {
      await inStore("readwrite", async (at) => {
        const [entry, kept] = [await at.get("games", own), await at.get("records", own)];
        if (!entry || !kept || movesIn(kept.record) !== movesIn(studied)) return;
        const { outcome, reason } = kept.record;
        await putGame(at, own, entry.version + 1, { ...studied, outcome, reason });
        if (match?.id === own) match.version = Math.max(match.version, entry.version + 1);
      });
      tellOwn();
    } catch (error) {
      showUnkept(error);
    }
  });
};
// The list of this tab and those of others show a change.
const tellOwn = () => { channel?.postMessage(null); drawOwn(); };
channel?.addEventListener("message", () => drawOwn());
