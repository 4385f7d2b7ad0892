"""The analysis screen of `kiki serve`: records, lines, reasons and files. Functions of serve.py."""
import json
import re
import time

EVEN = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1'
RECORD = '''手合割：平手
先手：甲
後手：乙
*はじめに
1 ７六歩(77)
*良い手
2 ３四歩(33)
3 ２六歩(27)
4 ８四歩(83)

変化：2手
2 ８四歩(83)
*手堅い
3 ６八銀(79)
'''
# A variation with two variations of its own.
TREE = '''手合割：平手
1 ７六歩(77)
2 ３四歩(33)
3 ２六歩(27)

変化：2手
2 ８四歩(83)
3 ６八銀(79)
4 ３四歩(33)

変化：4手
4 ８五歩(84)

変化：3手
3 ２六歩(27)
'''
# A position, a move that breaks a rule there, and what the page says.
ILLEGAL = [
    ('4k4/9/9/9/9/9/4P4/9/4K4 b P 1', 'P*5d', '二歩です|Two pawns'),
    ('4r3k/9/9/9/4G4/9/9/9/4K4 b - 1', '5e4e', '自玉に王手|would be in check'),
    ('4r3k/9/9/9/9/9/9/3G5/4K4 b - 1', '6h7h', '王手放置です|stays in check'),
    ('8k/9/8G/9/9/9/9/7R1/K8 b P 1', 'P*1b', '打ち歩詰めです|must not mate'),
    ('4k4/9/9/9/9/9/9/9/4K4 b N 1', 'N*9b', '行き所のない駒です|never move again'),
    (EVEN, '7g7e', '歩はそこへ動けません|The pawn does not move there'),
]
REPETITION = 'startpos moves ' + ' '.join(['5i5h', '5a5b', '5h5i', '5b5a'] * 3)
PERPETUAL = '8k/9/9/9/9/9/9/7R1/K8 b - 1 moves ' + ' '.join(['2h1h', '1a2a', '1h2h', '2a1a'] * 3) + ' 2h1h'
VALUES = "V2.2\nPI\n+\n+7776FU\n'** 35 -3334FU\n-3334FU\n'** -20 +2726FU\n+2726FU\n"
BLUNDER = RECORD.split('3 ')[0] + '3 ３三角成(88)\n'


def show_line(board):
    """Shows the position after two moves of the first line."""
    board.wait(lambda: board.browser.value('document.querySelector("#candidates .pv button:nth-of-type(2)") !== null'))
    board.browser.click('#candidates .pv button:nth-of-type(2)')
    board.wait(lambda: board.browser.value('document.querySelector(".way-back") !== null'))


