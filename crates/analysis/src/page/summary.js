// How the players played in the game and in its phases, and how much their moves lost.
const PHASES = ["opening", "middle_game", "end_game"];
const HISTOGRAM = { width: 420, height: 150, bottom: 32, top: 18 };

// A row for each side of each engine.
const sideRows = (cellsOf) => report.summary.flatMap((summary, engine) => ["black", "white"].map((side) => {
  const name = html("td", {}, report.engines.length > 1 ? dot(engine) : null, `${MARKS[side]}${playerName(side)}`,
    report.engines.length > 1 ? html("small", {}, ` (${summary.engine})`) : null);
  return html("tr", {}, name, ...cellsOf(summary[side]).map((cell) => html("td", {}, cell)));
}));
const headCells = (keys) => keys.map((key) => html("th", { scope: "col" }, text(key)));

const gameTable = () => {
  const glyphs = Object.entries(GLYPHS).map(([mark, glyph]) => html("th", { scope: "col", title: text(mark) }, html("span", { class: `mark ${mark}` }, glyph)));
  const cells = (facts) => [accuracyText(facts), `${facts.best_moves} / ${facts.judged}`, facts.mean_loss === null ? "–" : percentText(facts.mean_loss, 1),
    ...[facts.inaccuracies, facts.mistakes, facts.blunders].map(String)];
  return table([...headCells(["player", "accuracy", "bestMoves", "meanLoss"]), ...glyphs], sideRows(cells));
};

const phaseTable = () => table(headCells(["phaseAccuracy", ...PHASES]), sideRows(({ phases }) => PHASES.map((phase) => {
  const { judged } = phases[phase];
  return judged === 0 ? "–" : `${accuracyText(phases[phase])} (${judged})`;
})));

// Number of moves in each class of losses: a bar for Black and one for White.
const histogram = ({ engine, black, white }) => {
  const { width, height, bottom, top } = HISTOGRAM;
  const sides = { black: black.losses, white: white.losses };
  const most = Math.max(1, ...Object.values(sides).flat().map(({ moves }) => moves));
  const room = width / black.losses.length;
  const base = height - bottom;
  const bar = (side, at) => {
    const { moves } = sides[side][at];
    const high = (moves / most) * (base - top);
    const x = at * room + (side === "black" ? 0.12 : 0.5) * room;
    return [svg("rect", { x, y: base - high, width: 0.38 * room, height: high, class: side }),
      moves > 0 ? svg("text", { x: x + 0.19 * room, y: base - high - 4 }, String(moves)) : null];
  };
  const nodes = black.losses.flatMap(({ from }, at) => [...bar("black", at), ...bar("white", at),
    svg("text", { x: (at + 0.5) * room, y: base + 14 }, at === 0 ? "0%" : `${exactPercentText(from)}–`)]);
  const counted = Object.entries(sides).map(([side, losses]) => `${playerName(side)} ${losses.map(({ from, moves }) => `${exactPercentText(from)} ${moves}`).join(", ")}`);
  const label = `${text("lossesLabel")}: ${counted.join("; ")}`;
  return html("figure", {}, html("figcaption", {}, report.engines.length > 1 ? `${text("lossesLabel")} (${engine})` : text("lossesLabel")),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "histogram" },
      svg("line", { x1: 0, x2: width, y1: base, y2: base }), ...nodes, svg("text", { x: width / 2, y: height - 4 }, text("lossesAxis"))));
};

// The castles of each side, in the order in which they were built.
const castleLines = () => ["black", "white"].flatMap((side) => {
  const built = report.game.castles.filter((castle) => castle.side === side);
  return built.length ? [html("p", {}, `${MARKS[side]}${playerName(side)}: ${built.map((castle) => `${nameText(castle)} (${text("ply", castle.ply)})`).join(" → ")}`)] : [];
});

const drawSummary = () => {
  const openings = report.game.openings.map(formationText).join(" ");
  byId("summary").replaceChildren(...(openings ? [html("p", {}, openings)] : []), ...castleLines(), gameTable(), phaseTable(), ...report.summary.map(histogram));
};
