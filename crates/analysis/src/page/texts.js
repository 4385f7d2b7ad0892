// What the page says, in two languages.
const TEXTS = {
  ja: {
    boardLabel: "盤面", controlsLabel: "操作", graphLabel: "形勢グラフ", timesLabel: "一手ごとの消費時間、最長は{1}手目の{0}", candidatesLabel: "候補手", movesLabel: "棋譜", summaryLabel: "対局のまとめ",
    aboutLabel: "この解析について", variationsLabel: "棋譜の変化", comment: "コメント",
    first: "最初へ", back: "一手戻る", forward: "一手進む", last: "最後へ", badBack: "前の悪い手へ", badForward: "次の悪い手へ", flip: "盤を反転",
    black: "先手", white: "後手", start: "開始局面", ply: "{0}手目", plies: "{0}手", nothingInHand: "持駒なし", hand: "持駒", won: "勝ち",
    blackWins: "先手の勝ち", whiteWins: "後手の勝ち", draw: "引き分け",
    inaccuracy: "緩手", mistake: "疑問手", blunder: "悪手",
    winBlack: "先手勝率", centipawns: "評価値", loss: "勝率 −{0}", bestWas: "最善は", declaration: "入玉宣言", engineResigns: "エンジンは投了", value: "評価値", none: "評価値なし",
    forced: "唯一の合法手", decided: "形勢は決していた", bestMove: "最善手", searchmoves: "この手だけを探索した値", next: "次の局面の値",
    notSearched: "まだ探索していません", noLines: "読み筋なし", resign: "投了", win: "入玉宣言勝ち", over: "詰み", depth: "深さ{0}", nodes: "{0}局面",
    sigma: "誤差 ±{0}", played: "実戦", lineShown: "読み筋 {0} / {1}", variationShown: "変化 {0} / {1}", leaveLine: "実戦に戻る", mateIn: "{0}手詰", mate: "詰",
    incomplete: "解析は途中です", player: "対局者", accuracy: "精度", bestMoves: "最善手", meanLoss: "平均損失", engine: "エンジン",
    thresholds: "勝率は評価値から 1 / (1 + exp(−評価値 / {0})) で求めます。勝率の損失が {1} 以上の手を緩手 ?!、{2} 以上を疑問手 ?、{3} 以上を悪手 ?? とします。唯一の合法手と、勝負が決した後（勝率 {4} 以上または {5} 以下）の手は数えません。",
    accuracyNote: "「最善手」は、エンジンの最善手と一致した手の数 / 判定した手の数です。精度は、判定した手それぞれの 100 × exp(−損失 / {0}) の平均です。",
    lists: "候補手の評価値は先手から見た値です。帯はエンジンの示す誤差（1σ）です。",
    keys: "キー: ← → 一手、↑ ↓ 悪い手、Home End 最初と最後、f 反転、Esc 読み筋を閉じる。盤を左右になぞっても動きます。",
    limit: "制限",
    reasons: { resignation: "投了", checkmate: "詰み", declaration: "入玉宣言", "false-declaration": "宣言の失敗", "illegal-move": "反則手", time: "時間切れ", hang: "応答なし", crash: "異常終了", "not-ready": "準備できず", forfeit: "反則", sennichite: "千日手", "perpetual-check": "連続王手の千日手", impasse: "持将棋", "max-plies": "最大手数", "resign-rule": "投了規定", "draw-rule": "引き分け規定", adjudication: "裁定", interrupted: "中断" },
    pieces: { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛" },
  },
  en: {
    boardLabel: "Board", controlsLabel: "Controls", graphLabel: "Evaluation graph", timesLabel: "Time of each move; the longest is {0}, move {1}", candidatesLabel: "Candidate moves", movesLabel: "Moves", summaryLabel: "Summary",
    aboutLabel: "About this analysis", variationsLabel: "Variations of the record", comment: "Comment",
    first: "To the start", back: "One move back", forward: "One move forward", last: "To the end", badBack: "Previous bad move", badForward: "Next bad move", flip: "Turn the board",
    black: "Black", white: "White", start: "Start position", ply: "Move {0}", plies: "{0} moves", nothingInHand: "empty hand", hand: "in hand", won: "won",
    blackWins: "Black won", whiteWins: "White won", draw: "Draw",
    inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder",
    winBlack: "Black wins", centipawns: "centipawns", loss: "−{0} winning probability", bestWas: "best was", declaration: "to declare a win", engineResigns: "the engine resigns", value: "value", none: "no value",
    forced: "the only legal move", decided: "the game was decided", bestMove: "best move", searchmoves: "value of a search of this move alone", next: "value of the next position",
    notSearched: "not searched yet", noLines: "no lines", resign: "resigns", win: "declares a win", over: "checkmate", depth: "depth {0}", nodes: "{0} nodes",
    sigma: "error ±{0}", played: "played", lineShown: "Line, move {0} of {1}", variationShown: "Variation, move {0} of {1}", leaveLine: "Back to the game", mateIn: "mate {0}", mate: "mate",
    incomplete: "the analysis is not complete", player: "Player", accuracy: "Accuracy", bestMoves: "Best moves", meanLoss: "Mean loss", engine: "Engine",
    thresholds: "Values become winning probabilities by 1 / (1 + exp(−value / {0})). A loss of {1} or more is an inaccuracy ?!, {2} a mistake ?, {3} a blunder ??. Forced moves and moves in a decided game (winning probability at least {4} or at most {5}) are not judged.",
    accuracyNote: "Best moves: how many of the judged moves were the engine’s own choice. Accuracy is the mean of 100 × exp(−loss / {0}) over judged moves.",
    lists: "Values of candidates are Black's. The band is the error that an engine tells (one sigma).",
    keys: "Keys: ← → one move, ↑ ↓ bad moves, Home End start and end, f turns the board, Esc leaves a line. Swiping over the board moves too.",
    limit: "limit",
    reasons: { resignation: "resignation", checkmate: "checkmate", declaration: "entering king", "false-declaration": "wrong declaration", "illegal-move": "illegal move", time: "time ran out", hang: "no answer", crash: "program ended", "not-ready": "not ready", forfeit: "forfeit", sennichite: "fourfold repetition", "perpetual-check": "perpetual check", impasse: "impasse", "max-plies": "move limit", "resign-rule": "resignation rule", "draw-rule": "draw rule", adjudication: "adjudication", interrupted: "interrupted" },
    pieces: { P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook" },
  },
};
let language = "ja";
const text = (key, ...values) => {
  const found = TEXTS[language][key];
  return typeof found === "string" ? found.replace(/\{(\d)\}/g, (_, index) => values[index]) : found;
};
const moveText = (move) => (language === "ja" ? move.japanese : move.western);
