// The card over the board that begins a game, and games that follow another one.
// `sfen`: of a position on the analysis board that is in no record, or null.
const start = { isOpen: false, sfen: null };
const isStarting = () => mode === "play" && (start.isOpen || !match);

// The first position of the next game: that of the handicap, or the one on the analysis board.
const analysisSfen = () => { const shown = allScreens().analyze; return start.sfen ?? (shown ? sfenAt(shown) : null); };
const sfenAt = ({ game: { start: first }, here: node }) => node.facts?.sfen ?? sfenOf(movesTo(node).reduce(play, positionOf(first)), plyOf(node) + 1);
const chosenHandicap = () => settings.handicaps[Number(byId("handicap").value) || 0].sfen;
const chosenStart = () => (byId("start-at").value === "analysis" ? analysisSfen() : null) ?? chosenHandicap();

const startText = () => text(isGameOn() ? "beginEnds" : "chooseGame");
const openStart = () => {
  start.isOpen = true;
  leavePosition();
  // A game that goes on waits below the card, until another one begins.
  endSearches();
  pauseGame();
  announce(startText);
  fillStarts();
  fillSides();
  draw();
  showBoard();
  [...byId("start").querySelectorAll("[type=range], select")].find((node) => node.checkVisibility()).focus({ preventScroll: true });
};
const hideStart = () => Object.assign(start, { isOpen: false, sfen: null });
// The next game begins at the start again.
const endStart = () => {
  hideStart();
  byId("start-at").value = "start";
};
const closeStart = () => {
  endStart();
  arrive(false);
  draw();
};
// Against Kiki (`kiki`), two persons (`both`), or Kiki against itself (`watch`).
const kindOfGame = () => document.querySelector("[name=kind]:checked").value;
const setKind = (kind) => { document.querySelector(`[name=kind][value="${kind}"]`).checked = true; };
// A level with a word for its quarter of the scale.
const levelChoice = (level) => (level === settings.levels ? text("strongest", level) : `${text("levelName", level)} · ${text("levelWords")[Math.floor((4 * level) / settings.levels)]}`);
const drawStart = () => {
  const isOpen = isStarting();
  byId("start").hidden = !isOpen;
  byId("start-close").hidden = !match;
  byId("start-close").textContent = text(isGameOn() ? "toGame" : "close");
  byId("squares").inert = isOpen;
  const kind = kindOfGame();
  for (const id of ["level", "level-white"]) byId(`${id}-name`).textContent = levelChoice(Number(byId(id).value));
  byId("level-of").textContent = kind === "watch" ? sideName("black", chosenStart()) : text("level");
  byId("level-of-white").textContent = sideName("white", chosenStart());
  byId("level").parentElement.hidden = kind === "both";
  byId("level-white").parentElement.hidden = kind !== "watch";
  byId("side").parentElement.hidden = kind !== "kiki";
  byId("clock").parentElement.hidden = kind === "watch";
  // What is hidden is not checked.
  byId("own-clock").disabled = byId("own-clock").hidden = byId("clock").value !== "own" || kind === "watch";
  byId("handicap").disabled = byId("start-at").value === "analysis";
};
const fillStarts = () => {
  const chosen = byId("start-at").value;
  const isKnown = analysisSfen() !== null;
  byId("start-at").replaceChildren(html("option", { value: "start" }, text("startPosition")), html("option", { value: "analysis", disabled: !isKnown }, text("analysisPosition")));
  byId("start-at").value = chosen === "analysis" && isKnown ? chosen : "start";
};
// The sides have the names of the chosen handicap.
const fillSides = () => {
  const sfen = chosenStart();
  const chosen = byId("side").value || "black";
  byId("side").replaceChildren(...["black", "white", "random"].map((value) => html("option", { value }, SIDES.includes(value) ? sideName(value, sfen) : text(value))));
  byId("side").value = chosen;
};

// The levels of both sides, null for a person. `side` is that of the reader against Kiki.
const chosenLevels = (side) => {
  const [level, white] = ["level", "level-white"].map((id) => Number(byId(id).value));
  const kind = kindOfGame();
  if (kind === "both") return { black: null, white: null };
  if (kind === "watch") return { black: level, white };
  return { black: level, white: level, [side]: null };
};
const isRandomSide = () => kindOfGame() === "kiki" && byId("side").value === "random";
const beginChosen = () => beginGame(chosenLevels(isRandomSide() ? SIDES[Math.floor(2 * Math.random())] : byId("side").value), chosenStart());
const playedClock = () => clockIn(game.head.time_control ?? "");
const rematch = () => beginGame({ black: match.levels.white, white: match.levels.black }, game.start, playedClock());
const rematchSame = () => beginGame(match.levels, game.start, playedClock());
// The position of the analysis becomes a game; the side to move is the reader's.
const playHere = () => {
  if (input.edit) return announce(() => text("useFirst"));
  const [sfen, side] = [shownSfen(), shownPosition().blackToMove ? "black" : "white"];
  setMode("play");
  start.sfen = sfen;
  fillStarts();
  byId("start-at").value = "analysis";
  openStart();
  byId("side").value = side;
  draw();
};

for (const id of ["level", "level-white"]) byId(id).addEventListener("input", draw);
for (const node of [byId("side"), ...document.querySelectorAll("[name=kind]")]) node.addEventListener("change", draw);
for (const id of ["start-at", "handicap"]) byId(id).addEventListener("change", () => { fillSides(); draw(); });
byId("start").addEventListener("keydown", (event) => { if (event.key === "Escape" && match) closeStart(); });