def analysis(board, pictures, name):
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_text(RECORD)
    board.wait(lambda: len(board.moves()) == 4)
    assert browser.value('document.querySelectorAll("#moves .branch button").length') == 2
    assert browser.value('document.getElementById("comment").value') == 'はじめに'
    browser.click('#moves .branch button')
    assert browser.value('document.getElementById("comment").value') == '手堅い'
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') == 3)
    assert browser.value('document.querySelectorAll("#board polygon[fill=\'var(--arrow)\']").length') > 0
    browser.picture(pictures / f'{name}-analyze.png', whole=name == 'phone')
    previews(board)
    browser.picture(pictures / f'{name}-line.png')
    board.check('lines and variations')
    # An action of its own makes the line a variation.
    browser.click('#candidates [data-key=add]')
    board.wait(lambda: browser.value('document.querySelectorAll("#moves .branch button").length') >= 3)
    board.wait(lambda: '加えました' in browser.text('#notice') or 'part of the record' in browser.text('#notice'))
    assert not browser.value('document.querySelector(".way-back")') and browser.value('document.querySelectorAll("#moves .branch [aria-current]").length') == 1
    # A game begins at the shown position of a line, which stays out of the record.
    show_line(board)
    position, recorded = drawn(browser), browser.value('document.querySelectorAll("#moves button").length')
    browser.click('#play-here')
    board.wait(lambda: browser.value('document.getElementById("start").checkVisibility()') and drawn(browser) == position)
    browser.click('[data-mode=analyze]')
    assert browser.value('document.querySelectorAll("#moves button").length') == recorded
    browser.click('#engine')
    # A search of the game leaves a line that the board shows.
    show_line(board)
    # What is set up begins with the position of the line.
    shown = drawn(browser)
    browser.value('document.getElementById("set-up").open = true')
    board.wait(lambda: browser.value('document.querySelectorAll("#far-stand button").length') == 7)
    assert drawn(browser) == shown
    browser.value('document.getElementById("set-up").open = false')
    board.wait(lambda: drawn(browser) != shown)
    # A reload keeps the number of lines.
    board.choose('lines', '5')
    board.open()
    assert browser.value('document.getElementById("lines").value') == '5'
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') == 5)
    board.choose('lines', '3')
    show_line(board)
    browser.click('#engine')
    browser.click('#whole')
    board.wait(lambda: not browser.value('document.querySelector(".way-back")'))
    board.wait(lambda: browser.value('document.querySelectorAll("#graph .series").length') == 1)
    board.wait(lambda: re.search(r'(\d+) / \1|(\d+) of \2 ', board.status() + ' '), 120)
    # A position that breaks the rules is refused, and can be mended.
    browser.value('document.getElementById("set-up").open = true')
    time.sleep(0.2)
    assert not browser.value('["moves", "graph", "bar", "candidates", "verdict"].filter((id) => document.getElementById(id).checkVisibility()).length'), 'the record is away'
    browser.click('#back')
    board.said('先に|first')
    browser.click('#clear-board')
    browser.click('#palette [data-kind=K]')
    for square in ['5i', '5h']:
        browser.click(board.button(square))
    browser.click('#use-board')
    board.wait(lambda: browser.text('#error') != '')
    browser.click('#even-board')
    browser.click('#use-board')
    board.wait(lambda: browser.value('!document.getElementById("set-up").open') and board.moves() == [])


def drawn(browser):
    """The pieces on the board, without how they move there."""
    return browser.value('[...document.querySelectorAll("#squares button")].map((node) => node.getAttribute("aria-label")).join()')


def previews(board):
    """A line of the engine is seen on the board by mouse, finger and keys, and leads back; the record stays. It ends with the second move of a line shown."""
    browser = board.browser
    second = '#candidates .line .pv button:nth-of-type(2)'
    recorded = lambda: (board.moves(), browser.value('document.querySelectorAll("#moves .branch button").length'), browser.value('document.querySelector("#moves [aria-current]").dataset.key'))
    is_shown = lambda: browser.value('document.querySelector(".way-back") !== null')
    # The first lines have one move.
    board.wait(lambda: browser.value(f'document.querySelector("{second}") !== null'))
    record, position = recorded(), drawn(browser)
    is_touched = browser.value('matchMedia("(pointer: coarse)").matches')
    press = (lambda selector: browser.touch(browser.middle(selector))) if is_touched else browser.click
    if not is_touched:
        # Above a move the mouse shows it; elsewhere the position is back.
        move = lambda point: browser.ask('Input.dispatchMouseEvent', type='mouseMoved', x=point[0], y=point[1])
        point = browser.middle(second)
        move((point[0] - 1, point[1]))
        move(point)
        board.wait(lambda: drawn(browser) != position)
        assert not is_shown()
        move(browser.middle('#status'))
        board.wait(lambda: drawn(browser) == position)
    for leave in [lambda: press('.way-back [data-key=leave]'), lambda: board.type_keys('Escape'), lambda: press(board.button('5e')), lambda: press('#moves [aria-current]')]:
        press(second)
        board.wait(is_shown)
        assert drawn(browser) != position and recorded() == record
        top = browser.value('document.getElementById("board").getBoundingClientRect().top')
        assert top >= -1, (top, 'the board is in view')
        leave()
        board.wait(lambda: not is_shown())
        assert drawn(browser) == position and recorded() == record
    # Keys: Enter shows a move, arrows step along the line, also back to the position.
    browser.value('document.querySelector("#candidates .pv button").focus()')
    board.type_keys('Enter')
    board.wait(is_shown)
    first = drawn(browser)
    board.type_keys('ArrowRight')
    assert drawn(browser) not in (first, position)
    # The line waits while it is read, though the search goes on.
    line = browser.text('#candidates .pv')
    time.sleep(1)
    assert browser.text('#candidates .pv') == line
    board.type_keys('ArrowLeft')
    assert drawn(browser) == first and recorded() == record
    board.type_keys('ArrowLeft')
    assert drawn(browser) == position and not is_shown()
    press(second)
    board.wait(is_shown)


