// Black's winning probability over the game: a line for each engine, and a band if the engine
// reports sigma.
const FRAME = { left: 36, right: 40, top: 6, bottom: 18 };
const CENTIPAWN_TICKS = [1500, 600, 0, -600, -1500];

// The size in the window; a fixed one on paper.
const PAPER = { clientWidth: 680, clientHeight: 190 };
let isOnPaper = false;

const graphScale = () => {
  const { clientWidth: width, clientHeight: height } = isOnPaper ? PAPER : byId("graph");
  const last = Math.max(report.positions.length - 1, 1);
  const [spanX, spanY] = [Math.max(width - FRAME.left - FRAME.right, 1), Math.max(height - FRAME.top - FRAME.bottom, 1)];
  return {
    width, height, last, bottom: FRAME.top + spanY, right: FRAME.left + spanX,
    x: (ply) => FRAME.left + (ply / last) * spanX,
    y: (win) => FRAME.top + (1 - win) * spanY,
    ply: (x) => Math.round(Math.min(Math.max((x - FRAME.left) / spanX, 0), 1) * (report.positions.length - 1)),
  };
};

const drawGraph = (state) => {
  const scale = graphScale();
  const graph = byId("graph");
  if (scale.width === 0) return;
  graph.setAttribute("viewBox", `0 0 ${scale.width} ${scale.height}`);
  graph.setAttribute("aria-label", text("graphLabel"));
  graph.setAttribute("aria-valuemin", 0);
  graph.setAttribute("aria-valuemax", report.positions.length - 1);
  graph.setAttribute("aria-valuenow", state.ply);
  const here = winAt(state.ply, state.engine);
  graph.setAttribute("aria-valuetext", `${text("ply", state.ply)}, ${text("winBlack")} ${here ? percentText(here.win) : "–"}`);
  const others = report.engines.map((_, engine) => engine).filter((engine) => engine !== state.engine);
  const nodes = [...axes(scale)];
  for (const engine of others) nodes.push(...series(scale, engine, false));
  nodes.push(...series(scale, state.engine, true), ...marks(scale, state.engine), ...cursor(scale, state));
  graph.replaceChildren(...nodes);
  drawTimes(scale, state);
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

const axes = (scale) => {
  const { bottom, right } = scale;
  const nodes = [
    svg("rect", { x: FRAME.left, y: FRAME.top, width: right - FRAME.left, height: bottom - FRAME.top, fill: "var(--ground)", rx: 3 }),
  ];
  for (const win of [0, 0.25, 0.5, 0.75, 1]) {
    const y = scale.y(win);
    nodes.push(svg("line", { x1: FRAME.left, x2: right, y1: y, y2: y, stroke: "var(--edge)", "stroke-width": win === 0.5 ? 1.6 : 0.8 }));
    nodes.push(svg("text", { x: FRAME.left - 5, y: y + 3.5, "text-anchor": "end" }, percentText(win)));
  }
  for (const centipawns of CENTIPAWN_TICKS) {
    const label = centipawns > 0 ? `+${centipawns}` : String(centipawns).replace("-", "−");
    nodes.push(svg("text", { x: right + 5, y: scale.y(logistic(centipawns)) + 3.5 }, label));
  }
  const every = [1, 2, 5, 10, 20, 50, 100, 200].find((step) => (step / scale.last) * (right - FRAME.left) >= 34) || 500;
  for (let ply = 0; ply < report.positions.length; ply += every) {
    nodes.push(svg("text", { x: scale.x(ply), y: bottom + 13, "text-anchor": "middle" }, String(ply)));
  }
  return nodes;
};

// Runs of neighbouring positions that `known` accepts.
const runs = (engine, known) => {
  const found = [];
  let run = [];
  report.positions.forEach((_, ply) => {
    const point = winAt(ply, engine);
    if (known(point)) run.push({ ply, ...point });
    else if (run.length) { found.push(run); run = []; }
  });
  return run.length ? [...found, run] : found;
};

const series = (scale, engine, isSelected) => {
  const color = `var(--engine-${engine % 4})`;
  const at = (ply, win) => `${scale.x(ply).toFixed(1)} ${scale.y(win).toFixed(1)}`;
  const nodes = [];
  for (const run of runs(engine, (point) => point !== null && point.low !== null)) {
    const edge = [...run.map((point) => at(point.ply, point.high)), ...run.slice().reverse().map((point) => at(point.ply, point.low))];
    nodes.push(svg("path", { d: `M${edge.join("L")}Z`, fill: color, stroke: color, "stroke-width": run.length > 1 ? 0 : 6, opacity: isSelected ? 0.26 : 0.13, class: "band" }));
  }
  for (const run of runs(engine, (point) => point !== null)) {
    const line = run.map((point) => at(point.ply, point.win)).join("L");
    if (isSelected) {
      nodes.push(svg("path", { d: `M${at(run[0].ply, 0.5)}L${line}L${at(run[run.length - 1].ply, 0.5)}Z`, fill: color, opacity: 0.1 }));
    }
    nodes.push(svg("path", { d: `M${line}`, fill: "none", stroke: color, "stroke-width": isSelected ? 2.2 : 1.5, "stroke-linejoin": "round", "stroke-linecap": "round", opacity: isSelected ? 1 : 0.75, class: "series" }));
    if (run.length === 1) nodes.push(svg("circle", { cx: scale.x(run[0].ply), cy: scale.y(run[0].win), r: 3, fill: color }));
  }
  return nodes;
};

const marks = (scale, engine) => {
  const nodes = [];
  report.positions.forEach((_, ply) => {
    const mark = markBefore(ply, engine);
    const point = mark ? winAt(ply, engine) ?? winAt(ply - 1, engine) : null;
    if (!point) return;
    const radius = { inaccuracy: 2.8, mistake: 3.8, blunder: 4.8 }[mark];
    nodes.push(svg("circle", { cx: scale.x(ply), cy: scale.y(point.win), r: radius, fill: `var(--${mark})`, stroke: "var(--card)", "stroke-width": 1.2, class: `mark-${mark}` }));
  });
  return nodes;
};

const cursor = (scale, state) => {
  const x = scale.x(state.ply);
  const point = winAt(state.ply, state.engine);
  const line = svg("line", { x1: x, x2: x, y1: FRAME.top, y2: scale.bottom, stroke: "var(--text)", "stroke-width": 1.2, opacity: 0.65 });
  if (!point) return [line];
  return [line, svg("circle", { cx: x, cy: scale.y(point.win), r: 4.5, fill: "var(--card)", stroke: "var(--text)", "stroke-width": 2 })];
};
