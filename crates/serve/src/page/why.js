// How good the move before the shown position is, and why it is bad or a hint is good: a sentence
// that the engine has proved, and its line. Beside them stands the comment of the record.

// The winning probabilities of the side that moved, before and after the move to a position; null
// if a value is unknown.
const winsAround = (node) => {
  const at = node.parent;
  if (!at?.value || !node.value) return null;
  const [before, after] = [at, node].map(({ value }) => (sideToMove(at) === "black" ? winOf(value) : 1 - winOf(value)));
  return { before, after };
};
// Whether another search found the move sound, and nothing has changed its values since.
const isSound = ({ sound, value, parent }) => Boolean(sound) && sound.before === parent.value && sound.after === value;
// What that move has lost. The engine's own choice and a sound move lose nothing.
const lossOf = (node) => {
  const wins = winsAround(node);
  return wins && !isSound(node) && node.parent.search?.moves[0] !== node.move ? wins.before - wins.after : 0;
};
// The mark of that move, as kiki-judgement gives it: the only legal move, and moves of a decided
// game, have none.
const markOf = (node) => {
  const [loss, { inaccuracy, decided }] = [lossOf(node), settings.thresholds];
  if (loss < inaccuracy || node.parent.facts?.legal.length === 1) return null;
  const { before, after } = winsAround(node);
  if (before <= 1 - decided || after >= decided) return null;
  return Object.keys(GLYPHS).findLast((mark) => loss >= settings.thresholds[mark]);
};

// The move that can be explained now, or null.
const explainable = () => {
  if (!isGameShown()) return null;
  if (hintMove) return { at: here, move: hintMove, good: true };
  return isThinkingShown() && here.parent && (isSound(here) || lossOf(here) >= settings.thresholds.inaccuracy) ? { at: here.parent, move: here.move, good: false } : null;
};
const reasonKey = ({ move, good }) => `${move} ${good}`;

const askWhy = () => {
  const found = explainable();
  if (!found) return;
  const { at, move, good } = found;
  const judged = here;
  const asked = ask({ ask: "why", line: lineTo(at), move, good }, (reply) => {
    if (!good && reply.reason?.pattern === "sound") judged.sound = { before: at.value, after: judged.value };
    at.reasons[reasonKey(found)] = reply.is === "reason" ? { of: reply.of, ...reply.reason } : null;
    draw();
  });
  at.reasons = { ...at.reasons, [reasonKey(found)]: { asked } };
  draw();
};

// The move before the shown position, its mark, and what was better.
const judgedParts = () => {
  if (mode === "solve" || !isGameShown() || !here.parent || !here.value || !isThinkingShown()) return [];
  const [mark, at] = [markOf(here), here.parent];
  const best = at.search?.moves[0];
  // Its name comes with the facts of the position.
  const named = at.facts?.legal.find(({ move }) => move === best);
  if (best && !at.facts && !at.isAsked) { at.isAsked = true; withFacts(at, draw); }
  const loss = lossOf(here);
  const other = (label) => (named ? [html("span", {}, `${text(label)} `, html("b", {}, moveText(named)), ` (${sideScore(at.value)})`)] : []);
  const parts = best === here.move ? [text("bestMove")]
    : loss < LEAST_SHOWN ? other("asGood") : [`${sideName(sideToMove(at))}: ${text("loss", percentText(loss))}`, ...other("bestWas")];
  return [verdictHead(plyOf(here), here, mark, here.milliseconds && secondsText(here.milliseconds), sideScore(here.value)),
    ...(parts.length ? [html("p", {}, ...parts.flatMap((part, index) => (index ? [", ", part] : [part])))] : [])];
};
// A value with the side that it is for.
const sideScore = (value) => `${sideName("black")} ${scoreText(value)}`;

const drawVerdict = () => {
  const comment = mode === "analyze" && isGameShown() && here.comment ? [html("p", { class: "comment" }, here.comment)] : [];
  const nodes = [...judgedParts(), ...reasonParts(), ...comment];
  byId("verdict").hidden = nodes.length === 0;
  byId("verdict").replaceChildren(...nodes);
};

const reasonParts = () => {
  const found = explainable();
  if (!found) return [];
  const reason = found.at.reasons?.[reasonKey(found)];
  // A lost connection takes its questions along: they can be asked again.
  if (server.waiting.has(reason?.asked)) return [html("p", { role: "status" }, text("searchingReason"))];
  if (!reason?.of) return [html("button", { type: "button", "data-key": "why", onclick: askWhy }, text("why"))];
  return reasonNodes(`${moveText(reason.of)}:`, reason, lineOf("reason", found.at, []));
};
