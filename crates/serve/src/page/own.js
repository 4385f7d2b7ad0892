// The list of the reader's own games, and the results by level. `shown`: how many are shown.
// `dropped`: the deleted games, the latest last.
const PORTION = 30;
const own = { entries: [], shown: PORTION, dropped: [], words: "", isLoading: false, isStale: false };
const sayOwn = (words) => { own.words = words; byId("own-words").textContent = words; };

// The level in the name of a player, or null for a person.
const levelIn = (name) => { const found = /^Kiki \D*(\d+)$/.exec(name); return found ? Number(found[1]) : null; };
const levelsOf = ({ black, white }) => ({ black: levelIn(black), white: levelIn(white) });
const readerOf = (levels) => ((levels.black === null) === (levels.white === null) ? null : SIDES.find((side) => levels[side] === null));
// The clock that a record names, in either language. CSA writes a semicolon for a comma. Earlier
// versions wrote "10 minutes, 10 s added a move".
const CLOCK_NAMES = { secondsOnly: ([byoyomi]) => [0, byoyomi, 0], minutesOnly: ([minutes]) => [minutes, 0, 0], byoyomiClock: ([minutes, byoyomi]) => [minutes, byoyomi, 0], fischerClock: ([minutes, increment]) => [minutes, 0, increment], wholeClock: (clock) => clock };
const clockIn = (words) => {
  for (const texts of Object.values(TEXTS)) {
    for (const [name, clock] of Object.entries(CLOCK_NAMES)) {
      const found = new RegExp(`^${texts[name].replace(/\{\d\}/g, "(\\d+)")}$`).exec(words.replaceAll(";", ",").replace(" minutes", " min").replace(" added a move", " added"));
      if (found) return withTime(clock(found.slice(1).map(Number)));
    }
  }
  return null;
};
const handicapText = (start) => {
  const found = settings.handicaps.find(({ sfen }) => sfen === start);
  if (start === EVEN) return "";
  return found ? found[language === "ja" ? "japanese" : "english"] : text("anyPosition");
};
const isOngoing = ({ id }) => isGameOn() && match.id === id;

// { result, is: won, lost or null, opponents, more: other facts }
const factsOfEntry = (entry) => {
  const { black, white, time, control, start, plies, outcome, reason, searched } = entry;
  const levels = levelsOf(entry);
  const reader = readerOf(levels);
  const isDecided = SIDES.includes(outcome);
  const result = isOngoing(entry) ? text("stillOn") : !outcome ? text("brokenOff") : !isDecided ? text("draw") : reader ? text(outcome === reader ? "wonColumn" : "lostColumn") : text("sideWins", sideName(outcome, start));
  const name = (side, words) => (levels[side] !== null ? text("levelName", levels[side]) : words || sideName(side, start));
  const opponents = reader ? `${reader === "black" ? "☗" : "☖"} · Kiki ${name(otherSide(reader))}` : `☗ ${name("black", black)} – ☖ ${name("white", white)}`;
  const clock = clockIn(control);
  const more = [outcome && reason ? text("reasons")[reason] : "", text("plies", plies), handicapText(start), clock ? clockName(clock) : control, searched ? text("searchedMark") : ""].filter(Boolean).join(" · ");
  return { result, is: reader && isDecided ? (outcome === reader ? "won" : "lost") : null, opponents, more, time: time.replace(/:\d\d$/, "") };
};
const ENDED = ["checkmate", "sennichite", "perpetual-check"];
const entryItem = (entry) => {
  const { result, is, opponents, more, time } = factsOfEntry(entry);
  const name = [time, opponents, result].join(" ");
  return html("li", {},
    html("button", { type: "button", class: "own-open", "data-key": `own open ${entry.id}`, "aria-label": text("openOwn", `${name} ${more}`), onclick: () => openOwn(entry.id) },
      html("span", { class: "own-when" }, time), html("b", { class: is }, result), html("span", {}, opponents), html("span", { class: "soft" }, more)),
    html("button", { type: "button", "data-key": `own on ${entry.id}`, "aria-label": text(entry.outcome ? "playOnOf" : "resumeOf", name), "aria-disabled": isOngoing(entry) || ENDED.includes(entry.reason), onclick: () => playOn(entry) }, text(entry.outcome ? "playOn" : "resumeIt")),
    html("button", { type: "button", "data-key": `own delete ${entry.id}`, "aria-label": text("deleteOf", name), title: text("deleteGame"), "aria-disabled": isOngoing(entry), onclick: () => deleteOwn(entry, name) }, "✕"));
};

// Games against a level from the usual positions: { level, start, won, lost, drawn } each.
const resultsByLevel = () => {
  const rows = new Map();
  const usual = settings.handicaps.map(({ sfen }) => sfen);
  for (const entry of own.entries) {
    const levels = levelsOf(entry);
    const reader = readerOf(levels);
    if (!reader || !entry.outcome || !usual.includes(entry.start)) continue;
    const [level, { start, outcome }] = [levels[otherSide(reader)], entry];
    const key = `${level} ${start}`;
    const row = rows.get(key) ?? { level, start, won: 0, lost: 0, drawn: 0 };
    row[outcome === reader ? "won" : SIDES.includes(outcome) ? "lost" : "drawn"] += 1;
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => a.level - b.level || usual.indexOf(a.start) - usual.indexOf(b.start));
};
const drawLevels = () => {
  const rows = resultsByLevel();
  byId("own-levels").hidden = rows.length === 0;
  byId("own-levels").replaceChildren(html("caption", {}, text("levelResults")),
    html("thead", {}, html("tr", {}, ...["levelColumn", "wonColumn", "lostColumn", "drawnColumn"].map((key) => html("th", { scope: "col" }, text(key))))),
    html("tbody", {}, ...rows.map(({ level, start, won, lost, drawn }) => html("tr", {}, html("th", { scope: "row" }, [text("levelName", level), handicapText(start)].filter(Boolean).join(" · ")), ...[won, lost, drawn].map((count) => html("td", {}, String(count)))))));
};

