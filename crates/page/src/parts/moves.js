// The list of moves, and lines whose moves can be seen on the board. A named move is
// { move, japanese, western }, and may have a comment.
addTexts({
  ja: { lineShown: "{0} / {1}手目を表示中", leaveLine: "戻る", addLine: "この手順を加える", variation: "変化" },
  en: { lineShown: "Move {0} of {1} is shown", leaveLine: "Back", addLine: "Add this line", variation: "variation" },
});
// Marks a move with a comment in the record.
const COMMENTED = "※";

// A line is { key, moves, start: the position before its moves }, and what the page adds to it.
// `shown`: the one on the board and its `length` there, or null. `peeked`: the same below the mouse.
// The page sets the rest: what happens when they change, and what adds a line to the record, or null.
const lines = { shown: null, peeked: null, onShow: () => {}, onPeek: () => {}, add: null };
// The keys of lines whose moves are all shown.
const expanded = new Set();
const movesShown = () => (innerWidth < 600 ? 6 : 9);
const namedMoves = ({ pv, pv_japanese, pv_western, comments = [] }) => pv.map((move, at) => ({ move, japanese: pv_japanese[at], western: pv_western[at], comment: comments[at] }));
const lineKey = ({ key, length }) => `line ${key} ${length}`;

// The position that the board shows, and the last move of the line there.
const boardOfLine = () => {
  const line = lines.peeked ?? lines.shown;
  const moves = line?.moves.slice(0, line.length).map(({ move }) => move);
  return line && { position: moves.reduce(play, line.start), lastMove: moves.at(-1) };
};
const showLine = (line) => {
  const before = lines.shown;
  Object.assign(lines, { shown: line, peeked: null });
  input.selected = null;
  closePromotion();
  keepFocus(lines.onShow, ...[line, before].filter(Boolean).map(lineKey));
  if (line) byId("board").scrollIntoView({ block: "nearest", inline: "nearest" });
};
const stepLine = (by) => {
  const { length, moves } = lines.shown;
  showLine(length + by > 0 ? { ...lines.shown, length: Math.min(length + by, moves.length) } : null);
};
// Another position has other lines.
const forgetLines = () => {
  Object.assign(lines, { shown: null, peeked: null });
  expanded.clear();
};

// The moves of a line, as buttons. Below those of the shown one are the ways back and on. `note`
// gives what stands behind a move, `most` is the number of moves at first.
const places = new WeakMap();
const lineMoves = (line, { before = null, after = null, note = () => null, most = movesShown() } = {}) => {
  const { key, moves } = line;
  const shown = lines.shown?.key === key ? lines.shown : null;
  const count = expanded.has(key) || shown?.length > most ? moves.length : Math.min(moves.length, most);
  const button = (named, at) => {
    const place = { ...line, length: at + 1 };
    const node = html("button", { type: "button", "data-key": lineKey(place), "aria-pressed": String(shown?.length === place.length), onclick: () => showLine(place) }, moveText(named) + (named.comment ? COMMENTED : ""));
    places.set(node, place);
    return [node, " ", note(at)];
  };
  const expand = () => { expanded.add(key); keepFocus(lines.onShow, lineKey({ key, length: count + 1 })); };
  const more = moves.length > count ? html("button", { type: "button", class: "more", "aria-label": text("plies", moves.length), onclick: expand }, `… +${moves.length - count}`) : null;
  return [html("div", { class: "pv" }, before, ...moves.slice(0, count).flatMap(button), more, after), ...(shown ? [wayBack(shown)] : [])];
};
const wayBack = ({ length, moves }) => html("div", { class: "way-back" }, html("span", { role: "status" }, text("lineShown", length, moves.length)),
  html("button", { type: "button", "data-key": "leave", onclick: () => showLine(null) }, text("leaveLine")),
  lines.add ? html("button", { type: "button", "data-key": "add", onclick: () => lines.add(lines.shown) }, text("addLine")) : null);
// A line with its value.
const lineRow = (line, { value, win, ...more }) => html("div", { class: "line" }, value === null ? null : html("div", { class: "value" }, value, html("span", { class: "win" }, percentText(win))), ...lineMoves(line, more));
// The lines of an engine below its name and facts.
const engineBlock = (name, facts, rows) => html("div", { class: "engine" }, html("div", { class: "head" }, ...name, html("span", {}, facts.filter(Boolean).join(" · "))), ...rows);

