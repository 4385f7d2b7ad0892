// Games of persons and the engine, with clocks.
// `match`: { levels: of both sides, null for a person; seeds: of both; human: the side of the only
// person, or null; at: the last node of the game, with an empty ending while it goes on; over;
// search: a number or null; clock: null or { left, byoyomi, increment }; since; paused: milliseconds
// of the move so far while the game waits, else null; waits: the side to move and its clock then;
// id, version, isWritten, isKept: how the browser keeps it }
let match = null;
const TICK = 100;
const TIME_WITHOUT_CLOCK = 2000;
const HINT_TIME = 1000;
// Minutes, seconds of byoyomi, seconds added for each move.
const CLOCKS = [null, [0, 10, 0], [0, 30, 0], [10, 30, 0], [30, 60, 0], [3, 0, 5], [10, 0, 10]];

const sideToMove = (node, { start: first } = game) => (positionOf(first).blackToMove === (plyOf(node) % 2 === 0) ? "black" : "white");
// The game of `match`, also while another screen is shown.
const playedGame = () => allScreens().play.game;
const otherSide = (side) => (side === "black" ? "white" : "black");
const clockName = (clock) => {
  if (!clock) return text("noClock");
  const [minutes, byoyomi, increment] = clock;
  if (increment) return byoyomi ? text("wholeClock", ...clock) : text("fischerClock", minutes, increment);
  if (minutes === 0) return text("secondsOnly", byoyomi);
  return byoyomi ? text("byoyomiClock", minutes, byoyomi) : text("minutesOnly", minutes);
};

// A clock without any time is none.
const withTime = (clock) => (clock?.some((part) => part > 0) ? clock : null);
const chosenClock = () => {
  const choice = byId("clock").value;
  const number = (id) => Math.min(Math.max(Number(byId(id).value) || 0, 0), 600);
  return withTime(choice === "own" ? [number("minutes"), number("byoyomi"), number("increment")] : CLOCKS[Number(choice)]);
};
const startedClock = (clock) => {
  if (!clock) return null;
  const [minutes, byoyomi, increment] = clock;
  // The increment of the first move comes before it.
  const left = 60000 * minutes + 1000 * increment;
  return { left: { black: left, white: left }, byoyomi: 1000 * byoyomi, increment: 1000 * increment };
};

