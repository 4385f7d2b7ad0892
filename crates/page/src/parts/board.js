// The board, the arrows on it, and the pieces in hand.
const CELL = { width: 44, height: 48 };
const EDGE = { left: 8, top: 19, right: 20, bottom: 8 };
const RANKS = { kanji: "一二三四五六七八九", arabic: "123456789", western: "abcdefghi" };
const ranksShown = () => RANKS[notationShown()];

// `tints` maps cells to colours of squares, `dots` are cells with a mark: where the selected piece
// may go. `check`: the square of a king in check, or null.
const drawBoard = (position, { lastMove, arrows, flipped, label, tints = {}, dots = [], check = null }) => {
  const board = byId("board");
  const [width, height] = [EDGE.left + 9 * CELL.width + EDGE.right, EDGE.top + 9 * CELL.height + EDGE.bottom];
  board.setAttribute("viewBox", `0 0 ${width} ${height}`);
  board.setAttribute("aria-label", label);
  const place = (cell) => (flipped ? 80 - cell : cell);
  const left = (cell) => EDGE.left + (place(cell) % 9) * CELL.width;
  const top = (cell) => EDGE.top + Math.floor(place(cell) / 9) * CELL.height;
  const center = (cell) => [left(cell) + CELL.width / 2, top(cell) + CELL.height / 2];
  const square = (cell, color) => svg("rect", { x: left(cell), y: top(cell), width: CELL.width, height: CELL.height, fill: color });
  const wood = (fill) => svg("rect", { class: fill.startsWith("url") ? "grain" : null, width, height, rx: 4, fill });
  const nodes = ["var(--wood)", "url(#grain-broad)", "url(#grain-fine)"].map(wood);
  if (lastMove) {
    const { from, to } = partsOf(lastMove);
    nodes.push(square(to, "var(--last)"));
    if (from !== null) nodes.push(svg("g", { opacity: 0.55 }, square(from, "var(--last)")));
  }
  for (const [cell, color] of Object.entries(tints)) nodes.push(square(Number(cell), color));
  if (check !== null) nodes.push(fill(square(check, "url(#check)"), { class: "check" }, []));
  nodes.push(...gridLines(), ...coordinates(place));
  noteMotion(position, lastMove);
  nodes.push(...fading(center, flipped));
  position.cells.forEach((piece, cell) => {
    if (!piece) return;
    const node = svg("g", { class: motion.away === cell ? "away" : null, transform: `translate(${center(cell).join(" ")})` }, pieceShape(piece.kind, piece.black, { turned: piece.black === flipped }));
    slide(node, cell, center);
    nodes.push(node);
  });
  for (const cell of dots) {
    const [cx, cy] = center(cell);
    nodes.push(svg("circle", position.cells[cell] ? { class: "dot-taking", cx, cy, r: 20.5 } : { class: "dot-free", cx, cy, r: 6.5 }));
  }
  arrows.slice().reverse().forEach((arrow) => nodes.push(arrowShape(arrow, center, position.blackToMove === flipped)));
  board.replaceChildren(...nodes);
};

const gridLines = () => {
  const nodes = [];
  const [right, bottom] = [EDGE.left + 9 * CELL.width, EDGE.top + 9 * CELL.height];
  for (let line = 0; line <= 9; line += 1) {
    const attributes = { stroke: "var(--grid)", "stroke-width": line % 9 ? 0.9 : 1.8 };
    const [x, y] = [EDGE.left + line * CELL.width, EDGE.top + line * CELL.height];
    nodes.push(svg("line", { x1: x, x2: x, y1: EDGE.top, y2: bottom, ...attributes }), svg("line", { x1: EDGE.left, x2: right, y1: y, y2: y, ...attributes }));
  }
  for (const column of [3, 6]) for (const row of [3, 6]) {
    nodes.push(svg("circle", { cx: EDGE.left + column * CELL.width, cy: EDGE.top + row * CELL.height, r: 2.4, fill: "var(--grid)" }));
  }
  return nodes;
};

