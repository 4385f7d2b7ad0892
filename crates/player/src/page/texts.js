// The texts of the player's page, in two languages; the rest is in the report.
const report = JSON.parse(byId("report").textContent);
addTexts({
  ja: {
    facts: "{0}局、判定した手 {1}、{2}", incomplete: "探索は途中です", numberOfGames: "{0}（{1}局）",
    ratingLabel: "指し手によるレーティング", noRating: "なし", interval: "95%区間 {0}〜{1}", opponentsRating: "同じ対局の相手全体: {0}（95%区間 {1}〜{2}）", bestRate: "レーティングには{1}局の{0}局面を数えました（16手目より後で、選択の余地があり、評価値が歩3枚以内）。最善手の割合 {2}、平均誤差 {3}（0なら誤りなし）",
    findingsLabel: "強みと、よくある失敗", strength: "強み", weakness: "弱み", costly: "損失の大きい手", comparedHeading: "同じ対局の相手と比べて", lostHeading: "損失の大きい所（相手との比較ではありません）", zero: "0は、1手8,000局面のKikiのネットワークです。", noFindings: "相手との{0}の比較に、偶然を超える差はありません。局数が増えれば見つかることがあります。",
    noComparisons: "相手と比べられるだけの手数（それぞれ30手、4局）がまだありません。",
    previousQuestion: "前の問題", nextQuestion: "次の問題", question: "問題 {0} / {1}", ask: "この局面でもっと良い手は？", toMove: "{0}の番", candidatesLabel: "候補手",
    noQuestions: "問題にする局面はありません。", right: "正解です。", wrong: "エンジンの評価ではもっと良い手があります。", wasPlayed: "実戦の手です。", playedMove: "実戦",
    lossWas: "実戦の手で、勝率は{0}から{1}になりました。", bestLine: "最善手からの読み筋", playedLine: "実戦の手からの読み筋", chosenLine: "選んだ手からの読み筋", practise: "この種類の{0}問を解く", practiceOf: "「{0}」の問題だけを出しています。", allQuestions: "すべての問題", score: "{0}問中{1}問正解", mateFor: "{0}手詰", matedIn: "{0}手で詰まされる",
    numbersLabel: "数字", group: "手の種類", moves: "手数", games: "局", accuracy: "精度", meanLoss: "平均損失", opponents: "相手", best: "最善手", mistakes: "? と ??", all: "すべて",
    aboutLabel: "この調べ方について",
    engineFacts: "エンジン: {0}、{1}、候補手{2}本。", marks: "勝率は評価値から 1 / (1 + exp(−評価値 / {0})) で求めます。勝率の損失が{1}以上の手が疑問手 ?、{2}以上が悪手 ?? です。唯一の合法手と、勝負が決した後の手は数えません。",
    means: "精度は、判定した手それぞれの 100 × exp(−損失 / {0}) の平均です。±は95%区間の半分です。一局の手は互いに独立でないので、区間は局ごとのばらつきから求めます。", rule: "強みと弱みは、相手との比較です。同じ分類のほかの手に対する損失の比を、同じ対局の相手の比と比べます。だれにとっても難しい手は弱みではなく、「損失の大きい手」として、本人のほかの手とだけ比べます。どの比較にも30手、4局以上あり、差が0.5%以上で、全部の比較を合わせた95%区間が1倍を含まないものだけを書きます。",
    quizRule: "問題は、損失の大きい疑問手と悪手から、なるべく一局3問までで選びます。種類ごとに解くときは8問まで出します。損失が緩手に達しない候補手はどれも正解です。",
    keys: "キー: 1〜4 候補手、← → 問題、f 盤を反転。",
  },
  en: {
    facts: "{0} games, {1} judged moves, {2}", incomplete: "the searches are not complete", numberOfGames: "{0} ({1} games)",
    ratingLabel: "Rating by moves", noRating: "none", interval: "95% interval {0} to {1}", opponentsRating: "All opponents in the same games: {0} (95% interval {1} to {2}).", bestRate: "The rating counts {0} positions of {1} games: after 16 plies, with a choice, within 3 pawns. The best move was played in {2}; the mean error was {3} (0: none)",
    findingsLabel: "Strengths and typical mistakes", strength: "Strength", weakness: "Weakness", costly: "Costly", comparedHeading: "Compared with the opponents in the same games", lostHeading: "Where most is lost, whatever opponents do", zero: "0 is Kiki's network with 8,000 nodes a move.", noFindings: "None of {0} comparisons with opponents is beyond chance. More games may show more.",
    noComparisons: "There are too few moves to compare with those of opponents: 30 moves of 4 games each.",
    previousQuestion: "Previous question", nextQuestion: "Next question", question: "Question {0} of {1}", ask: "What was better here?", toMove: "{0} to move", candidatesLabel: "Candidate moves",
    noQuestions: "There are no positions to study.", right: "Right.", wrong: "The engine knows a better move.", wasPlayed: "This move was played.", playedMove: "played",
    lossWas: "The played move took the winning probability from {0} to {1}.", bestLine: "After the best move", playedLine: "After the played move", chosenLine: "After your move", practise: "Practise {0} of these", practiceOf: "Only questions of {0}.", allQuestions: "All questions", score: "{1} of {0} right", mateFor: "mate in {0}", matedIn: "mated in {0}",
    numbersLabel: "Numbers", group: "Moves", moves: "number", games: "games", accuracy: "accuracy", meanLoss: "mean loss", opponents: "opponents", best: "best", mistakes: "? and ??", all: "all",
    aboutLabel: "About this page",
    engineFacts: "Engine: {0}, {1}, {2} lines.", marks: "Values become winning probabilities by 1 / (1 + exp(−value / {0})). A loss of {1} or more is a mistake ?, of {2} or more a blunder ??. Forced moves and moves of a decided game are not judged.",
    means: "Accuracy is the mean of 100 × exp(−loss / {0}) over judged moves. ± is half of the 95% interval. Moves of one game are not independent, so intervals follow from how games differ.", rule: "Strengths and weaknesses compare the player with the opponents in the same games: the loss in a group, as a multiple of the loss in the other moves of its kind, over the same multiple of opponents. What is hard for everybody is no weakness. It is called costly, by comparison with the player's other moves alone. All that is compared has at least 30 moves of 4 games. The difference is at least 0.5%, and the interval excludes once as much at a level where all comparisons together hold 95%.",
    quizRule: "Questions are the mistakes with the greatest losses, three of a game where possible. Groups to practise have up to eight. Every candidate that loses less than an inaccuracy is right.",
    keys: "Keys: 1 to 4 candidates, ← → questions, f turns the board.",
  },
});
const words = (both) => both[language];