// Reads the list anew. Changes while it is read are read after it.
const drawOwn = async () => {
  if (own.isLoading) { own.isStale = true; return; }
  own.isLoading = true;
  try {
    do {
      own.isStale = false;
      const isOpen = byId("own").open;
      const found = await inStore("readonly", (at) => (isOpen ? at.all("games") : at.count("games")));
      byId("own-count").textContent = `(${isOpen ? found.length : found})`;
      if (isOpen) { own.entries = found.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0)); drawList(); }
    } while (own.isStale);
    if (!own.words && !(await openDatabase())) sayOwn(text("onlyTab"));
  } catch (error) {
    sayOwn(whyFailed(error));
  } finally {
    own.isLoading = false;
  }
};
const drawList = () => keepFocus(() => {
  const rest = own.entries.length - own.shown;
  byId("own-list").replaceChildren(...(own.entries.length ? own.entries.slice(0, own.shown).map(entryItem) : [html("li", { class: "soft" }, text("noGames"))]));
  byId("own-more").hidden = rest <= 0;
  byId("own-more").textContent = rest > 0 ? text("more", Math.min(rest, PORTION)) : "";
  byId("own-undo").hidden = own.dropped.length === 0;
  drawLevels();
}, "own undo");

const recordOfOwn = async (id) => {
  try {
    const found = await inStore("readonly", (at) => at.get("records", id));
    if (found) return found.record;
    sayOwn(text("goneGame"));
    drawOwn();
  } catch (error) { sayOwn(whyFailed(error)); }
  return null;
};
const openOwn = async (id) => {
  const record = await recordOfOwn(id);
  if (!record) return;
  setMode("analyze");
  openGame(Object.assign(gameOfRecord(record), { own: id }));
  flipped = readerOf(levelsOf(record)) === "white";
  draw();
  announce(noWords);
  announceMore(text("opened"));
  showBoard();
};
// Continues a game from its last position: a game that was broken off is the same game, any other a
// new one.
const playOn = async (entry) => {
  if (ENDED.includes(entry.reason)) return sayOwn(text("gameEnded"));
  if (isOngoing(entry)) return;
  const record = await recordOfOwn(entry.id);
  if (!record) return;
  setMode("play");
  if (isGameOn()) {
    if (!isSure(`on ${entry.id}`)) return sayOwn(text("newAgain"));
    sayOwn("");
  }
  const isSame = !entry.outcome;
  const played = gameOfRecord(record);
  if (!isSame) Object.assign(played.head, { start_time: dateText(new Date()) });
  const levels = levelsOf(entry);
  const clock = startedClock(clockIn(entry.control));
  const line = pathTo(lastOfLine(played.root));
  // What the moves have taken.
  let side = positionOf(entry.start).blackToMove ? "black" : "white";
  for (const { milliseconds } of clock ? line : []) {
    clock.left[side] = Math.max(clock.left[side] - milliseconds, 0) + clock.increment;
    side = otherSide(side);
  }
  beginMatch(played, levels, clock, { isKept: true, ...(isSame && { id: entry.id, version: entry.version, isWritten: true }) });
};
const deleteOwn = async (entry, name) => {
  if (isOngoing(entry)) return;
  try {
    // A second press before the list is drawn anew finds nothing.
    const dropped = await inStore("readwrite", async (at) => {
      const found = await at.get("games", entry.id) && { entry, kept: await at.get("records", entry.id) };
      for (const store of STORES) await at.delete(store, entry.id);
      return found;
    });
    if (!dropped) return;
    own.dropped.push(dropped);
    sayOwn(text("deleted", name));
    // There may be room now for the game that could not be kept.
    if (unkept) keepOwn();
    tellOwn();
  } catch (error) { sayOwn(whyFailed(error)); }
};
const undoDelete = async () => {
  const dropped = own.dropped.pop();
  if (!dropped) return;
  const { entry, kept } = dropped;
  try {
    await inStore("readwrite", async (at) => {
      // A file that was imported since may have had it.
      if (kept && await isThere(at, (await at.all("games")).reduce(addKey, new Map()), entry, kept.record)) return sayOwn(text("alreadyKept", 1));
      // The game may have gone on since, after its end was taken back.
      const id = await at.get("games", entry.id) ? crypto.randomUUID() : entry.id;
      await at.put("games", { ...entry, id });
      if (kept) await at.put("records", { ...kept, id });
      sayOwn("");
    });
    tellOwn();
  } catch (error) { own.dropped.push(dropped); sayOwn(whyFailed(error)); }
};

byId("own-undo").addEventListener("click", undoDelete);
byId("own-more").addEventListener("click", () => { own.shown += PORTION; drawList(); });
byId("own").addEventListener("toggle", () => { own.shown = PORTION; drawOwn(); });