def thinking(board):
    """In a game a line of Kiki can be seen too, and nothing adds it; a press on the board leads back, and the game goes on."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(20, 'black')
    board.open_drawer()
    browser.value('document.getElementById("show-thinking").checked || document.getElementById("show-thinking").click()')
    # Out of the book.
    for move in ['1g1f', '9g9f', '1f1e']:
        board.type_move(move)
        board.wait(lambda: len(board.moves()) % 2 == 0 and move in board.moves())
        board.wait_for_turn()
    played, position = board.moves(), drawn(browser)
    # The first move of the line is the one that Kiki has played.
    show_line(board)
    assert drawn(browser) != position and not browser.value('document.querySelector("[data-key=add]")')
    browser.click(board.button('5e'))
    board.wait(lambda: not browser.value('document.querySelector(".way-back")'))
    assert drawn(browser) == position and board.moves() == played
    board.click_move('1e1d', 'black')
    board.wait(lambda: '1e1d' in board.moves())
    browser.value('document.getElementById("show-thinking").click()')
    board.resign()


def words(board):
    """The page says why a move is illegal, and that a game repeats. The last message is the only one. One notation is everywhere."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    for sfen, move, reason in ILLEGAL:
        board.open_record(sfen)
        board.click_move(move, 'black')
        board.said(reason)
        assert browser.value('document.getElementById("notice").getAttribute("role")') == 'status'
        board.type_move(move)
        board.said(reason)
    # A piece of the other side; a legal move takes the words away.
    browser.click(board.button('3c'))
    board.said('相手の駒です|other side')
    board.type_move('4h5h')
    board.said('そこに駒はありません|There is no piece')
    board.type_move('2g2f')
    board.wait(lambda: board.moves() == ['2g2f'] and browser.text('#notice') == '')
    for text, reason in [(REPETITION, '千日手|fourfold repetition'), (PERPETUAL, '後手の勝ち · 連続王手の千日手|White won · perpetual check')]:
        board.open_record(text)
        browser.click('#last')
        board.said(reason)
    board.open_record('手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n\n変化：2手\n2 ８四歩(83)\n3 ９九玉(59)\n')
    board.said('変化の最後の「９九玉」は反則手|A variation ends with “９九玉”')
    # A name that fits two moves; a position that is over; the values of a record.
    board.open_record('startpos')
    board.type_move('G-5h')
    board.said('一つに決まりません: ▲５八金右、▲５八金左|could be G4i-5h, G6i-5h|could be G6i-5h, G4i-5h')
    board.open_record('sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b')
    browser.click('#last')
    # The words have their place above the button.
    board.said('先手の勝ち · 詰み|Black won · checkmate')
    browser.click('#find-mate')
    board.said('先手の勝ち · 詰み|Black won · checkmate', '#status')
    board.open_record(VALUES)
    assert re.search(r'\+35.*−20', browser.text('#moves')), browser.text('#moves')
    board.wait(lambda: browser.value('document.querySelectorAll("#graph .series").length') == 1)
    assert browser.text('#tally') == '', 'a record judges no move'
    board.open_record('手合割：平手\n1 ７六歩(77)\n*角道を開ける\n2 ３四歩(33)\n')
    browser.click('#forward')
    board.wait(lambda: browser.text('#verdict') == '角道を開ける')
    board.open_record(RECORD)
    board.open_text('garbage')
    board.said('.', '#error')
    assert browser.text('#status') == '' and browser.text('#notice') == '', (board.status(), browser.text('#notice'))
    board.check('an error')
    board.open_record(TREE)
    tree = browser.value('[...document.querySelectorAll("#moves .branch")].map((node) => [node.querySelector("button").getBoundingClientRect().left, node.querySelector("button").dataset.key.split(" ").at(-1), node.parentElement.closest(".branch")?.querySelector("button").dataset.key.split(" ").at(-1)])')
    assert [node[1:] for node in tree] == [['8c8d', None], ['2g2f', '8c8d'], ['8d8e', '8c8d']] and tree[0][0] < tree[1][0] == tree[2][0], tree
    board.open_record('4k4/9/9/9/9/9/9/9/4K3+R b - 1 moves 1i1h')
    assert '竜' in browser.text('#board') and '龍' not in browser.text('#board')
    if browser.value('document.documentElement.lang') == 'ja':
        assert '▲１八竜' in browser.text('#moves'), browser.text('#moves')


