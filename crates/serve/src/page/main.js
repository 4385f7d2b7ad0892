// Connects the parts of the page, and starts it.
const MODES = { play: playModes, analyze: analyzeModes, solve: solveModes };

// The state of the other screens: { game, here, flipped } each.
const screens = {};
const allScreens = () => ({ ...screens, [mode]: { game, here, flipped } });

const setMode = (chosen) => {
  if (chosen === mode) return;
  endSearches();
  if (mode === "play") pauseGame();
  // Who leaves a result has seen it.
  if (bannerOf()) seen = here;
  hideStart();
  input.edit = null;
  byId("set-up").open = false;
  Object.assign(screens, allScreens());
  // The first analysis shows the game that was played.
  if (chosen === "analyze" && isUntouched(screens.analyze) && screens.play) screens.analyze = copyOf(screens.play);
  mode = chosen;
  const isNew = !screens[mode];
  ({ game, here, flipped } = screens[mode] ?? { game: newGame(), here: null, flipped: false });
  here ??= game.root;
  showComment();
  showMode();
  arrive(isNew);
};
// Where nothing is asked.
const idleText = () => (mode === "analyze" ? "" : match ? resultText() : text("chooseGame"));
// Continues the work of the shown screen.
const arrive = (isNew) => {
  if (mode === "solve") {
    // An earlier request for a defence is lost.
    if (isNew) return openSolving();
    if (solving.state === "defending") return showProblem(solving.at);
    if (solving.state === "open") announceTask();
    else announce(noWords);
  } else if (mode === "play" && isGameOn()) {
    return resumeGame();
  } else {
    announce(idleText);
  }
  withFacts(here, () => { draw(); onArrival(); });
};
const showMode = () => {
  const { mayMove, onRefused = () => {}, onMove } = MODES[mode];
  // A press on the board leaves the line that it shows.
  Object.assign(input, { onMove, mayMove: () => !lines.shown && mayMove(), onRefused: () => (lines.shown ? showLine(null) : onRefused()) });
  leavePosition();
  document.querySelector("main").dataset.screen = mode;
  for (const name of Object.keys(MODES)) byId(`panel-${name}`).hidden = name !== mode;
  byId("actions-solve").hidden = mode !== "solve";
  byId("own").hidden = mode === "solve";
  document.querySelectorAll("[data-mode]").forEach((node) => node.setAttribute("aria-pressed", node.dataset.mode === mode));
  draw();
  keepGame();
};