const coordinates = (place) => {
  const nodes = [];
  for (let line = 0; line < 9; line += 1) {
    const [column, row] = [place(line) % 9, Math.floor(place(line * 9) / 9)];
    nodes.push(svg("text", { class: "coordinate", x: EDGE.left + (column + 0.5) * CELL.width, y: EDGE.top / 2 + 1 }, String(9 - line)));
    nodes.push(svg("text", { class: "coordinate", x: EDGE.left + 9 * CELL.width + EDGE.right / 2, y: EDGE.top + (row + 0.5) * CELL.height }, ranksShown()[line]));
  }
  return nodes;
};

// An arrow, or for a drop the piece that is dropped.
const arrowShape = ({ move, rank }, center, turned) => {
  const { from, to, dropped } = partsOf(move);
  const [x, y] = center(to);
  const opacity = rank === 1 ? 0.85 : 0.38;
  const width = rank === 1 ? 6 : 4;
  if (from === null) {
    return svg("g", { opacity, transform: `translate(${x} ${y})` },
      svg("g", { opacity: 0.8 }, pieceShape(dropped, true, { size: 0.92, turned })),
      svg("circle", { r: 20, fill: "none", stroke: "var(--arrow)", "stroke-width": width - 1 }));
  }
  const [startX, startY] = center(from);
  const length = Math.hypot(x - startX, y - startY);
  const [alongX, alongY] = [(x - startX) / length, (y - startY) / length];
  const head = 2.6 * width;
  const [tipX, tipY] = [x - alongX * 5, y - alongY * 5];
  const [baseX, baseY] = [tipX - alongX * head, tipY - alongY * head];
  const side = 0.62 * head;
  const points = [[tipX, tipY], [baseX - alongY * side, baseY + alongX * side], [baseX + alongY * side, baseY - alongX * side]];
  return svg("g", { opacity },
    svg("line", { x1: startX + alongX * 8, y1: startY + alongY * 8, x2: baseX, y2: baseY, stroke: "var(--arrow)", "stroke-width": width, "stroke-linecap": "round" }),
    svg("polygon", { points: points.map((point) => point.map((number) => number.toFixed(1)).join()).join(" "), fill: "var(--arrow)" }));
};

// The pieces in hand, most valuable first.
const handShape = (hand) => {
  const held = HAND_ORDER.filter((kind) => hand[kind] > 0);
  if (held.length === 0) return html("span", { class: "hand none" }, text("nothingInHand"));
  const piece = (kind) => html("span", {}, pieceIcon(kind), hand[kind] > 1 ? html("b", {}, String(hand[kind])) : null);
  const label = `${text("hand")}: ${held.map((kind) => `${text("pieces")[kind]} ${hand[kind]}`).join(", ")}`;
  return html("span", { class: "hand", role: "img", "aria-label": label }, ...held.map(piece));
};

// The rows above and below the board. `players` has `{ name, notes, hand }` of each side; notes and
// hand are elements. The pieces in hand lie on a stand beside the board where the page has one.
const drawPlayers = (position, flipped, players) => {
  for (const [id, side] of [["far", flipped ? "black" : "white"], ["near", flipped ? "white" : "black"]]) {
    const [node, stand] = [byId(id), byId(`${id}-stand`)];
    const { name, notes, hand } = players[side];
    node.className = (side === "black") === position.blackToMove ? "player turn" : "player";
    node.replaceChildren(html("span", { class: "mark", "aria-hidden": "true" }, side === "black" ? "☗" : "☖"),
      html("span", { class: "name", title: name }, name), ...notes, ...(stand ? [] : [hand ?? handShape(position.hands[side])]));
    stand?.setAttribute("aria-label", `${name} ${text("hand")}${hand ? "" : `: ${text("nothingInHand")}`}`);
    stand?.replaceChildren(...(hand ? [hand] : []));
  }
};