def whole(board):
    """What a press brings during the search of a game stays. A searched game is searched anew, also one that ends by mate."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record('startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b')
    browser.click('#whole')
    browser.click(board.button('3c'))
    board.said('相手の駒です|other side')
    time.sleep(1.5)
    assert browser.text('#notice') != '' and re.search('やめる|Stop', browser.text('#whole')), browser.text('#notice')
    board.said(r'9 / 9|9 of 9', '#status')
    assert re.search(r'(先手: 悪手|Black: Blunder) \d+.*(後手: 悪手|White: Blunder) \d+', browser.text('#tally')), browser.text('#tally')
    board.open_record('sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b')
    for _ in range(2):
        browser.click('#whole')
        board.said(r'2 / 2|2 of 2', '#status')
        label = browser.value('(() => { const node = document.getElementById("whole"); node.click(); return node.textContent; })()')
        assert re.search('やめる|Stop', label), label
        board.said(r'2 / 2|2 of 2', '#status')


def reasons(board, picture):
    """A move that loses much has a reason, whose line can be played on the board; a hint has one too."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(BLUNDER)
    browser.click('#whole')
    board.wait(lambda: re.search('^4 / 4|^4 of 4', board.status()))
    asks = lambda: browser.value('document.querySelector("[data-key=why]") !== null')
    assert not asks()
    browser.click('#worst button')
    board.wait(asks)
    assert browser.value('document.querySelector("#moves [aria-current]").dataset.key.endsWith("8h3c+")')
    board.said(r'\?\? (悪手|Blunder)', '#verdict')
    assert browser.value('document.querySelectorAll("#moves .mark.blunder, #graph .mark-blunder").length') == 2
    browser.click('[data-key=why]')
    board.said('３三の馬をただで取られます|takes the horse on 3c for nothing', '#verdict')
    browser.picture(picture)
    board.check('a reason')
    assert 'null' not in browser.text('#verdict')
    # The sentence and its line follow the notation that the reader chose.
    ranks = {'kanji': '３三の馬|horse on ３三', 'arabic': '33の馬|horse on 33', 'western': '3cの馬|horse on 3c'}
    for notation, move in [('kanji', '△同角'), ('arabic', '△同角'), ('western', 'Bx3c')]:
        board.choose('look-notation', notation)
        said = browser.text('#verdict')
        assert re.search(ranks[notation], said) and browser.text('[data-key="line reason 2"]') == move, (notation, said)
        assert re.search(f'{re.escape(move)}(で、| takes)', said), (notation, said)
    board.choose('look-notation', 'auto')
    # Its line is shown on the board, and becomes a part of the record when the reader says so.
    before = drawn(browser)
    browser.click('[data-key="line reason 2"]')
    assert board.moves() == ['7g7f', '3c3d', '8h3c+'] and drawn(browser) != before
    board.type_keys('Escape')
    assert drawn(browser) == before
    browser.click('[data-key="line reason 2"]')
    browser.click('#verdict [data-key=add]')
    board.wait(lambda: board.moves() == ['7g7f', '3c3d', '8h3c+', '2b3c'])
    board.wait(lambda: browser.value('document.querySelector("#moves [aria-current]").dataset.key.endsWith("2b3c")'))
    assert not asks(), 'the capture is no mistake'


