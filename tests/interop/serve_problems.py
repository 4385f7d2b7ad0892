"""The Solve screen of `kiki serve`: problems, what is kept of them, and what comes again."""
import json
import re
import time

SOLVED = '正解です|Right|詰みました|It is mate'
# Black mates by the gold on 5b; it plays it elsewhere, and later once more.
MISSED = '''手合割：その他
上手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金
先手番
先手：甲
後手：乙
1 ５八玉(59)
2 ４一玉(51)
'''
LEAST = 400
LENGTHS = {1, 3, 5, 7, 9, 11}
DAY = 24 * 60 * 60 * 1000


class Solving:
    """What a person does on the Solve screen."""

    def __init__(self, board, adviser):
        self.board, self.browser, self.adviser = board, board.browser, adviser

    def open(self):
        self.browser.click('[data-mode=solve]')
        self.ready()

    def ready(self):
        self.board.said('王手の連続|Mate by checks', '#status')
        # The legal moves are known.
        time.sleep(0.3)

    def value(self, field):
        return self.browser.value(f'document.getElementById("{field}").value')

    def options(self, field):
        return self.browser.value(f'[...document.getElementById("{field}").options].map((node) => node.textContent)')

    def chosen(self, field):
        return self.browser.value(f'document.getElementById("{field}").selectedOptions[0].textContent')

    def kept(self):
        return json.loads(self.browser.value('localStorage.getItem("problems")'))

    def sfen(self):
        """The shown problem of the page's own, by its number and its length, which the list names unless all have the same."""
        number, length = re.match(r'\D+(\d+)\D*(\d*)', self.chosen('problem')).groups()
        length = length or self.value('problem-set')
        lines = json.loads(self.browser.text('#settings'))['problems']
        return [line for line in lines if line.split()[3] == length][int(number) - 1].rsplit(' ', 1)[0] + ' 1'

    def legal(self):
        return [named['move'] for named in self.adviser.position(self.sfen(), [])['legal']]

    def solve(self, start=None):
        start, played = start or self.sfen(), []
        side = 'black' if start.split()[1] == 'b' else 'white'
        while not re.search(SOLVED, self.board.status()):
            moves = self.adviser.ask(ask='mate', line={'start': start, 'moves': played}, seconds=20)['moves']
            self.board.click_move(moves[0]['move'], side)
            self.board.said(f'{SOLVED}|あと|to go', '#status')
            time.sleep(0.1)
            played = self.board.moves()
        return len(played)

    def err(self):
        """Plays a check that does not mate, if there is one; whether it did."""
        start = self.sfen()
        side = 'black' if start.split()[1] == 'b' else 'white'
        for move in self.legal():
            if self.adviser.position(start, [move])['in_check'] and self.adviser.ask(ask='defend', line={'start': start, 'moves': [move]})['defence']['kind'] == 'refuted':
                self.board.click_move(move, side)
                self.board.said('応じられて詰みません|escapes the mate', '#status')
                return True
        return False

    def later(self, milliseconds):
        """As if this time had passed, for problems that come again."""
        kept = self.kept()
        for known in filter(None, kept['known'].values()):
            known['due'] -= milliseconds
        self.browser.value(f'localStorage.setItem("problems", {json.dumps(json.dumps(kept))})')
        self.board.open()


def interrupted(solving):
    """The solution after a wrong move is that of the problem. Who goes back before the defence comes meets it all the same. What another tab has solved stays."""
    board, browser = solving.board, solving.browser
    board.choose('problem-set', 3)
    solving.ready()
    while not solving.err():
        browser.click('#problem-next')
        solving.ready()
    browser.click('#solution')
    board.said('3手で詰みます|Mate in 3', '#status')
    browser.click('#again')
    solving.ready()
    start = solving.sfen()
    mate = solving.adviser.ask(ask='mate', line={'start': start, 'moves': []}, seconds=20)['moves'][0]['move']
    source = f'[data-key="hand {"black" if start.split()[1] == "b" else "white"} {mate[0]}"]' if mate[1] == '*' else board.button(mate[:2])
    presses = [source, board.button(mate[2:4]), f'#promotion:not([hidden]) button:{"first" if mate.endswith("+") else "last"}-child', '#back']
    browser.value(f'for (const button of {json.dumps(presses)}) document.querySelector(button)?.click()')
    board.said('あと|to go', '#status')
    assert len(board.moves()) == 2, board.moves()
    kept = solving.kept()
    kept['known']['another'] = 0
    browser.value(f'localStorage.setItem("problems", {json.dumps(json.dumps(kept))})')
    board.choose('problem-set', 3)
    solving.ready()
    assert 'another' in solving.kept()['known']


