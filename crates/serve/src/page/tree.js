// The game and its variations: a tree of positions. The first child of a position is the move of
// its line, the others are variations. A position with an `ending` ends its line: what follows it
// are variations too.
const EVEN = settings.handicaps[0].sfen;
const newNode = (parent, named, more = {}) => ({ parent, move: named?.move ?? null, japanese: named?.japanese ?? "", western: named?.western ?? "", comment: "", milliseconds: null, score: null, depth: null, nodes: null, pv: [], search: null, value: more.search?.value ?? null, facts: null, ending: null, children: [], ...more });
// `own`: the number of the game in the browser, if it is kept there.
const newGame = (start = EVEN, head = {}) => ({ start, head, root: newNode(null, null) });

let game = newGame();
let here = game.root;

const pathTo = (node) => (node.parent ? [...pathTo(node.parent), node] : []);
const movesTo = (node) => pathTo(node).map((step) => step.move);
const lineTo = (node) => ({ start: game.start, moves: movesTo(node) });
const plyOf = (node) => pathTo(node).length;
const nextOf = ({ ending, children }) => (ending ? undefined : children[0]);
const othersOf = ({ ending, children }) => (ending ? children : children.slice(1));
const lineFrom = (node) => { const line = [node]; while (nextOf(line.at(-1))) line.push(nextOf(line.at(-1))); return line; };
const lastOfLine = (node) => lineFrom(node).at(-1);
const endOf = ({ root }) => lastOfLine(root).ending ?? {};

const positionAt = (node) => movesTo(node).reduce(play, positionOf(game.start));

// The value of a position: what was found here, else what its record says, from Black's view; or null.
const valueOf = ({ value, score, parent }) => value ?? (score && (sideToMove(parent) === "black" ? score : opposite(score)));
const opposite = ({ cp, mate }) => (cp === undefined ? { mate: -mate } : { cp: -cp });

// Adds a move, as a variation if there are other moves. A known move keeps what is known of it.
const addMove = (node, named, more = {}) => {
  const found = node.children.find((child) => child.move === named.move);
  if (found) {
    for (const [key, value] of Object.entries(more)) if (!found[key]) found[key] = value;
    return found;
  }
  const child = newNode(node, named, more);
  node.children.push(child);
  return child;
};
const putFirst = (node) => { node.parent.children = [node, ...node.parent.children.filter((other) => other !== node)]; };
const removeNode = (node) => { node.parent.children = node.parent.children.filter((child) => child !== node); };

// What the rules say about a position; fetched from the server once.
const withFacts = (node, then) => {
  if (node.facts) return then(node.facts);
  ask({ ask: "position", line: lineTo(node) }, (reply) => {
    if (reply.is !== "position") return;
    node.facts = reply.position;
    then(node.facts);
  });
};

// `search`: what the search of the whole game found in the position.
const stepOf = ({ move, japanese, western, comment, milliseconds, score, depth, nodes, pv, search }) => ({ move, japanese, western, comment, milliseconds, score, depth, nodes, pv, search });

// Converts a line to the form of the server's records, and back.
const recordOfLine = (first) => {
  const [line, variations] = [lineFrom(first), []];
  for (const [after, node] of line.entries()) {
    for (const other of othersOf(node)) {
      const inner = recordOfLine(other);
      variations.push({ after, moves: [stepOf(other), ...inner.moves], variations: inner.variations.map((branch) => ({ ...branch, after: branch.after + 1 })), ending: inner.ending });
    }
  }
  return { moves: line.slice(1).map(stepOf), variations, ending: line.at(-1).ending };
};
const recordOf = ({ head, start, root }) => {
  const { ending, ...line } = recordOfLine(root);
  const { outcome = null, reason = null, remark = "", milliseconds = null } = ending ?? {};
  return { ...head, start, comment: root.comment, search: root.search, ...line, outcome, reason, remark, ending_milliseconds: milliseconds };
};
const copyOf = (screen) => { const found = Object.assign(gameOfRecord(recordOf(screen.game)), { own: screen.game.own }); return { ...screen, game: found, here: nodeAt(found, movesTo(screen.here)) }; };

const growLine = (first, { moves = [], variations = [], ending = null }) => {
  const line = [first];
  for (const step of moves) line.push(addMove(line.at(-1), step, step));
  // A variation may be the beginning of another line, which goes on.
  if (moves.length && ending && !line.at(-1).children.length) line.at(-1).ending = ending;
  for (const branch of variations) growLine(line[branch.after], branch);
};
const gameOfRecord = ({ start, comment = "", search = null, moves, variations = [], outcome = null, reason = null, remark = "", ending_milliseconds: milliseconds = null, ...head }) => {
  const found = newGame(start, head);
  Object.assign(found.root, { comment, search, value: search?.value ?? null });
  growLine(found.root, { moves, variations });
  if (outcome || reason || variations.some(({ after }) => after === moves.length)) nodeAt(found, moves.map(({ move }) => move)).ending = { outcome, reason, remark, milliseconds };
  return found;
};
const knownAt = ({ root }, moves) => moves.reduce((node, move) => node?.children.find((child) => child.move === move), root);
const nodeAt = (found, moves) => knownAt(found, moves) ?? found.root;