const two = (number) => String(number).padStart(2, "0");
const dateText = (date) => `${date.getFullYear()}/${two(date.getMonth() + 1)}/${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

const isPersons = (side) => match.levels[side] === null;
const isWatched = () => Boolean(match) && !isPersons("black") && !isPersons("white");
const isGameOn = () => Boolean(match) && !match.over;
const levelText = (level) => `Kiki ${text("levelName", level)}`;
const SIDES = ["black", "white"];
const randomSeed = () => Math.floor(Math.random() * 2 ** 32);

const namesOfLevels = (levels) => {
  const isAlone = SIDES.filter((side) => levels[side] === null).length === 1;
  return Object.fromEntries(SIDES.map((side) => [side, levels[side] !== null ? levelText(levels[side]) : isAlone ? text("you") : ""]));
};
// Begins a game from a position: the levels of both sides, null for a person.
const beginGame = (levels, sfen, wanted = chosenClock()) => {
  const clock = SIDES.some((side) => levels[side] === null) ? wanted : null;
  beginMatch(newGame(sfen, { ...namesOfLevels(levels), start_time: dateText(new Date()), ...(clock && { time_control: clockName(clock) }) }), levels, startedClock(clock));
};
// Begins or continues a game at its last position. A game that goes on ends without a result.
const beginMatch = (played, levels, clock, more = {}) => {
  if (!isConnected()) return showError(server.lost ?? text("lost"));
  if (isGameOn()) endGame(null, "interrupted");
  endSearches();
  game = played;
  here = lastOfLine(game.root);
  here.ending = {};
  const persons = SIDES.filter((side) => levels[side] === null);
  const human = persons.length === 1 ? persons[0] : null;
  match = { levels, seeds: { black: randomSeed(), white: randomSeed() }, human, at: here, over: false, search: null, clock, since: performance.now(), paused: null, id: crypto.randomUUID(), version: 0, isWritten: false, isKept: persons.length > 0, ...more };
  endStart();
  flipped = human === "white";
  watch.isPaused = false;
  leavePosition();
  showComment();
  nextTurn();
  showBoard();
  focusSquare(input.cursor);
};
// Brings the board with its players and buttons into view.
const showBoard = () => { for (const id of ["near", "board", "far"]) byId(id).scrollIntoView({ block: "nearest", inline: "nearest" }); };

const elapsed = () => match.paused ?? performance.now() - match.since;
// The game waits while another screen is shown.
const pauseGame = () => {
  if (!isGameOn()) return;
  const side = sideToMove(match.at);
  Object.assign(match, { paused: elapsed(), waits: { side, left: match.clock ? clockText(timeLeft(side)) : "" } });
};
const resumeGame = () => nextTurn(isPersons(sideToMove(match.at)) ? match.paused ?? 0 : 0);
// The rest of the main time, and the rest of the byoyomi after it.
const timeLeft = (side) => {
  const { left, byoyomi } = match.clock;
  const isRunning = !match.over && sideToMove(match.at) === side;
  const main = left[side] - (isRunning ? elapsed() : 0);
  return { main: Math.max(main, 0), byoyomi: Math.max(byoyomi + Math.min(main, 0), 0) };
};
const LOW = 5000;
const clockClass = ({ main, byoyomi }) => (main + byoyomi < LOW ? "clock low" : "clock");
const clockText = ({ main, byoyomi }) => {
  const seconds = Math.max(0, Math.ceil((main > 0 ? main : byoyomi) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
const clockOf = (side) => {
  if (mode !== "play" || !match?.clock || isStarting()) return [];
  const left = timeLeft(side);
  return [html("span", { class: clockClass(left), id: `clock-${side}` }, clockText(left))];
};
// On other screens: that the game waits, with the rest of the clock, and the way back.
const drawWaiting = () => {
  const waits = mode !== "play" && isGameOn() ? match.waits : null;
  const turn = waits && (waits.side === match.human ? text("yourTurn") : text("turnOf", sideName(waits.side, screens.play.game.start)));
  byId("waiting").replaceChildren(...(waits ? [[text("gameWaits"), turn, waits.left].filter(Boolean).join(" "), " ", html("button", { type: "button", "data-key": "to game", onclick: () => setMode("play") }, text("toGame"))] : []));
};
const tick = () => {
  if (mode !== "play" || !match?.clock || match.over) return;
  const side = sideToMove(match.at);
  const left = timeLeft(side);
  const node = byId(`clock-${side}`);
  if (node) { node.textContent = clockText(left); node.className = clockClass(left); }
  if (isPersons(side)) sayByoyomi(left);
  if (left.main <= 0 && left.byoyomi <= 0) endGame(otherSide(side), "time");
};

// Plays a move in the game and charges its time. False if the time was over before.
const playInGame = (named, more = {}) => {
  const [side, spent] = [sideToMove(match.at), Math.round(elapsed())];
  if (match.clock) {
    const { left, byoyomi, increment } = match.clock;
    if (spent > left[side] + byoyomi) { endGame(otherSide(side), "time"); return false; }
    left[side] = Math.max(left[side] - spent, 0) + increment;
  }
  const isFollowed = here === match.at;
  match.at.ending = null;
  // Clocks of shogi count whole seconds.
  match.at = addMove(match.at, named, { milliseconds: 1000 * Math.floor(spent / 1000), ...more });
  match.at.ending = {};
  putFirst(match.at);
  if (isFollowed) { here = match.at; showComment(); }
  hintMove = null;
  // A watched game goes on between the two presses that stop it.
  if (!isWatched()) asked.what = null;
  nextTurn();
  return true;
};

const turnText = () => {
  const side = sideToMove(match.at);
  if (side === match.human) return text("yourTurn");
  if (isPersons(side)) return text("turnOf", sideName(side));
  if (isWatched() && isWaiting()) return text("paused");
  return text(isWatched() ? "thinkingOf" : "thinking", namesOfPlayers()[side]);
};
// `spent`: the time that the turn has taken before. A clock waits for the program.
const nextTurn = (spent = 0) => {
  const { at } = match;
  Object.assign(match, { since: performance.now() - spent, paused: isConnected() ? null : spent });
  // The error says why nobody answers.
  if (!isConnected()) announce(noWords);
  draw();
  withFacts(at, (facts) => {
    if (mode !== "play" || match?.at !== at || match.over) return;
    if (facts.end) return endGame(facts.end.outcome, facts.end.reason);
    const said = () => (at.move ? `${moveText(at)}${at.book ? text("fromBook") : ""}${facts.in_check ? ` ${text("check")}` : ""}${text("stop")}` : "");
    announce(() => said() + turnText(), at);
    // Who looks back hears of the move too.
    if (here !== at) tellAgain();
    if (!isPersons(sideToMove(at))) think();
    draw();
    keepOwn();
    keepGame();
  });
};

// A person needs time to see what was played, and weak levels answer in milliseconds. So an answer
// comes after a second or so: more where there are more moves to choose from, none added when time
// runs out.
const PACE = { least: 600, move: 8, most: 1500 };
const restOfPace = ({ legal }) => {
  const { main, byoyomi } = match.clock ? timeLeft(otherSide(match.human)) : { main: LOW, byoyomi: 0 };
  return main + byoyomi < LOW ? 0 : Math.max(0, Math.min(PACE.least + PACE.move * legal.length, PACE.most) - elapsed());
};

const think = () => {
  const { clock, at } = match;
  const side = sideToMove(at);
  const level = match.levels[side];
  const time = clock ? { clock: { black: Math.round(clock.left.black), white: Math.round(clock.left.white), byoyomi: clock.byoyomi, increment: clock.increment } } : { move: isWatched() ? paceTime() : TIME_WITHOUT_CLOCK };
  Object.assign(thoughts, { node: at, lines: [] });
  watch.ready = null;
  const answer = (reply) => {
    if (match?.search !== search || match.paused !== null) return;
    match.search = null;
    if (reply.action === "win") return endGame(side, "declaration");
    if (reply.action === "resign") return endGame(otherSide(side), "resignation");
    // Weaker levels misjudge what they see.
    if (level === settings.levels) at.value = reply.value;
    playInGame(reply.mv, { book: reply.book });
  };
  const search = ask({ ask: "play", line: lineTo(at), strength: { level, seed: match.seeds[side] }, time }, (reply) => {
    if (match?.at !== at || match.over) return;
    if (reply.is === "line") return takeLine(at, reply.line);
    if (reply.is === "answer") inPace(at, () => answer(reply));
  });
  match.search = search;
};

const endGame = (outcome, reason) => {
  stopSearch(match.search);
  // The clock stays as it is.
  if (match.clock) match.clock.left[sideToMove(match.at)] -= elapsed();
  Object.assign(match, { over: true, search: null, paused: null });
  leavePosition();
  match.at.ending = { outcome, reason };
  announce(resultText);
  draw();
  keepOwn();
  keepGame();
};

// Takes back to a person's turn: two moves, or one while the engine thinks. After the end first the
// end alone, unless the rules or the engine would end the game there again.
const hasPersonsMove = () => pathTo(match.at).some((node) => isPersons(sideToMove(node.parent, playedGame())));
const mayUndoEnd = () => match.over && !match.at.facts?.end && (isPersons(sideToMove(match.at)) || match.at.ending.reason !== "declaration");
const mayTakeBack = () => Boolean(match) && (mayUndoEnd() || hasPersonsMove());
const takeBack = () => {
  if (!mayTakeBack()) return;
  stopSearch(match.search);
  let { at } = match;
  if (mayUndoEnd()) {
    seen = null;
  } else {
    let removed = null;
    do { removed = at; at = at.parent; } while (!isPersons(sideToMove(at)));
    removeNode(removed);
  }
  Object.assign(match, { at, over: false, search: null });
  at.ending = {};
  restoreClock();
  here = at;
  leavePosition();
  nextTurn();
};

// A side that used its byoyomi has it again. If a side has no time at all, the game goes on without
// a clock.
const restoreClock = () => {
  if (!match.clock) return;
  const { left, byoyomi } = match.clock;
  for (const side of SIDES) left[side] = Math.max(left[side], 0);
  if (SIDES.some((side) => left[side] + byoyomi === 0)) match.clock = null;
};

// What ends a game takes two presses.
const SURE_WITHIN = 15000;
const asked = { what: null, until: 0 };
const isAsked = (what) => asked.what === what && performance.now() < asked.until;
const isSure = (what) => {
  const sure = isAsked(what);
  Object.assign(asked, { what: sure ? null : what, until: performance.now() + SURE_WITHIN });
  return sure;
};
const resign = () => {
  if (isSure("resign")) return endGame(otherSide(match.human ?? sideToMove(match.at)), "resignation");
  announceMore(() => text("resignAgain"));
  drawAsked();
};
// Redraws the buttons now, and when the second press no longer counts.
const drawAsked = () => {
  drawButtons();
  setTimeout(drawButtons, SURE_WITHIN);
};

const giveHint = () => {
  const at = here;
  ask({ ask: "play", line: lineTo(at), strength: { level: settings.levels, seed: match.seeds[sideToMove(at)] }, time: { move: HINT_TIME } }, (reply) => {
    if (reply.is !== "answer" || here !== at || !input.mayMove()) return;
    if (reply.action === "win") return announceMore(() => text("hintDeclare"));
    if (!reply.mv) return;
    hintMove = reply.mv.move;
    draw();
    announceMore(() => text("hintIs", moveText(reply.mv) + (reply.book ? text("fromBook") : "")));
  });
};

const playModes = {
  mayMove: () => Boolean(match) && !match.over && !start.isOpen && here === match.at && isPersons(sideToMove(here)) && Boolean(here.facts),
  onMove: (named) => { playInGame(named); },
  // Why the board does not answer.
  onRefused: () => showStatus(!match || start.isOpen ? startText() : match.over ? resultText() : here !== match.at ? lookingText() : text("thinking")),
};
