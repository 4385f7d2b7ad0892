// What the board says at the end of a game, and when a problem is solved.
// The position whose end the reader has seen and closed.
let seen = null;
const closeBanner = () => { seen = here; draw(); keepGame(); focusSquare(input.cursor); };

// { result, how, buttons: names of texts with what they do }, or null.
const bannerOf = () => {
  if (mode === "play" && match?.over && !start.isOpen && here === match.at) {
    const { outcome, reason } = match.at.ending;
    const won = SIDES.includes(outcome) && [outcome, null].includes(match.human);
    return { won, result: outcome ? endText({ outcome }) : text("gameStopped"), how: [outcome && reason ? text("reasons")[reason] : "", text("plies", plyOf(match.at))].filter(Boolean).join(" · "),
      buttons: { ...(match.human === null ? { anotherGame: rematchSame } : game.start === EVEN ? { rematch, rematchSame } : { rematchSame, rematch }), ...(match.isKept ? {} : { keepIt: keepWatched }), analyzeIt: analyzeGame, saveIt: () => save("kif") } };
  }
  if (mode === "solve" && solving.state === "solved" && here.children.length === 0) {
    return { won: true, result: text("solvedIt"), how: [nameOfSet(progress.set), comesAgain() ? text("againLater") : ""].filter(Boolean).join(" · "), buttons: { nextProblem, again } };
  }
  return null;
};
const drawBanner = () => {
  const banner = bannerOf();
  const node = byId("banner");
  node.hidden = !banner || seen === here;
  if (node.hidden) return;
  node.classList.toggle("won", banner.won);
  // It lies in the half of the board without the king to move.
  const { cells, blackToMove } = shownPosition();
  const king = cells.findIndex((piece) => piece?.kind === "K" && piece.black === blackToMove);
  node.classList.toggle("above", cellAt(king) >= 36);
  byId("banner-result").textContent = banner.result;
  byId("banner-how").textContent = banner.how;
  byId("banner-buttons").replaceChildren(...Object.entries(banner.buttons).map(([name, act], at) => html("button", { type: "button", "data-key": `banner ${name}`, class: at === 0 ? "main" : null, onclick: act }, text(name))));
};
byId("banner-close").addEventListener("click", closeBanner);
byId("banner").addEventListener("keydown", (event) => { if (event.key === "Escape") closeBanner(); });
