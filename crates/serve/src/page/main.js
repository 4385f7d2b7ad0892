// What the parts of the page do, and how it begins.
const MODES = { play: playModes, analyze: analyzeModes, solve: solveModes };

const setMode = (chosen) => {
  if (chosen === mode) return;
  endSearches();
  if (match && !match.over) endGame(null, "interrupted");
  input.edit = null;
  byId("set-up").open = false;
  drawProblems();
  mode = chosen;
  if (mode !== "play") match = null;
  showMode();
  if (mode === "solve") showProblem(solving.at);
  else { announce(mode === "play" ? text("chooseGame") : ""); withFacts(here, () => { draw(); onArrival(); }); }
};
const showMode = () => {
  Object.assign(input, { selected: null, mayMove: MODES[mode].mayMove, onMove: MODES[mode].onMove });
  hintMove = null;
  for (const name of Object.keys(MODES)) byId(`panel-${name}`).hidden = name !== mode;
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
  const levels = Array.from({ length: settings.levels + 1 }, (_, level) => text(level === settings.levels ? "strongest" : "levelName", level));
  options("level", levels);
  options("handicap", settings.handicaps.map(({ japanese, english }) => (language === "ja" ? japanese : english)));
  options("clock", [...CLOCKS.map(clockName), text("ownClock")], [...CLOCKS.keys(), "own"]);
};
const setLanguage = (chosen) => {
  language = chosen;
  try { localStorage.setItem("language", chosen); } catch { /* The next visit asks the browser again. */ }
  drawLabels();
  fillChoices();
  drawPalette();
  drawProblems();
  byId("facts").textContent = settings.program;
  draw();
};

const save = (form) => {
  showError("");
  ask({ ask: "write", form, record: recordOfGame() }, (reply) => {
    if (reply.is !== "text") return;
    const address = URL.createObjectURL(new Blob([reply.text], { type: "text/plain;charset=utf-8" }));
    html("a", { href: address, download: `kiki.${reply.extension}` }).click();
    URL.revokeObjectURL(address);
    announce(reply.lost.length ? text("lostParts", reply.lost.join(", ")) : "");
  });
};
const copySfen = async () => {
  try { await navigator.clipboard.writeText(here.facts?.sfen ?? sfenOf(shownPosition())); announce(text("copied")); } catch (error) { showError(String(error)); }
};

// A button that makes no sense now does nothing.
const onPress = (id, act) => byId(id).addEventListener("click", () => { if (byId(id).getAttribute("aria-disabled") !== "true") act(); });
const steps = {
  first: () => goTo(game.root), back: () => goTo(here.parent ?? here), forward: () => goTo(here.children[0] ?? here), last: () => goTo(lastOfLine(here)),
  flip: () => { flipped = !flipped; draw(); },
};
for (const [id, act] of Object.entries(steps)) onPress(id, act);
for (const [id, act] of Object.entries({
  "take-back": takeBack, hint: giveHint, declare: () => endGame(match.human, "declaration"), resign: () => endGame(otherSide(match.human), "resignation"),
  engine: toggleEngine, whole: searchWhole, "find-mate": findMate, "open-text": () => sendRecord("pasted", new TextEncoder().encode(byId("pasted").value)),
  "swap-turn": () => { if (input.edit) { input.edit.blackToMove = !input.edit.blackToMove; draw(); } }, "clear-board": () => beginEdit(EMPTY), "even-board": () => beginEdit(positionOf(EVEN)), "use-board": useEdited,
  "problem-back": () => showProblem(solving.at - 1), "problem-next": () => showProblem(solving.at + 1), again: () => showProblem(solving.at), "solve-hint": hintOfProblem, solution: showSolution,
  "copy-sfen": copySfen, remove: () => { const node = here; goTo(node.parent); removeNode(node); draw(); keepGame(); },
})) onPress(id, act);
document.querySelectorAll("[data-form]").forEach((node) => node.addEventListener("click", () => save(node.dataset.form)));
document.querySelectorAll("[data-mode]").forEach((node) => node.addEventListener("click", () => setMode(node.dataset.mode)));
document.querySelectorAll("[data-lang]").forEach((node) => node.addEventListener("click", () => setLanguage(node.dataset.lang)));
byId("new-game").addEventListener("submit", (event) => { event.preventDefault(); beginGame(); });
byId("clock").addEventListener("change", () => { byId("own-clock").hidden = byId("clock").value !== "own"; });
byId("show-thinking").addEventListener("change", draw);
byId("lines").addEventListener("change", followAnalysis);
byId("problem").addEventListener("change", () => showProblem(Number(byId("problem").value)));
byId("set-up").addEventListener("toggle", () => { if (byId("set-up").open && !input.edit) beginEdit(positionAt(here)); else if (!byId("set-up").open && input.edit) { input.edit = null; draw(); } });
byId("file").addEventListener("change", () => { const [file] = byId("file").files; if (file) openFile(file); byId("file").value = ""; });
byId("problem-file").addEventListener("change", () => { const [file] = byId("problem-file").files; if (file) openProblems(file); byId("problem-file").value = ""; });
byId("comment").addEventListener("input", () => { here.comment = byId("comment").value; keepGame(); });
byId("comment").addEventListener("change", draw);
byId("graph").addEventListener("click", (event) => goTo(graphPly(event)));
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = byId("typed-move").value;
  const found = input.mayMove() ? typedMove(words) : [];
  if (found.length !== 1) return announce(text("noSuchMove", words));
  byId("typed-move").value = "";
  makeMove(found[0]);
});

const KEYS = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, f: steps.flip };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS) || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) openFile(file);
  else if (event.dataTransfer.getData("text")) sendRecord("dropped", new TextEncoder().encode(event.dataTransfer.getData("text")));
});

server.onRecord = openRecord;
// A search that the connection has lost begins again.
server.onOpen = () => {
  for (const node of [here, match?.at]) if (node) withFacts(node, draw);
  if (match && !match.over && sideToMove(match.at) !== match.human) nextTurn();
  else onArrival();
};
const FIRST_LEVEL = 5;
const begin = () => {
  let found = null;
  try { found = localStorage.getItem("language"); } catch { /* Browsers may forbid it. */ }
  language = found in TEXTS ? found : (navigator.language || "ja").startsWith("ja") ? "ja" : "en";
  buildSquares();
  const kept = keptGame();
  if (kept) {
    game = gameOfRecord(kept.record);
    mode = kept.mode === "solve" ? "analyze" : kept.mode;
    here = nodeAt(kept.at);
  }
  setLanguage(language);
  byId("level").value = FIRST_LEVEL;
  byId("own-clock").hidden = true;
  byId("comment").value = here.comment;
  announce(mode === "play" ? text("chooseGame") : "");
  showMode();
  fitBoard();
  keepBoardFitted();
  setInterval(tick, TICK);
  connect();
};
begin();