def problems(board, adviser, pictures, name, folder):
    """Solves problems, with and without mistakes; they come again. Missed mates of a game come too. Returns the number of moves of the first solution."""
    browser, solving = board.browser, Solving(board, adviser)
    browser.value('localStorage.removeItem("problems")')
    board.open()
    solving.open()
    assert re.match(r'第1問 ★☆☆（1手詰）|No. 1 ★☆☆ \(mate in 1\)', board.status()), board.status()
    lines = json.loads(browser.text('#settings'))['problems']
    assert len(lines) >= LEAST, len(lines)
    lengths = [int(line.split()[3]) for line in lines]
    assert lengths == sorted(lengths) and set(lengths) >= LENGTHS, set(lengths)
    assert len(solving.options('problem-set')) == len(set(lengths)), solving.options('problem-set')
    assert len(solving.options('problem')) == lengths.count(lengths[0])
    board.choose('problem-set', 3)
    solving.ready()
    browser.picture(pictures / f'{name}-solve.png', whole=name == 'phone')
    board.check('a problem')
    # A move that is no check is taken back, and is no mistake.
    side = 'black' if solving.sfen().split()[1] == 'b' else 'white'
    quiet = next(move for move in solving.legal() if not move.endswith('+') and not adviser.position(solving.sfen(), [move])['in_check'])
    board.click_move(quiet, side)
    board.wait(lambda: '別の手' in board.status() or 'another' in board.status())
    assert board.moves() == []
    first, count = solving.sfen(), solving.solve()
    assert count == 3, count
    # At the end there is nothing to solve or to remove.
    for idle in ['solution', 'solve-hint', 'remove']:
        assert browser.value(f'document.getElementById("{idle}").getAttribute("aria-disabled")') == 'true', idle
    # What is solved has a mark and counts, also on the next visit, and leads on.
    assert '✓' in solving.chosen('problem') and '(1/' in solving.chosen('problem-set'), solving.chosen('problem-set')
    assert re.search('今日 1問|1 solved today', browser.text('#today')), browser.text('#today')
    browser.picture(pictures / f'{name}-solved.png', whole=name == 'phone')
    board.check('a solved problem')
    browser.click('[data-key="banner nextProblem"]')
    board.wait(lambda: solving.value('problem') == '1')
    solving.ready()
    board.open()
    solving.ready()
    assert '✓' in solving.options('problem')[0] and solving.value('problem') == '1' and solving.value('problem-set') == '3'
    # The shown problem stays, though another one is the first that is open.
    browser.click('#problem-next')
    solving.ready()
    board.open()
    solving.ready()
    assert solving.value('problem') == '2', solving.value('problem')
    # After a mistake the problem is due in ten minutes, also if it is solved then.
    while not solving.err():
        browser.click('#problem-next')
        solving.ready()
    wrong = solving.sfen()
    board.check('a refuted check')
    assert browser.value('document.getElementById("solve-hint").getAttribute("aria-disabled")') == 'false'
    browser.click('#again')
    solving.ready()
    assert board.moves() == []
    solving.solve()
    board.said('もう一度出ます|comes again', '#status')
    assert '↻' in solving.chosen('problem') and solving.kept()['known'] == {first: 0, wrong: solving.kept()['known'][wrong]}
    # A due problem stays over a reload, though the mistake has put it off.
    solving.later(DAY / 144 + 60_000)
    solving.ready()
    assert solving.err()
    board.open()
    solving.ready()
    assert solving.value('problem-set') == 'due' and solving.sfen() == wrong, solving.value('problem-set')
    solving.solve()
    for box in range(5):
        assert solving.kept()['known'][wrong]['box'] == box
        wait = [DAY / 144, DAY, 3 * DAY, 7 * DAY, 21 * DAY][box]
        solving.later(wait - 60_000)
        assert solving.sfen() != wrong and not re.search('復習|due', browser.text('#today')), browser.text('#today')
        solving.later(120_000)
        solving.ready()
        assert solving.value('problem-set') == 'due' and solving.sfen() == wrong and re.search('復習 1問|1 due', browser.text('#today'))
        if box == 0:
            browser.picture(pictures / f'{name}-due.png', whole=name == 'phone')
        solving.solve()
    assert solving.kept()['known'][wrong] == 0, 'learned'
    interrupted(solving)
    # Keys lead from problem to problem.
    board.type_keys('PageDown')
    solving.ready()
    assert solving.value('problem-set') != 'due'
    board.type_keys('PageUp')
    solving.ready()
    # Without anything due, `Next` goes back to the lengths. A hint is a mistake.
    browser.click('#problem-on')
    solving.ready()
    assert solving.value('problem-set') != 'due'
    helped = solving.sfen()
    browser.click('#solve-hint')
    # The piece first, then its move.
    board.said('ヒント: .*(動かします|打ちます)|Hint: (move|drop) the', '#status')
    browser.click('#solve-hint')
    board.said(r'ヒント: [▲△]|Hint: \S*[-x*]', '#status')
    assert solving.kept()['known'][helped]['box'] == 0
    # Grades: the third grade has the last third of a length.
    board.choose('problem-set', 5)
    every = solving.options('problem')
    board.choose('problem-grade', 2)
    solving.ready()
    hard = solving.options('problem')
    assert all('★★★' in option for option in hard) and hard == every[-len(hard):] and len(every) / 4 < len(hard) < len(every) / 2
    board.choose('problem-grade', '')
    # A missed mate of an analysed game is a problem, due at once.
    browser.click('[data-mode=analyze]')
    board.open_record(MISSED)
    browser.click('#whole')
    board.said('詰み1つ|1 missed mate', '#notice')
    board.open()
    browser.click('[data-mode=solve]')
    solving.ready()
    assert solving.value('problem-set') == 'due' and re.search('甲-乙.*1手|甲-乙, move 1 ', solving.chosen('problem')), solving.chosen('problem')
    solving.solve('4k4/9/4P4/9/9/9/9/9/4K4 b G 1')
    board.choose('problem-set', 'own')
    solving.ready()
    assert len(solving.options('problem')) == 1
    # Another tab forgets it: another collection takes its place.
    kept = solving.kept()
    browser.value(f'localStorage.setItem("problems", {json.dumps(json.dumps({**kept, "own": []}))})')
    board.choose('problem-set', 'own')
    solving.ready()
    assert solving.value('problem-set') == '1'
    browser.value(f'localStorage.setItem("problems", {json.dumps(json.dumps(kept))})')
    board.open()
    board.choose('problem-set', 'own')
    solving.ready()
    browser.click('#forget')
    board.wait(lambda: 'own' not in browser.value('[...document.getElementById("problem-set").options].map((node) => node.value)'))
    # The first problem of a file opens, also after another was solved. It may have no mate.
    file = folder / 'problems.sfen'
    file.write_text('# a note\n4k4/9/9/9/9/9/9/9/4K4 b G 1\nkkkk5/9/9/9/9/9/9/9/9 b G 1\nx/9/9/9/9/9/9/9/4K4 b G 1\n')
    board.choose_file('#problem-file', file)
    board.said('詰みません|No mate', '#status')
    board.said('2行|2 lines')
    assert re.match(r'.*(\(0/1\))', solving.chosen('problem-set')) and re.match('ファイルの第1問|No. 1 of the file', solving.chosen('problem'))
    # The file outlives a reload.
    board.open()
    board.choose('problem-set', 'file')
    board.said('詰みません|No mate', '#status')
    board.choose('problem-set', 1)
    board.wait(lambda: not re.search('詰みません|No mate', board.status()))
    return count
