// The graph of the game, and the time of each move.
// The size in the window; a fixed one on paper.
const PAPER = { clientWidth: 680, clientHeight: 190 };
let isOnPaper = false;
const scaleOfGame = () => graphScale(isOnPaper ? PAPER : byId("graph"), report.positions.length);
const chances = report.engines.map((_, engine) => report.positions.map((_, ply) => winAt(ply, engine)));
const marksOf = (engine) => report.positions.map((_, ply) => markBefore(ply, engine));

const drawGraph = (state) => {
  const scale = scaleOfGame();
  drawChances(scale, {
    points: chances, marks: marksOf(state.engine), engine: state.engine, ply: state.ply, centipawns: report.thresholds.scale,
    describe: (here) => `${text("ply", state.ply)}, ${text("winBlack")} ${here ? percentText(here.win) : "–"}`,
  });
  if (scale.width > 0) drawTimes(scale, state);
};

// The time of each move, if recorded: Black's bars go up, White's down.
const TIMES = { height: 72, most: 30 };
const moveTimes = report.positions.map((_, ply) => (ply > 0 ? report.positions[ply - 1].played.milliseconds : null) ?? 0);
const longestTime = Math.max(...moveTimes);

const drawTimes = (scale, state) => {
  const times = byId("times");
  times.style.display = longestTime > 0 ? "" : "none";
  if (longestTime === 0) return;
  const middle = TIMES.height / 2;
  times.setAttribute("viewBox", `0 0 ${scale.width} ${TIMES.height}`);
  times.setAttribute("aria-label", text("timesLabel", secondsText(longestTime), moveTimes.indexOf(longestTime)));
  const width = Math.max(((scale.right - FRAME.left) / scale.last) * 0.7, 1.2);
  const bar = (time, ply) => {
    if (time === 0) return [];
    const [height, isBlack] = [(time / longestTime) * TIMES.most, isBlackToMove(ply - 1)];
    return [svg("rect", { x: scale.x(ply) - width / 2, y: isBlack ? middle - height : middle, width, height, fill: ply === state.ply ? "var(--accent)" : "var(--soft)", opacity: ply === state.ply || isBlack ? 0.85 : 0.5 })];
  };
  const side = (mark, y) => svg("text", { x: scale.right + 5, y }, mark);
  times.replaceChildren(svg("line", { x1: FRAME.left, x2: scale.right, y1: middle, y2: middle, stroke: "var(--edge)", "stroke-width": 1 }),
    svg("text", { x: FRAME.left - 5, y: middle - TIMES.most + 4, "text-anchor": "end" }, secondsText(longestTime)),
    side("☗", middle - 10), side("☖", middle + 18), ...moveTimes.flatMap(bar));
};