const fillChoices = () => {
  const options = (id, names, values = names.map((_, index) => index)) => {
    const chosen = byId(id).value;
    byId(id).replaceChildren(...names.map((name, index) => html("option", { value: values[index] }, name)));
    if (chosen) byId(id).value = chosen;
  };
  for (const id of ["level", "level-white"]) byId(id).max = settings.levels;
  options("handicap", settings.handicaps.map(({ japanese, english }) => (language === "ja" ? japanese : english)));
  fillStarts();
  fillSides();
  options("clock", [...CLOCKS.map(clockName), text("ownClock")], [...CLOCKS.keys(), "own"]);
};
// What a reloaded tab restores: the games of all screens, the game against the engine, the settings
// of the next one, the position that is being set up, and the shown problem unless others are due.
const KEPT = "kiki";
const KEPT_FIELDS = ["level", "side", "handicap", "clock", "minutes", "byoyomi", "increment", "level-white", "start-at", "lines"];
const keepGame = () => {
  const all = Object.entries({ ...allScreens(), ...(replaced && { replaced }) }).map(([name, shown]) => [name, { record: recordOf(shown.game), own: shown.game.own, at: movesTo(shown.here), flipped: shown.flipped }]);
  const kept = match && { ...match, at: movesTo(match.at), search: null, paused: match.over ? null : elapsed() };
  const fields = KEPT_FIELDS.map((id) => byId(id).value);
  const problem = mode === "solve" && solving.state !== "solved" ? { sfen: shownProblem()?.sfen, set: progress.set, grade: progress.grade } : {};
  try { sessionStorage.setItem(KEPT, JSON.stringify({ mode, screens: all, match: kept, fields, kind: kindOfGame(), isPaused: watch.isPaused, shown: byId("show-thinking").checked, isSaved: byId("save-search").checked, start, edit: input.edit, problem, isSeen: Boolean(seen) && seen === match?.at })); } catch { /* Without storage a reload begins anew. */ }
};
const takeKept = () => {
  const kept = JSON.parse(sessionStorage.getItem(KEPT));
  if (!kept) return;
  for (const [name, { record, own, at, flipped: turned }] of kept.screens) {
    const found = Object.assign(gameOfRecord(record), { own });
    screens[name] = { game: found, here: nodeAt(found, at), flipped: turned };
  }
  replaced = screens.replaced ?? null;
  // The list of problems and the defence begin anew.
  for (const name of ["replaced", "solve"]) delete screens[name];
  mode = kept.mode;
  if (kept.match?.levels) {
    match = { ...kept.match, at: nodeAt(screens.play.game, kept.match.at), since: performance.now() };
    match.at.ending ??= {};
  }
  if (screens[mode]) ({ game, here, flipped } = screens[mode]);
  KEPT_FIELDS.forEach((id, index) => { byId(id).value = kept.fields[index] ?? byId(id).value; });
  setKind(kept.kind ?? "kiki");
  fillSides();
  byId("show-thinking").checked = kept.shown;
  byId("save-search").checked = kept.isSaved ?? true;
  watch.isPaused = Boolean(kept.isPaused);
  Object.assign(start, kept.start);
  input.edit = kept.edit ?? null;
  seen = kept.isSeen ? match?.at ?? null : null;
  byId("set-up").open = Boolean(input.edit);
  const { sfen, ...choice } = kept.problem ?? {};
  solving.kept = sfen;
  Object.assign(progress, choice);
};
const setLanguage = (chosen) => {
  language = chosen;
  try { localStorage.setItem("language", chosen); } catch { /* The next visit asks the browser again. */ }
  drawLabels();
  fillChoices();
  fillLook();
  fillPaces();
  sayOwn("");
  showUnkept(unkept);
  drawOwn();
  drawPalette();
  drawProblems();
  byId("facts").textContent = settings.program;
  const { tell } = toldMore;
  tellAgain();
  if (tell) announceMore(tell);
  draw();
};