// The mouse needs no click. Only its moves count: a line that is drawn anew below it is no move, and a
// piece that it carries goes by.
document.addEventListener("pointermove", ({ pointerType, buttons, target }) => {
  const place = pointerType === "mouse" && !buttons ? places.get(target) ?? null : null;
  if (place === lines.peeked) return;
  lines.peeked = place;
  lines.onPeek();
});

// A sentence that tells why a move is bad, in the chosen notation. Runs of older programs have it in
// that of the language. The moves of its line stand below it, and not in it too.
const toldReason = (reason) => {
  const isWestern = notationShown() === "western";
  const [own, other] = language === "ja" ? ["japanese", "japanese_western"] : ["english", "english_kanji"];
  const words = isWestern === (language === "en") ? reason[own] : reason[other] || reason[own];
  const [names, between] = isWestern ? [reason.pv_western, " "] : [reason.pv_japanese, ""];
  const shortened = (line) => [...line.slice(0, 9), ...(line.length > 9 ? ["…"] : [])].join(between);
  const told = [0, 1].filter((from) => names.length > from).reduce((rest, from) => rest.replace(`: ${shortened(names.slice(from))}`, ""), words);
  return notationShown() === "arabic" ? inDigits(told) : told;
};
// A reason below its label, and the line that shows it.
const reasonNodes = (label, reason, line) => [html("p", { class: "reason", role: "status" }, html("b", {}, label), " ", toldReason(reason)), ...(reason.pv.length ? lineMoves({ ...line, moves: namedMoves(reason) }) : [])];

// A move with its mark, above what is said of it.
const verdictHead = (ply, named, mark, ...notes) => html("div", { class: "head" }, html("small", {}, text("ply", ply)), moveText(named),
  mark ? html("span", { class: `badge ${mark}` }, `${GLYPHS[mark]} ${text(mark)}`) : null, ...notes.filter(Boolean).map((note) => html("small", {}, note)));

// The list. A step is { key, ply, named, mark, comment, milliseconds, value, isHere, go, branches },
// where a branch is a list of steps that begins with another move in its place.
const moveButton = ({ key, ply, named, mark, comment, milliseconds, value, isHere, go }) => html("button", { type: "button", "data-key": key, "aria-current": isHere ? "true" : null, onclick: go },
  html("span", { class: "number" }, String(ply)), html("span", {}, moveText(named)), mark ? html("span", { class: `mark ${mark}`, title: text(mark) }, GLYPHS[mark]) : null,
  comment ? html("span", { class: "commented", title: text("comment") }, COMMENTED) : null,
  milliseconds ? html("span", { class: "time" }, secondsText(milliseconds)) : null, value ? html("span", { class: "value" }, value) : null);
// A variation in one row, with its own variations within.
const branchItem = (steps) => {
  const inner = steps.flatMap(({ branches }) => branches.map(branchItem));
  return html("li", { class: "branch", "aria-label": text("variation") }, html("div", {}, ...steps.map(moveButton)), inner.length ? html("ol", {}, ...inner) : null);
};
// In two columns White's moves stand in the second. `branches`: those of a game without moves.
const drawMoveList = (steps, end, whiteBegins, branches = []) => {
  const items = [...steps.flatMap((step, at) => [html("li", { class: (at % 2 === 1) !== whiteBegins ? "white" : null }, moveButton(step)), ...step.branches.map(branchItem)]), ...branches.map(branchItem)];
  if (end) items.push(html("li", { class: "end" }, end));
  byId("moves").parentElement.hidden = items.length === 0;
  byId("moves").replaceChildren(...items);
  showCurrent();
};
// Brings the current move into the list's view; the page stays.
const showCurrent = () => {
  const list = byId("moves");
  const current = list.querySelector("[aria-current]");
  if (!current) list.scrollTop = 0;
  else if (current.offsetTop < list.scrollTop + 24 || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight - 24) list.scrollTop = current.offsetTop - list.clientHeight / 2;
};
