// Black's winning probability along a line of positions: a line for each engine, a band if the
// engine reports sigma, and marks at bad moves.
const FRAME = { left: 36, right: 40, top: 6, bottom: 18 };
const CENTIPAWN_TICKS = [1500, 600, 0, -600, -1500];

const winOfCentipawns = (centipawns, scale) => 1 / (1 + Math.exp(-centipawns / scale));

// `count`: the number of positions.
const graphScale = ({ clientWidth: width, clientHeight: height }, count) => {
  const last = Math.max(count - 1, 1);
  const [spanX, spanY] = [Math.max(width - FRAME.left - FRAME.right, 1), Math.max(height - FRAME.top - FRAME.bottom, 1)];
  return {
    width, height, count, last, bottom: FRAME.top + spanY, right: FRAME.left + spanX,
    x: (ply) => FRAME.left + (ply / last) * spanX,
    y: (win) => FRAME.top + (1 - win) * spanY,
    ply: (x) => Math.round(Math.min(Math.max((x - FRAME.left) / spanX, 0), 1) * (count - 1)),
  };
};

// `points`: for each engine and position { win, low, high } or null; `low` and `high` are null
// without sigma. `marks`: for each position the mark of the move before it, or null. `engine`: the
// selected one. `centipawns`: those that stand for odds of e to 1.
const drawChances = (scale, { points, marks, engine, ply, centipawns, describe }) => {
  const graph = byId("graph");
  if (scale.width === 0) return;
  const here = points[engine][ply];
  const facts = { viewBox: `0 0 ${scale.width} ${scale.height}`, "aria-label": text("graphLabel"), "aria-valuemin": 0, "aria-valuemax": scale.count - 1, "aria-valuenow": ply, "aria-valuetext": describe(here) };
  for (const [name, value] of Object.entries(facts)) graph.setAttribute(name, value);
  const others = points.flatMap((line, index) => (index === engine ? [] : series(scale, line, index, false)));
  graph.replaceChildren(...axes(scale, centipawns), ...others, ...series(scale, points[engine], engine, true), ...markShapes(scale, points[engine], marks), ...cursor(scale, ply, here));
};

const axes = (scale, centipawns) => {
  const { bottom, right } = scale;
  const nodes = [
    svg("rect", { x: FRAME.left, y: FRAME.top, width: right - FRAME.left, height: bottom - FRAME.top, fill: "var(--ground)", rx: 3 }),
  ];
  for (const win of [0, 0.25, 0.5, 0.75, 1]) {
    const y = scale.y(win);
    nodes.push(svg("line", { x1: FRAME.left, x2: right, y1: y, y2: y, stroke: "var(--edge)", "stroke-width": win === 0.5 ? 1.6 : 0.8 }));
    nodes.push(svg("text", { x: FRAME.left - 5, y: y + 3.5, "text-anchor": "end" }, percentText(win)));
  }
  for (const value of CENTIPAWN_TICKS) {
    const label = value > 0 ? `+${value}` : String(value).replace("-", "−");
    nodes.push(svg("text", { x: right + 5, y: scale.y(winOfCentipawns(value, centipawns)) + 3.5 }, label));
  }
  const every = [1, 2, 5, 10, 20, 50, 100, 200].find((step) => (step / scale.last) * (right - FRAME.left) >= 34) || 500;
  for (let ply = 0; ply < scale.count; ply += every) {
    nodes.push(svg("text", { x: scale.x(ply), y: bottom + 13, "text-anchor": "middle" }, String(ply)));
  }
  return nodes;
};

// Runs of neighbouring points that `isKnown` accepts.
const runs = (points, isKnown) => {
  const found = [];
  let run = [];
  points.forEach((point, ply) => {
    if (isKnown(point)) run.push({ ply, ...point });
    else if (run.length) { found.push(run); run = []; }
  });
  return run.length ? [...found, run] : found;
};