def searched(board, folder, number, before, after, depth=12):
    """Opens an own game of one move whose positions have these values, and another best move."""
    found = lambda value, move: {'value': {'cp': value}, 'depth': depth, 'nodes': 100_000, 'moves': [move]}
    step = {'move': '7g7f', 'japanese': '▲７六歩', 'western': 'P-7f', 'search': found(after, '3c3d')}
    game = {'start': EVEN, 'black': f'甲{number}', 'start_time': f'209{number}/01/01 00:00:00', 'search': found(before, '2g2f'), 'moves': [step]}
    file = folder / 'searched.jsonl'
    file.write_text(json.dumps(game, ensure_ascii=False) + '\n', encoding='utf-8')
    board.choose_file('#own-file', file)
    board.said('1局を読み込みました|1 game', '#own-words')
    board.browser.value('document.getElementById("own").open = true')
    board.wait(lambda: f'209{number}/01/01' in board.browser.text('#own-list'))
    # The list may be drawn anew between the press and the release of a mouse.
    board.browser.value('document.querySelector("#own-list .own-open").click()')
    board.wait(lambda: board.browser.text('#near .name') == game['black'])
    board.browser.click('#last')


def judged(board, folder):
    """What another search finds sound has no mark. A move with the value of the best one is as good. What was searched has an arrow."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    searched(board, folder, 1, 30, 40)
    board.said('同じくらい良い手は|as good as', '#verdict')
    assert browser.value('document.querySelectorAll("#board polygon[fill=\'var(--arrow)\']").length') > 0
    searched(board, folder, 2, 900, 40)
    marks = lambda: browser.value('document.querySelectorAll("#moves .mark, #verdict .badge").length')
    board.wait(lambda: marks() == 2)
    browser.click('[data-key=why]')
    board.said('悪くない|does not find this move bad', '#verdict')
    assert marks() == 0 and not browser.value('document.querySelector("#verdict .pv")')
    # What the running engine has seen so far replaces no deeper search.
    searched(board, folder, 3, 900, 40, depth=90)
    board.wait(lambda: marks() == 2)
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') > 0)
    browser.click('#back')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') > 0)
    time.sleep(0.5)
    browser.click('#engine')
    browser.click('#last')
    assert marks() == 2, marks()
    # The engine that stops leaves the page where it is.
    top = lambda: browser.value('document.getElementById("search-row").getBoundingClientRect().top')
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') > 0)
    before = top()
    browser.click('#engine')
    board.said('止めました|has stopped', '#status')
    assert top() == before, (top(), before)


def main_line(board):
    """A variation becomes the main line, and what was it a variation."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(RECORD)
    board.open_drawer()
    browser.click('#last')
    assert browser.value('document.getElementById("main-line").getAttribute("aria-disabled")') == 'true'
    browser.click('#moves .branch button:last-child')
    browser.click('#main-line')
    board.wait(lambda: board.moves() == ['7g7f', '8c8d', '7i6h'])
    assert browser.value('document.querySelectorAll("#moves .branch button").length') == 3
    assert browser.value('document.querySelector("#moves [aria-current]").dataset.key.endsWith("7i6h")')
    # Each line keeps its own end.
    board.open_record('手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n\n変化：2手\n2 ８四歩(83)\n3 ９九玉(59)\n\n変化：2手\n2 ４四歩(43)\n')
    end = lambda: browser.value('document.querySelector("#moves .end")?.textContent ?? ""')
    for move, told in [('4c4d', '^$'), ('8c8d', '反則|illegal'), ('3c3d', '投了|resignation')]:
        browser.click(f'#moves .branch [data-key$="{move}"]')
        browser.click('#main-line')
        board.wait(lambda: board.moves()[:2] == ['7g7f', move] and re.search(told, end()))
    # What follows the end is a variation, which cannot be the main line; the end goes with its move.
    browser.click('#last')
    time.sleep(0.3)
    board.type_move('2g2f')
    board.wait(lambda: browser.value('document.querySelectorAll("#moves .branch [aria-current]").length') == 1)
    assert board.moves() == ['7g7f', '3c3d'] and re.search('投了|resignation', end()), (board.moves(), end())
    assert browser.value('document.getElementById("main-line").getAttribute("aria-disabled")') == 'true'
    board.open()
    browser.click('#back')
    assert browser.value('document.getElementById("forward").getAttribute("aria-disabled")') == 'true'
    board.open_drawer()
    for _ in range(2):
        browser.click('#remove')
    board.wait(lambda: not re.search('投了|resignation', end()))


