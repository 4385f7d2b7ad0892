// The list of moves with the variations of the record, and what the numbers mean.

// A variation of the record as steps of the list. Its line begins at a move of the game: those within
// it repeat the moves before them.
const branchOf = (ply, variation, key, before = []) => {
  const own = namedMoves({ pv: variation.moves, pv_japanese: variation.moves_japanese, pv_western: variation.moves_western, comments: variation.comments });
  const line = lineAt(ply, `record ${ply} ${key}`, [...before, ...own], { isRecord: true });
  const inner = variation.variations.map((other, at) => ({ after: other.after, steps: branchOf(ply, other, `${key} ${at}`, line.moves.slice(0, before.length + other.after)) }));
  return own.map((named, at) => {
    const place = { ...line, length: before.length + at + 1 };
    const go = () => { if (state.ply !== ply) show({ ply }); showLine(place); };
    const isHere = Boolean(lines.shown) && lineKey(lines.shown) === lineKey(place);
    return { key: lineKey(place), ply: ply + place.length, named, comment: named.comment, isHere, go, branches: inner.filter(({ after }) => after === at || (at === own.length - 1 && after === own.length)).map(({ steps }) => steps) };
  });
};

const drawMoves = ({ ply: here, engine }) => {
  const others = (ply) => report.positions[ply].variations.map((variation, index) => branchOf(ply, variation, index));
  const steps = report.positions.slice(1).map((position, at) => {
    const [ply, before] = [at + 1, report.positions[at]];
    const search = position.searches[engine];
    return {
      key: `move ${ply}`, ply, named: before.played, mark: markBefore(ply, engine), comment: commentAt(ply), milliseconds: before.played.milliseconds,
      value: search?.value ? valueText(search.value, isBlackToMove(ply)) : null, isHere: ply === here && !lines.shown?.isRecord, go: () => show({ ply }),
      // What might have followed the last move stands after it.
      branches: [...others(at), ...(ply === lastPly ? others(ply) : [])],
    };
  });
  const { outcome, reason, remark } = report.game;
  const result = RESULTS[outcome];
  drawMoveList(steps, [result ? text(result) : "", reason ? text("reasons")[reason] : "", remark].filter(Boolean).join(" · "), !isBlackToMove(0));
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
