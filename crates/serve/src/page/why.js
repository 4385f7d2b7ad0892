// Why a move is bad, or why a hint is good: a sentence that the engine has proved, and its line.
const LEAST_LOSS = 0.05;

// The winning probability that the move before a position has lost, if both values are known.
const lossOf = (node) => (node.parent?.value && node.value ? (sideToMove(node.parent) === "black" ? 1 : -1) * (winOf(node.parent.value) - winOf(node.value)) : 0);

// The move that can be explained now, or null.
const explainable = () => {
  if (input.edit) return null;
  if (hintMove) return { at: here, move: hintMove, good: true };
  return isThinkingShown() && lossOf(here) >= LEAST_LOSS ? { at: here.parent, move: here.move, good: false } : null;
};
const reasonKey = ({ move, good }) => `${move} ${good}`;

const askWhy = () => {
  const found = explainable();
  if (!found) return;
  const { at, move, good } = found;
  const asked = ask({ ask: "why", line: lineTo(at), move, good }, (reply) => {
    const { of, reason: { japanese, english, pv, pv_japanese, pv_western } = {} } = reply;
    const moves = pv?.map((move, index) => ({ move, japanese: pv_japanese[index], western: pv_western[index] }));
    at.reasons[reasonKey(found)] = reply.is === "reason" ? { of, japanese, english, moves } : null;
    draw();
  });
  at.reasons = { ...at.reasons, [reasonKey(found)]: { asked } };
  draw();
};

const drawReason = () => {
  const found = explainable();
  byId("reason").hidden = !found;
  if (!found) return;
  const reason = found.at.reasons?.[reasonKey(found)];
  // A lost connection takes its questions along: they can be asked again.
  const isAsked = server.waiting.has(reason?.asked);
  const isLocked = mode === "play" && match && !match.over;
  const play = (count) => { if (!isLocked) playLine(found.at, reason.moves, count); };
  const line = (moves) => html("div", { class: "pv" }, ...moves.flatMap((named, at) => [html("button", { type: "button", "data-key": `reason ${at}`, onclick: () => play(at + 1) }, moveText(named)), " "]));
  byId("reason").replaceChildren(...(isAsked ? [html("p", { role: "status" }, text("searchingReason"))]
    : !reason?.of ? [html("button", { type: "button", "data-key": "why", class: "why", onclick: askWhy }, text("why"))]
      : [html("p", { role: "status" }, html("b", {}, moveText(reason.of)), ": ", language === "ja" ? reason.japanese : reason.english), ...(reason.moves.length ? [line(reason.moves)] : [])]));
};
