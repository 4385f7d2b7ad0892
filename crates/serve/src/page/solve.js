// Mating problems: those in the page, those of a file, and those that an analysis found in the game.
// `list`: { sfen, name, hasMate: known to have a mate } each. `state`: open, defending, solved or failed. `before`: the position before the wrong move, or null.
const solving = { list: [], at: 0, state: "open", found: [], before: null };
let fileProblems = [];
// Problems that turned out to have no mate.
const noMates = new Set();
const SHOWN_MATES = [3, 25];
const HINT_SECONDS = 20;
const CHECK_SECONDS = 5;

const problemsOfGame = () => mainLine().flatMap((node, ply) => {
  const plies = node.value?.mate === undefined ? 0 : node.value.mate * (sideToMove(node) === "black" ? 1 : -1);
  if (plies < SHOWN_MATES[0] || plies > SHOWN_MATES[1] || !node.facts) return [];
  return [{ sfen: node.facts.sfen, name: text("gameProblem", ply + 1, plies), hasMate: true }];
});
// Each of the page's own problems is an SFEN whose move number is the length of the mate.
const ownProblems = () => settings.problems.map((line, index) => {
  const words = line.split(" ");
  return { sfen: `${words.slice(0, 3).join(" ")} 1`, name: text("problemName", index + 1, words[3]), hasMate: true };
});
// The problems that the reader has solved, by their positions; kept for the next visit.
const SOLVED = "solved";
let solved = new Set();
const takeSolved = () => { try { solved = new Set(JSON.parse(localStorage.getItem(SOLVED))); } catch { /* None is known. */ } };
const noteSolved = () => {
  solved.add(solving.list[solving.at].sfen);
  try { localStorage.setItem(SOLVED, JSON.stringify([...solved])); } catch { /* The marks last as long as the tab. */ }
  drawProblems();
};
const solvedCount = () => solving.list.filter(({ sfen }) => solved.has(sfen)).length;
const drawProblems = () => {
  if (mode === "analyze") solving.found = problemsOfGame();
  const { found } = solving;
  solving.list = [...ownProblems(), ...fileProblems.map((sfen, index) => ({ sfen, name: text("fileProblem", index + 1) })), ...found];
  byId("problem").replaceChildren(...solving.list.map(({ sfen, name }, index) => html("option", { value: index }, solved.has(sfen) ? `${name} ✓` : name)));
  byId("problem").value = solving.at;
};

const showProblem = (index) => {
  solving.at = Math.min(Math.max(index, 0), solving.list.length - 1);
  byId("problem").value = solving.at;
  const problem = solving.list[solving.at];
  if (!problem) return;
  Object.assign(solving, { state: "open", before: null });
  openGame(newGame(problem.sfen));
  flipped = !positionOf(problem.sfen).blackToMove;
  announceTask();
  draw();
  if (problem.hasMate || noMates.has(problem.sfen)) return;
  const at = here;
  ask({ ask: "mate", line: lineTo(at), seconds: CHECK_SECONDS }, ({ verdict }) => {
    if (verdict !== "no-mate") return;
    noMates.add(problem.sfen);
    if (here === at) announceMore(`${byId("notice").textContent} ${text("noMate")}`.trim());
  });
};
const announceTask = () => {
  announce(text("solveIt", sideName(sideToMove(here))));
  if (noMates.has(solving.list[solving.at]?.sfen)) announceMore(text("noMate"));
};

const attack = (named) => {
  const at = addMove(here, named);
  goTo(at);
  solving.state = "defending";
  askDefence(at);
};
const askDefence = (at) => {
  announce(text("defending"));
  ask({ ask: "defend", line: lineTo(at) }, (reply) => {
    if (reply.is !== "defence" || here !== at) return;
    const { kind, mv, plies } = reply.defence;
    if (kind === "mated") { solving.state = "solved"; noteSolved(); announce(text("solved")); return draw(); }
    if (kind === "unknown") { solving.state = "failed"; return announce(text("unknownDefence")); }
    if (!mv) { tryAgain(at.parent); return announce(text("notCheck")); }
    goTo(addMove(at, mv));
    Object.assign(solving, kind === "reply" ? { state: "open" } : { state: "failed", before: at.parent });
    announce(`${moveText(mv)}. ${kind === "reply" ? text("goOn", plies) : text("refuted", moveText(mv))}`);
    draw();
  });
};
// Returns to the position before a wrong move, and drops that move.
const tryAgain = (before) => {
  goTo(before);
  before.children = [];
  Object.assign(solving, { state: "open", before: null });
  announceTask();
  draw();
};
const again = () => (solving.before ? tryAgain(solving.before) : showProblem(solving.at));

const withSolution = (then) => {
  const at = here;
  announce(text("analyzing"));
  ask({ ask: "mate", line: lineTo(at), seconds: HINT_SECONDS }, ({ verdict, moves }) => {
    if (here !== at) return;
    if (verdict === "mate") then(moves);
    else announce(text(verdict === "no-mate" ? "noMate" : "mateUnknown"));
  });
};
const hintOfProblem = () => withSolution((moves) => {
  hintMove = moves[0].move;
  announce(text("hintIs", moveText(moves[0])));
  draw();
});
const showSolution = () => withSolution((moves) => {
  Object.assign(solving, { state: "failed", before: null });
  playLine(here, moves, moves.length);
  announce(text("mateFound", moves.length, moves.map(moveText).join(" ")));
});

const openProblems = async (file) => {
  if (file.size > settings.message) return showError(text("tooLarge", (file.size / MEBI).toFixed(1), settings.message / MEBI));
  const lines = (await file.text()).split(/\r?\n/).map((line) => line.trim().replace(/^(position )?(sfen )?/, "")).filter(Boolean);
  fileProblems = lines.filter((line) => /^\S+ [bw] \S+/.test(line) && line.split("/").length === 9).map((line) => `${line.split(" ").slice(0, 3).join(" ")} 1`);
  drawProblems();
  if (!fileProblems.length) return showError(text("noProblems"));
  showProblem(settings.problems.length);
  if (fileProblems.length < lines.length) announceMore(text("linesLeftOut", lines.length - fileProblems.length));
};

const solveModes = {
  mayMove: () => solving.state === "open" && Boolean(here.facts) && plyOf(here) % 2 === 0 && here.children.length === 0,
  onMove: attack,
};
