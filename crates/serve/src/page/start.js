// The card over the board that begins a game, and games that follow another one.
const start = { isOpen: false };
const isStarting = () => mode === "play" && (start.isOpen || !match);

// The first position of the next game: that of the handicap, or the one on the analysis board.
const analysisSfen = () => { const shown = allScreens().analyze; return shown ? sfenAt(shown) : null; };
const sfenAt = ({ game: { start: first }, here: node }) => node.facts?.sfen ?? sfenOf(movesTo(node).reduce(play, positionOf(first)), plyOf(node) + 1);
const chosenHandicap = () => settings.handicaps[Number(byId("handicap").value) || 0].sfen;
const chosenStart = () => (byId("start-at").value === "analysis" ? analysisSfen() : null) ?? chosenHandicap();

const openStart = () => {
  start.isOpen = true;
  closePromotion();
  input.selected = null;
  hintMove = null;
  announce(text("chooseGame"));
  fillStarts();
  fillSides();
  draw();
  showBoard();
  byId("level").focus({ preventScroll: true });
};
const closeStart = () => {
  start.isOpen = false;
  arrive(false);
  draw();
};
const drawStart = () => {
  const isOpen = isStarting();
  byId("start").hidden = !isOpen;
  byId("start-close").hidden = !match;
  byId("squares").inert = isOpen;
  byId("level-name").textContent = text(Number(byId("level").value) === settings.levels ? "strongest" : "levelName", byId("level").value);
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
  byId("side").replaceChildren(...["black", "white", "random"].map((value) => html("option", { value }, value === "random" ? text("random") : sideName(value, sfen))));
  byId("side").value = chosen;
};

const beginChosen = () => {
  const side = byId("side").value;
  beginGame(side === "random" ? (Math.random() < 0.5 ? "black" : "white") : side, chosenStart());
};
const rematch = () => beginGame(otherSide(match.human), game.start);
// Another game while one goes on takes two presses.
const newMatch = () => {
  if (match && !match.over) {
    if (!isSure("new")) return announce(text("newAgain"));
    endGame(null, "interrupted");
  }
  openStart();
};
// The position of the analysis becomes a game; the side to move is the reader's.
const playHere = () => {
  if (input.edit) return announce(text("useFirst"));
  if (screens.play && match && !match.over && !isSure("here")) return announce(text("newAgain"));
  const side = sideToMove(here);
  setMode("play");
  if (match && !match.over) endGame(null, "interrupted");
  fillStarts();
  byId("start-at").value = "analysis";
  openStart();
  byId("side").value = side;
  draw();
};

byId("level").addEventListener("input", drawStart);
for (const id of ["start-at", "handicap"]) byId(id).addEventListener("change", () => { fillSides(); draw(); });
byId("start").addEventListener("keydown", (event) => { if (event.key === "Escape" && match) closeStart(); });