// The name of a file: day and players, as far as they are known, without what names of files must
// not have.
const MOST_NAME = 40;
const fileName = () => {
  const plain = (words) => [...words.replace(/[\\/:*?"<>|\p{C}]/gu, "_").trim()].slice(0, MOST_NAME).join("");
  const { black, white, start_time: start } = game.head;
  const players = black || white ? `${plain(black || sideName("black"))}-${plain(white || sideName("white"))}` : "";
  const day = (start ?? "").match(/^(\d{4})\D(\d{1,2})\D(\d{1,2})/)?.slice(1).map((part) => part.padStart(2, "0")).join("-");
  return [day, players].filter(Boolean).join(" ") || "kiki";
};
const saveFile = (name, parts) => {
  const address = URL.createObjectURL(new Blob(parts));
  html("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
};
// The bytes of a text whose letters are bytes.
const bytesOf = (letters) => Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
const lostText = (lost) => (lost.length ? text("lostParts", lost.map((part) => text("lostNames")[part] ?? part).join(", ")) : "");
// What searches have found is saved if the reader wants it.
const FOUND = ["search", "score", "depth", "nodes", "pv"];
const save = (extension) => {
  const record = JSON.parse(JSON.stringify(recordOf(game), (key, value) => (FOUND.includes(key) && !byId("save-search").checked ? undefined : value)));
  ask({ ask: "write", extension, record }, (reply) => {
    if (reply.is !== "file") return;
    const name = `${fileName()}.${extension}`;
    saveFile(name, [bytesOf(reply.bytes)]);
    announceBelow([text("saved", name), lostText(reply.lost), reply.letters ? text("lostLetters", [...reply.letters].join(" ")) : ""].filter(Boolean).join(text("stop")));
  });
};
const copySfen = async () => {
  try { await navigator.clipboard.writeText(shownSfen() ?? (input.edit ? null : here.facts?.sfen) ?? sfenOf(shownPosition())); announceBelow(text("copied")); } catch (error) { showError(String(error)); }
};

// The line to the shown move becomes the first at each of its moves. What follows the end of a line
// cannot.
const mayBeMain = () => { const path = pathTo(here); return path.every(({ parent }) => !parent.ending) && path.some((node) => node !== nextOf(node.parent)); };
const makeMain = () => {
  if (input.edit) return announceBelow(text("useFirst"));
  pathTo(here).forEach(putFirst);
  draw();
  keepGame();
};
// What is lost by it takes two presses.
const removeHere = () => {
  if (input.edit) return announceBelow(text("useFirst"));
  if (!isSure("remove")) return drawAsked();
  const node = here;
  goTo(node.parent);
  removeNode(node);
  draw();
  keepGame();
};

// A button marked as disabled does nothing.
const onPress = (id, act) => byId(id).addEventListener("click", () => { if (byId(id).getAttribute("aria-disabled") !== "true") act(); });
const steps = {
  first: () => goTo(game.root), back: () => (lines.shown ? stepLine(-1) : goTo(here.parent ?? here)), forward: () => (lines.shown ? stepLine(1) : goTo(nextOf(here) ?? here)), last: () => goTo(lastOfLine(here)),
  flip: () => {
    const isOnBoard = byId("squares").contains(document.activeElement);
    flipped = !flipped;
    closePromotion();
    draw();
    if (isOnBoard) focusSquare(input.cursor);
  },
  "bad-back": () => goTo(badMove(-1) ?? here), "bad-forward": () => goTo(badMove(1) ?? here),
};
for (const [id, act] of Object.entries(steps)) onPress(id, act);
for (const [id, act] of Object.entries({
  "take-back": takeBack, hint: giveHint, declare: () => endGame(sideToMove(match.at), "declaration"), resign, new: openStart, pause: pauseWatch, step: stepWatch, stop: stopWatch, "keep-it": keepWatched, "play-here": playHere, "start-close": closeStart,
  engine: toggleEngine, whole: searchWhole, "find-mate": findMate, "open-text": () => sendRecord("pasted", new TextEncoder().encode(byId("pasted").value)),
  "swap-turn": () => { if (input.edit) { input.edit.blackToMove = !input.edit.blackToMove; draw(); } }, "clear-board": () => beginEdit(EMPTY), "even-board": () => beginEdit(positionOf(EVEN)), "use-board": useEdited,
  "problem-back": () => showProblem(solving.at - 1), "problem-next": () => showProblem(solving.at + 1), "problem-on": nextProblem, forget: forgetProblem, again, "solve-hint": hintOfProblem, solution: showSolution,
  "copy-sfen": copySfen, "analyze-this": analyzeThis, restore: restoreReplaced, remove: removeHere, "main-line": makeMain,
})) onPress(id, act);
document.querySelectorAll("[data-extension]").forEach((node) => node.addEventListener("click", () => save(node.dataset.extension)));
document.querySelectorAll("[data-mode]").forEach((node) => node.addEventListener("click", () => setMode(node.dataset.mode)));
document.querySelectorAll("[data-lang]").forEach((node) => node.addEventListener("click", () => setLanguage(node.dataset.lang)));
byId("new-game").addEventListener("submit", (event) => { event.preventDefault(); beginChosen(); });
byId("clock").addEventListener("change", drawStart);
byId("show-thinking").addEventListener("change", draw);
byId("lines").addEventListener("change", followAnalysis);
byId("problem-set").addEventListener("change", () => chooseSet(byId("problem-set").value));
byId("problem-grade").addEventListener("change", () => chooseGrade(byId("problem-grade").value));
byId("problem").addEventListener("change", () => showProblem(Number(byId("problem").value)));
byId("set-up").addEventListener("toggle", () => { if (byId("set-up").open && !input.edit) { beginEdit(shownPosition()); showBoard(); } else if (!byId("set-up").open && input.edit) { input.edit = null; announce(noWords); draw(); } });
for (const [id, act] of Object.entries({ file: openFile, "problem-file": openProblems, "own-file": importGames })) {
  byId(id).addEventListener("change", () => { const [file] = byId(id).files; if (file) act(file); byId(id).value = ""; });
}
byId("comment").addEventListener("input", () => {
  for (const node of [commented, ...twinsOf(commented)]) node.comment = byId("comment").value;
  keepGame();
});
byId("comment").addEventListener("blur", () => { if (commented !== here) showComment(); });
byId("comment").addEventListener("change", () => { draw(); if (mode === "play" && match?.over) keepOwn(); else if (mode === "analyze") keepStudied(); });
byId("about").addEventListener("toggle", () => byId("about").scrollIntoView({ block: "nearest" }));
followGraph(scaleOfLine, (ply) => goTo(shownLineOfGame()[ply]));
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = byId("typed-move").value;
  if (!words.trim()) return;
  if (!input.mayMove()) return input.onRefused();
  const found = typedMoves(words);
  if (found.length === 0 && USI_MOVE.test(words.trim())) return input.onIllegal(words.trim(), announceBelow);
  if (!found.length) return announceBelow(text("noSuchMove", words));
  if (found.length > 1) return announceBelow(text("severalMoves", words, found.map(moveText).join(text("comma"))));
  byId("typed-move").value = "";
  makeMove(found[0]);
});

const PROBLEM_KEYS = { PageUp: () => showProblem(solving.at - 1), PageDown: nextProblem };
const KEYS = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, ArrowUp: steps["bad-back"], ArrowDown: steps["bad-forward"], f: steps.flip, Escape: () => lines.shown && showLine(null) };
onKeys(() => ({ ...KEYS, ...(mode === "solve" && PROBLEM_KEYS) }));
// Text is dropped into a field as usual.
const isForField = (event) => !event.dataTransfer.types.includes("Files") && event.target.closest?.("input, textarea");
document.addEventListener("dragover", (event) => { if (!isForField(event)) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  if (isForField(event)) return;
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) openFile(file);
  else if (event.dataTransfer.getData("text")) sendRecord("dropped", new TextEncoder().encode(event.dataTransfer.getData("text")));
});

