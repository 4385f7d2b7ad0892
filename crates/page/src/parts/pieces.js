// The pieces: their shape, and the sets of signs on them.
const KANJI = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "竜" };
const TWO_KANJI = { P: "歩兵", L: "香車", N: "桂馬", S: "銀将", G: "金将", B: "角行", R: "飛車", K: "玉将", "+P": "と金", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "竜馬", "+R": "竜王" };
const SIZES = { P: 0.94, L: 0.96, N: 0.97, S: 0.99, G: 0.99, B: 1.02, R: 1.02, K: 1.04 };
// At size 1 a piece fills 92 parts of a hundred of its square, which is 44 by 48.
const PIECE = { half: 20.2, height: 44.2 };

// Signs of a set, on a piece of size 1 whose middle is 0, 0.
const glyph = (words, y, size, more = {}) => svg("text", { y, "font-size": size, ...more }, words);
const mark = ([along, down], isSlide) => (isSlide
  ? svg("line", { x1: along * 9.5, y1: down * 10 + 4, x2: along * 13.5, y2: down * 15 + 4 })
  : svg("circle", { cx: along * 11.5, cy: Math.max(down, -1.3) * 12.5 + 4, r: 1.9 }));
const SIGNS = {
  one: (kind, black) => [glyph(kind === "K" && !black ? "王" : KANJI[kind], 2.6, 28)],
  two: (kind, black) => [...(kind === "K" && !black ? "王将" : TWO_KANJI[kind])].map((letter, at) => glyph(letter, at ? 11.2 : -6.6, 17.6)),
  // A letter, and how the piece moves: a dot for a step, a dash for a slide.
  letters: (kind) => [glyph(kind.at(-1), 4.4, 18, { class: "letter" }), ...(STEPS[kind] ?? []).map((way) => mark(way, false)), ...(SLIDES[kind] ?? []).map((way) => mark(way, true))],
};
let pieceSet = "one";

// A piece with its bevel and its shadow, as the light comes from above on the left. `turned`: it
// points down.
const pieceShape = (kind, black, { size = 1, turned = false } = {}) => {
  const scale = size * SIZES[kind.replace("+", "")];
  const [half, height] = [PIECE.half, PIECE.height];
  const corners = [[0, -height / 2], [half * 0.78, -height * 0.34], [half, height / 2], [-half, height / 2], [-half * 0.78, -height * 0.34]];
  const points = (found) => found.map((corner) => corner.map((number) => number.toFixed(1)).join()).join(" ");
  const inner = corners.map(([x, y]) => [x * 0.94, y * 0.95]);
  const edge = (name, found) => svg("polyline", { class: name, points: points(found.map((at) => inner[at % 5])) });
  const [lit, dim] = turned ? [[1, 2, 3], [3, 4, 5, 6]] : [[3, 4, 5], [5, 6, 7, 8]];
  const turn = `scale(${scale}) rotate(${turned ? 180 : 0})`;
  return svg("g", { class: kind.startsWith("+") ? "piece promoted" : "piece" },
    ...[[0.7, 1.2], [1.3, 2.3]].map(([x, y]) => svg("polygon", { class: "shade", transform: `translate(${x} ${y}) ${turn}`, points: points(corners) })),
    svg("g", { transform: turn }, svg("polygon", { class: turned ? "face turned" : "face", points: points(corners) }), edge("dim", dim), edge("lit", lit), ...SIGNS[pieceSet](kind, black)));
};
const pieceIcon = (kind, black = true, turned = false) => svg("svg", { viewBox: "-22 -24 44 48", "aria-hidden": "true" }, pieceShape(kind, black, { turned }));

// Colours that pieces and board share: gradients, which a style names by their ids.
const gradient = (kind, id, stops, more) => svg(kind, { id, ...more }, ...stops.map(([offset, style]) => svg("stop", { offset, style })));
const face = (id, [first, last]) => gradient("linearGradient", id, [[0, `stop-color:var(--piece-${first})`], [0.55, "stop-color:var(--piece)"], [1, `stop-color:var(--piece-${last})`]], { x1: 0.1, y1: 0, x2: 0.6, y2: 1 });
const grain = (id, width, stops) => gradient("linearGradient", id, stops.map(([offset, opacity]) => [offset, `stop-color:var(--grid);stop-opacity:${opacity}`]), { gradientUnits: "userSpaceOnUse", x1: 0, x2: width, y1: 0, y2: width / 60, spreadMethod: "repeat" });
if (SVG) {
  document.body.prepend(svg("svg", { class: "defs", "aria-hidden": "true", width: 0, height: 0 },
    face("piece-face", ["light", "dark"]), face("piece-face-turned", ["dark", "light"]),
    grain("grain-fine", 23, [[0, 0], [0.2, 0.1], [0.3, 0.02], [0.62, 0.12], [0.7, 0], [1, 0]]), grain("grain-broad", 157, [[0, 0], [0.3, 0.12], [0.55, 0.03], [0.8, 0.1], [1, 0]]),
    gradient("radialGradient", "check", [[0, "stop-color:var(--check)"], [1, "stop-color:var(--check);stop-opacity:.72"]], {})));
}
