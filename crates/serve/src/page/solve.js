// Mating problems on the board: Kiki defends. `list`: those of the chosen collection, { sfen,
// hasMate: known to have a mate } each. `state`: open, defending, solved or failed. `before`: the
// position before the wrong move, or null. `isFlawless`: without a mistake or help so far. `hinted`:
// the position whose piece to move was told, or null. `defended`: the last one whose defence was
// asked for, or null.
// `kept`: the position of the problem that was shown before the page was reloaded.
const solving = { list: [], at: 0, state: "open", before: null, isFlawless: true, hinted: null, defended: null, kept: null };
// Problems that turned out to have no mate.
const noMates = new Set();
const HINT_SECONDS = 20;
const CHECK_SECONDS = 5;

const shownProblem = () => solving.list[solving.at];
const drawProblems = () => {
  const option = (value, name) => html("option", { value }, name);
  byId("problem-set").replaceChildren(...setsShown().map((set) => option(set, nameOfSet(set))));
  byId("problem-set").value = progress.set;
  byId("problem-grade").replaceChildren(option("", text("allGrades")), ...Array.from({ length: GRADES }, (_, grade) => option(grade, starsOf(grade))));
  byId("problem-grade").value = progress.grade;
  byId("problem").replaceChildren(...solving.list.map((problem, index) => option(index, `${nameInList(problem, index)}${isSolved(problem.sfen) ? " ✓" : progress.known[problem.sfen] ? " ↻" : ""}`)));
  byId("problem").value = solving.at;
  byId("today").textContent = [dueNow().length ? text("dueToday", dueNow().length) : "", solvedToday() ? text("solvedToday", solvedToday()) : "", daysInRow() > 1 ? text("daysInRow", daysInRow()) : ""].filter(Boolean).join(" · ");
};
// The first problem from here on that is new or due, then from the start; -1 without one.
const nextOpen = (from) => {
  const isOpen = ({ sfen }) => progress.known[sfen] === undefined || isDue(sfen);
  const after = solving.list.findIndex((problem, index) => index >= from && isOpen(problem));
  return after < 0 ? solving.list.findIndex(isOpen) : after;
};
// Shows the problem with this position, else the first open one.
const chooseSet = (set, sfen) => {
  takeProgress();
  progress.set = String(set);
  const isShown = ({ grade }) => grade === undefined || progress.set === "due" || progress.grade === "" || grade === Number(progress.grade);
  keepProgress();
  solving.list = problemsOf(progress.set).filter(isShown);
  // Another tab may have emptied the collection.
  if (!solving.list.length && Number(set) !== LENGTHS[0]) return chooseSet(LENGTHS[0]);
  const at = solving.list.findIndex((problem) => problem.sfen === sfen);
  showProblem(at < 0 ? Math.max(nextOpen(0), 0) : at);
};
const chooseGrade = (grade) => {
  progress.grade = grade;
  chooseSet(progress.set);
};
// Without a choice: what is due, else the collection of the last visit. A due problem stays over a
// reload, though a mistake has put it off.
const openSolving = () => {
  const { kept } = solving;
  if (progress.set !== "due") solving.kept = null;
  const before = progress.set !== "due" && problemsOf(progress.set).length > 0 ? progress.set : LENGTHS[0];
  chooseSet(dueNow().length || solving.kept ? "due" : before, kept);
  solving.kept = null;
};
const nextProblem = () => {
  const next = nextOpen(solving.at + 1);
  if (next >= 0) return showProblem(next);
  if (progress.set === "due") return openSolving();
  showProblem((solving.at + 1) % solving.list.length);
  announceMore(text("allDone"));
};
const forgetProblem = () => {
  forgetOwn(shownProblem().sfen);
  openSolving();
};
const noteFlaw = () => {
  solving.isFlawless = false;
  noteMistake(shownProblem().sfen);
  drawProblems();
};

const showProblem = (index) => {
  solving.at = Math.min(Math.max(index, 0), solving.list.length - 1);
  drawProblems();
  const problem = shownProblem();
  if (!problem) return;
  Object.assign(solving, { state: "open", before: null, isFlawless: true });
  openGame(newGame(problem.sfen));
  flipped = !positionOf(problem.sfen).blackToMove;
  announceTask();
  draw();
  if (problem.hasMate || noMates.has(problem.sfen)) return;
  const at = here;
  ask({ ask: "mate", line: lineTo(at), seconds: CHECK_SECONDS }, ({ verdict }) => {
    if (verdict !== "no-mate") return;
    noMates.add(problem.sfen);
    if (here === at) sayStatus(taskText, here);
  });
};
const taskText = () => (noMates.has(shownProblem()?.sfen) ? text("noMate") : [nameOf(shownProblem(), solving.at), text("solveIt")].join(text("stop")));
const announceTask = () => announce(taskText, here);

