// The list of moves, and what the numbers mean.
const moveButtons = [];

// Marks a move beside which the record has variations.
const forkShape = () => svg("svg", { viewBox: "0 0 12 12", width: 11, height: 11, "aria-hidden": "true" },
  svg("path", { d: "M1 3h3l3 6h4M4 3h7", fill: "none", stroke: "currentColor", "stroke-width": 1.6 }));

const drawMoves = (state) => {
  const nodes = [];
  moveButtons.length = 0;
  for (let ply = 1; ply < report.positions.length; ply += 1) {
    const mark = markBefore(ply, state.engine);
    const search = report.positions[ply].searches[state.engine];
    const value = search?.value ? valueText(search.value, isBlackToMove(ply)) : "";
    moveButtons[ply] = html("button", { type: "button", "data-key": `move ${ply}`, onclick: () => show({ ply, line: null }) }, html("span", { class: "number" }, String(ply)),
      html("span", {}, moveText(report.positions[ply - 1].played)), mark ? html("span", { class: `mark ${mark}`, title: text(mark) }, GLYPHS[mark]) : null,
      commentAt(ply) ? html("span", { class: "commented", title: text("comment") }, COMMENTED) : null,
      recordLines[ply - 1].length ? html("span", { class: "commented", role: "img", "aria-label": text("variationsLabel"), title: text("variationsLabel") }, forkShape()) : null,
      html("span", { class: "value" }, value));
    // In two columns White's moves stand in the second, even if White begins.
    nodes.push(html("li", { class: ply === 1 && !isBlackToMove(0) ? "skip" : null }, moveButtons[ply]));
  }
  const { outcome, reason, remark } = report.game;
  const result = RESULTS[outcome];
  const end = [result ? text(result) : "", reason ? text("reasons")[reason] : "", remark].filter(Boolean).join(" · ");
  if (end) nodes.push(html("li", { class: "end" }, end));
  byId("moves").replaceChildren(...nodes);
};

// Marks the move of the position. Scrolls the list, not the page.
const pointAtMove = (state) => {
  moveButtons.forEach((node, ply) => {
    if (ply === state.ply) node.setAttribute("aria-current", "true");
    else node.removeAttribute("aria-current");
  });
  const [list, node] = [byId("moves"), moveButtons[state.ply]];
  if (!node) { list.scrollTop = 0; return; }
  const [top, height] = [node.parentElement.offsetTop, node.offsetHeight];
  if (top < list.scrollTop + 24 || top + height > list.scrollTop + list.clientHeight - 24) list.scrollTop = top - list.clientHeight / 2;
};

const drawAbout = () => {
  const engines = report.engines.map((engine, index) => {
    const options = Object.entries(engine.options).map(([name, value]) => `${name}=${value}`).join(", ");
    return html("p", {}, dot(index), ` ${engine.name}: ${engine.id} · ${text("limit")} ${engine.limit_text}${options ? ` · ${options}` : ""}`);
  });
  const paragraphs = [
    ...thresholdTexts(report.thresholds), text("phasesNote"), text("lists"), text("keys"), report.program,
  ];
  byId("about").replaceChildren(...engines, ...paragraphs.map((paragraph) => html("p", {}, paragraph)));
};