const series = (scale, points, engine, isSelected) => {
  const color = `var(--engine-${engine % 4})`;
  const at = (ply, win) => `${scale.x(ply).toFixed(1)} ${scale.y(win).toFixed(1)}`;
  const nodes = [];
  for (const run of runs(points, (point) => point !== null && point.low !== null)) {
    const edge = [...run.map((point) => at(point.ply, point.high)), ...run.slice().reverse().map((point) => at(point.ply, point.low))];
    nodes.push(svg("path", { d: `M${edge.join("L")}Z`, fill: color, stroke: color, "stroke-width": run.length > 1 ? 0 : 6, opacity: isSelected ? 0.26 : 0.13, class: "band" }));
  }
  for (const run of runs(points, (point) => point !== null)) {
    const line = run.map((point) => at(point.ply, point.win)).join("L");
    if (isSelected) {
      nodes.push(svg("path", { d: `M${at(run[0].ply, 0.5)}L${line}L${at(run[run.length - 1].ply, 0.5)}Z`, fill: color, opacity: 0.1 }));
    }
    nodes.push(svg("path", { d: `M${line}`, fill: "none", stroke: color, "stroke-width": isSelected ? 2.2 : 1.5, "stroke-linejoin": "round", "stroke-linecap": "round", opacity: isSelected ? 1 : 0.75, class: "series" }));
    if (run.length === 1) nodes.push(svg("circle", { cx: scale.x(run[0].ply), cy: scale.y(run[0].win), r: 3, fill: color }));
  }
  return nodes;
};

const markShapes = (scale, points, marks) => marks.flatMap((mark, ply) => {
  const point = mark ? points[ply] ?? points[ply - 1] : null;
  if (!point) return [];
  const radius = { inaccuracy: 2.8, mistake: 3.8, blunder: 4.8 }[mark];
  return [svg("circle", { cx: scale.x(ply), cy: scale.y(point.win), r: radius, fill: `var(--${mark})`, stroke: "var(--card)", "stroke-width": 1.2, class: `mark-${mark}` })];
});

const cursor = (scale, ply, point) => {
  const x = scale.x(ply);
  const line = svg("line", { x1: x, x2: x, y1: FRAME.top, y2: scale.bottom, stroke: "var(--text)", "stroke-width": 1.2, opacity: 0.65 });
  if (!point) return [line];
  return [line, svg("circle", { cx: x, cy: scale.y(point.win), r: 4.5, fill: "var(--card)", stroke: "var(--text)", "stroke-width": 2 })];
};

// The graph goes where it is touched: a mouse at once, a finger by a tap or a move along the graph.
// A finger across the graph scrolls the page. The graph stays under the finger, whatever grows above.
const TAP = 8;
const isMain = (event) => event.isPrimary && event.button === 0;
const followGraph = (scaleNow, goToPly) => {
  const graph = byId("graph");
  let drawn = null;
  const go = (event) => {
    const { left, top } = graph.getBoundingClientRect();
    goToPly(scaleNow().ply(event.clientX - left));
    scrollBy({ top: graph.getBoundingClientRect().top - top, behavior: "instant" });
  };
  graph.addEventListener("pointerdown", (event) => {
    if (!isMain(event)) return;
    graph.setPointerCapture(event.pointerId);
    drawn = { x: event.clientX, y: event.clientY, along: event.pointerType === "mouse" };
    if (drawn.along) go(event);
  });
  graph.addEventListener("pointermove", (event) => {
    if (!drawn || !event.isPrimary) return;
    const [alongX, alongY] = [Math.abs(event.clientX - drawn.x), Math.abs(event.clientY - drawn.y)];
    if (Math.max(alongX, alongY) >= TAP && alongX > alongY) drawn.along = true;
    if (drawn.along) go(event);
  });
  graph.addEventListener("pointerup", (event) => {
    if (!drawn || !event.isPrimary) return;
    if (drawn.along || Math.hypot(event.clientX - drawn.x, event.clientY - drawn.y) < TAP) go(event);
    drawn = null;
  });
  graph.addEventListener("pointercancel", () => { drawn = null; });
};

const isBadMark = (mark) => ["mistake", "blunder"].includes(mark);
// The nearest position in a direction that follows a mistake or a blunder, or null.
const nearestBad = (marks, ply, by) => {
  for (let at = ply + by; at >= 1 && at < marks.length; at += by) if (isBadMark(marks[at])) return at;
  return null;
};