// After a mistake or a hint, also one before "Try again".
const comesAgain = () => progress.known[shownProblem().sfen]?.box === 0;

const attack = (named) => {
  const at = addMove(here, named);
  goTo(at);
  solving.state = "defending";
  askDefence(at);
};
const askDefence = (at) => {
  solving.defended = at;
  announce(() => text("defending"), at);
  ask({ ask: "defend", line: lineTo(at) }, (reply) => {
    // Another problem may be shown by now, or another screen.
    if (mode !== "solve" || solving.state !== "defending" || solving.defended !== at) return;
    goTo(at);
    if (reply.is !== "defence") { Object.assign(solving, { state: "failed", before: at.parent }); announce(noWords); return draw(); }
    const { kind, mv, plies } = reply.defence;
    if (kind === "mated") {
      solving.state = "solved";
      noteSolved(shownProblem().sfen, solving.isFlawless);
      drawProblems();
      announce(() => text(comesAgain() ? "solvedLater" : "solved"));
      return draw();
    }
    if (kind === "unknown") { solving.state = "failed"; return announce(() => text("unknownDefence")); }
    if (!mv) { tryAgain(at.parent); return announce(() => text("notCheck"), here); }
    if (kind !== "reply" && !noMates.has(shownProblem().sfen)) noteFlaw();
    goTo(addMove(at, mv));
    Object.assign(solving, kind === "reply" ? { state: "open" } : { state: "failed", before: at.parent });
    announce(() => (kind === "reply" ? `${moveText(mv)}${text("stop")}${text("goOn", plies)}` : text("refuted", moveText(mv))), here);
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
  announce(searching, at);
  ask({ ask: "mate", line: lineTo(at), seconds: HINT_SECONDS }, ({ verdict, moves }) => {
    if (here !== at) { if (told.at === at) announce(noWords, at); return; }
    if (verdict === "mate") then(moves);
    else announce(() => text(verdict === "no-mate" ? "noMate" : "mateUnknown"), at);
  });
};
// The first hint tells the piece, the next one its move.
const hintOfProblem = () => {
  if (solving.before) tryAgain(solving.before);
  withSolution(([best]) => {
    noteFlaw();
    const isFirst = solving.hinted !== here;
    solving.hinted = here;
    if (isFirst) return announce(() => pieceHint(best.move), here);
    hintMove = best.move;
    announce(() => text("hintIs", moveText(best)), here);
    draw();
  });
};
const pieceHint = (move) => {
  const { from, dropped } = partsOf(move);
  const name = (kind) => text("pieceNames")[kind];
  return dropped ? text("hintDrop", name(dropped)) : text("hintPiece", squareName(from), name(positionAt(here).cells[from].kind));
};
const showSolution = () => {
  if (solving.before) tryAgain(solving.before);
  withSolution((moves) => {
    if (solving.state !== "solved") noteFlaw();
    Object.assign(solving, { state: "failed", before: null });
    playLine(here, moves, moves.length);
    announce(() => text("mateFound", moves.length, moves.map(moveText).join(" ")));
  });
};

// Nine ranks of nine files, and no two kings of a side.
const isBoard = (board) => {
  const ranks = board.split("/");
  const filesOf = (rank) => [...rank.replaceAll("+", "")].reduce((files, letter) => files + (Number(letter) || 1), 0);
  return ranks.length === 9 && ranks.every((rank) => /^(\+?[plnsgbrk]|[1-9])+$/i.test(rank) && filesOf(rank) === 9) && ["K", "k"].every((king) => board.split(king).length <= 2);
};
const openProblems = async (file) => {
  if (isTooLarge(file)) return;
  const lines = (await file.text()).split(/\r?\n/).map((line) => line.trim().replace(/^(position )?(sfen )?/, "")).filter((line) => line && !line.startsWith("#"));
  fileProblems = lines.filter((line) => /^\S+ [bw] \S+/.test(line) && isBoard(line.split(" ")[0])).map((line) => `${line.split(" ").slice(0, 3).join(" ")} 1`);
  if (!fileProblems.length) return showError(text("noProblems"));
  try { sessionStorage.setItem(FILE_PROBLEMS, JSON.stringify(fileProblems)); } catch { /* A reload forgets them. */ }
  chooseSet("file");
  if (fileProblems.length < lines.length) announceMore(text("linesLeftOut", lines.length - fileProblems.length));
};

const solveModes = {
  mayMove: () => solving.state === "open" && Boolean(here.facts) && plyOf(here) % 2 === 0 && here.children.length === 0,
  onMove: attack,
};
