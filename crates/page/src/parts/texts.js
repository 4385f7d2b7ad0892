// The texts of every page, in two languages. A page adds its own by `addTexts`.
const TEXTS = {
  ja: {
    boardLabel: "盤面", controlsLabel: "操作", movesLabel: "棋譜",
    comment: "コメント",
    first: "最初へ", back: "一手戻る", forward: "一手進む", last: "最後へ", flip: "盤を反転",
    black: "先手", white: "後手", start: "開始局面", ply: "{0}手目", plies: "{0}手", nothingInHand: "持駒なし", hand: "持駒", won: "勝ち",
    blackWins: "先手の勝ち", whiteWins: "後手の勝ち", draw: "引き分け",
    winBlack: "先手勝率", centipawns: "評価値", loss: "勝率 −{0}", bestWas: "最善は", bestMove: "最善手", asGood: "同じくらい良い手は", why: "なぜ？",
    inaccuracy: "緩手", mistake: "疑問手", blunder: "悪手", badBack: "前の悪い手へ", badForward: "次の悪い手へ",
    depth: "深さ{0}", nodes: "{0}局面",
    mateIn: "{0}手詰", mate: "詰",
    engine: "エンジン",
    notation: "指し手の書き方", auto: "自動", kanji: "７六歩", arabic: "76歩", western: "P-7f",
    limit: "制限",
    reasons: { resignation: "投了", checkmate: "詰み", declaration: "入玉宣言", "false-declaration": "宣言の失敗", "illegal-move": "反則手", time: "時間切れ", hang: "応答なし", crash: "異常終了", "not-ready": "準備できず", forfeit: "反則", sennichite: "千日手", "perpetual-check": "連続王手の千日手", impasse: "持将棋", "max-plies": "最大手数", "resign-rule": "投了規定", "draw-rule": "引き分け規定", adjudication: "裁定", interrupted: "中断" },
    pieces: { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛" },
  },
  en: {
    boardLabel: "Board", controlsLabel: "Controls", movesLabel: "Moves",
    comment: "Comment",
    first: "To the start", back: "One move back", forward: "One move forward", last: "To the end", flip: "Turn the board",
    black: "Black", white: "White", start: "Start position", ply: "Move {0}", plies: "{0} moves", nothingInHand: "empty hand", hand: "in hand", won: "won",
    blackWins: "Black won", whiteWins: "White won", draw: "Draw",
    winBlack: "Black wins", centipawns: "centipawns", loss: "−{0} winning probability", bestWas: "best was", bestMove: "best move", asGood: "as good as", why: "Why?",
    inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder", badBack: "Previous bad move", badForward: "Next bad move",
    depth: "depth {0}", nodes: "{0} nodes",
    mateIn: "mate {0}", mate: "mate",
    engine: "Engine",
    notation: "Notation", auto: "auto", kanji: "７六歩", arabic: "76歩", western: "P-7f",
    limit: "limit",
    reasons: { resignation: "resignation", checkmate: "checkmate", declaration: "entering king", "false-declaration": "wrong declaration", "illegal-move": "illegal move", time: "time ran out", hang: "no answer", crash: "program ended", "not-ready": "not ready", forfeit: "forfeit", sennichite: "fourfold repetition", "perpetual-check": "perpetual check", impasse: "impasse", "max-plies": "move limit", "resign-rule": "resignation rule", "draw-rule": "draw rule", adjudication: "adjudication", interrupted: "interrupted" },
    pieces: { P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook" },
  },
};
const addTexts = (more) => { for (const [name, texts] of Object.entries(more)) Object.assign(TEXTS[name], texts); };
let language = "ja";
const filled = (words, values) => words.replace(/\{(\d)\}/g, (_, index) => values[index]);
// English texts have plurals, but for one.
const text = (key, ...values) => {
  const found = TEXTS[language][key];
  return typeof found === "string" ? filled(found, values).replace(/(?<![\d.,])1 (move|node|position|game|day|row|comparison)s\b/g, "1 $1") : found;
};
// How moves and squares are written: null follows the language. Arabic: ranks as digits too.
let notation = null;
const notationShown = () => notation ?? (language === "ja" ? "kanji" : "western");
const inDigits = (words) => words.replace(/([１-９])([一二三四五六七八九])/g, (_, file, rank) => file.normalize("NFKC") + RANKS.arabic[RANKS.kanji.indexOf(rank)]);
const moveText = ({ japanese, western }) => ({ kanji: () => japanese, arabic: () => inDigits(japanese), western: () => western })[notationShown()]();