server.onRecord = openRecord;
// Restarts a search that was lost with the connection.
server.onOpen = () => {
  if (analysis.whole) return searchNext();
  if (mode === "solve" && solving.state === "defending") return askDefence(solving.defended);
  if (mode === "play" && isGameOn() && !start.isOpen && (match.paused !== null || !isPersons(sideToMove(match.at)))) return resumeGame();
  withFacts(here, () => { draw(); onArrival(); });
};
// The answer to a single question is lost.
server.onClose = () => {
  if (mode === "play") pauseGame();
  if (told.tell() === searching() || (mode === "play" && isGameOn() && !isPersons(sideToMove(match.at)))) announce(noWords);
};
addEventListener("pagehide", keepGame);
const FIRST_LEVEL = 5;
const begin = () => {
  let found = null;
  try { found = localStorage.getItem("language"); } catch { /* Browsers may forbid it. */ }
  language = found in TEXTS ? found : (navigator.language || "ja").startsWith("ja") ? "ja" : "en";
  takeLook();
  takeProgress(true);
  buildSquares();
  fillChoices();
  for (const id of ["level", "level-white"]) byId(id).value = FIRST_LEVEL;
  try { takeKept(); } catch { /* The storage is forbidden, or has nothing that this page wrote. */ }
  setLanguage(language);
  showComment();
  showMode();
  if (mode === "solve") openSolving();
  else announce(isStarting() ? startText : idleText);
  fitBoard();
  keepBoardFitted();
  new ResizeObserver(drawGraph).observe(byId("graph"));
  new ResizeObserver(showCurrent).observe(byId("moves"));
  setInterval(tick, TICK);
  connect();
};
begin();