def sides(board):
    """The sides of a handicap game have their own names."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_text('lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1')
    board.wait(lambda: re.match('下手|Shitate', browser.text('#near .name')) and re.match('上手|Uwate', browser.text('#far .name')))
    assert re.match('.*(下手 歩|Shitate pawn)', browser.value(f'document.querySelector("{board.button("7g")}").getAttribute("aria-label")'))
    browser.click('[data-mode=play]')
    board.choose('handicap', 3)
    assert re.match('下手上手|Shitate.*Uwate', browser.text('#side')), browser.text('#side')
    board.choose('handicap', 0)
    assert re.match('先手後手|BlackWhite', browser.text('#side')), browser.text('#side')


def files(board, folder):
    """A record from a file, one that is dropped, and those that are saved; files that are too large."""
    browser = board.browser
    record = folder / 'record.kif'
    record.write_text(RECORD, encoding='utf-8')
    board.open_drawer()
    board.choose_file('#file', record)
    board.wait(lambda: len(board.moves()) == 4)
    browser.ask('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(folder))
    browser.click('[data-extension=csa]')
    board.said('変化とそのコメント|variations and their comments')
    assert browser.text('#drawer-words') == browser.text('#notice'), 'it is said in sight'
    # What a press removes takes a second one.
    browser.click('#last')
    browser.click('#remove')
    board.wait(lambda: re.search('本当に|Really', browser.text('#remove')))
    assert len(board.moves()) == 4
    # At another move the first press is forgotten.
    browser.click('#back')
    assert not re.search('本当に|Really', browser.text('#remove'))
    browser.click('#last')
    for _ in range(2):
        browser.click('#remove')
    board.wait(lambda: len(board.moves()) == 3)
    browser.value('(() => { const data = new DataTransfer(); data.setData("text", "startpos moves 2g2f 8c8d"); '
                  'document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true })); })()')
    board.wait(lambda: board.moves() == ['2g2f', '8c8d'])
    saved = folder / 'kiki.csa'
    browser.click('[data-extension=csa]')
    board.wait(lambda: saved.exists() and '+2726FU' in saved.read_text())
    # Day and players are in the name, without what names of files must not have.
    board.open_text('開始日時：2026/01/02 10:00:00\n手合割：平手\n先手：甲/乙\n後手：丙♞\n1 ７六歩(77)\n')
    board.wait(lambda: board.moves() == ['7g7f'])
    for extension, encoding, words in [('kif', 'cp932', '後手：丙&#9822;'), ('kifu', 'utf-8', '後手：丙♞')]:
        saved = folder / f'2026-01-02 甲_乙-丙♞.{extension}'
        browser.click(f'[data-extension={extension}]')
        board.wait(lambda: saved.exists() and words in saved.read_text(encoding=encoding))
        board.said(saved.name)
        assert ('Shift_JIS' in browser.text('#notice')) == (extension == 'kif'), browser.text('#notice')
    browser.click('[data-extension=usi]')
    board.said('対局者名|names of players')
    # The search of the whole game is in the record.
    browser.click('#whole')
    board.said(r'2 / 2|2 of 2', '#status')
    saved.unlink()
    browser.click('[data-extension=kifu]')
    board.wait(lambda: saved.exists() and '**評価値=' in saved.read_text(encoding='utf-8'))
    saved.unlink()
    browser.click('#save-search')
    browser.click('[data-extension=kifu]')
    board.wait(lambda: saved.exists() and '７六歩' in saved.read_text(encoding='utf-8'))
    assert '評価値' not in saved.read_text(encoding='utf-8')
    browser.click('#save-search')
    large = folder / 'large.kif'
    large.write_bytes(b'*' * 5_600_000)
    for mode, field in [('analyze', '#file'), ('solve', '#problem-file')]:
        browser.click(f'[data-mode={mode}]')
        # The reply to what a screen asks at first takes errors away.
        time.sleep(0.5)
        board.choose_file(field, large)
        board.said(r'5\.3 MiB.* 4 MiB|5\.3 MiB.*（4 MiB', '#error')
