"""What the board of `kiki serve` says and does while a game goes on. Functions of serve.py."""
import re
import time

from serve_games import MATE, clear, entries, open_list, played, stored

PROMOTING = '4k4/9/9/4S4/9/9/9/9/4K4 b - 1'
DECLARED = '1K7/1+R+R6/PPPPPPPPP/9/9/9/9/9/7k1 b 2B4G4S4N4L9P 1'
PAWN = '4k4/9/9/9/9/9/9/9/4K4 b P 1'


def told(board):
    return f'{board.status()} {board.browser.text("#notice")}'.strip()


def unselected(board):
    """What is taken back says nothing: the question about promotion, and a piece selected by a key."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(PROMOTING)
    leave = lambda: [browser.click(f'[data-mode={mode}]') for mode in ['play', 'analyze']]
    for cancel in [lambda: browser.click(board.button('9i')), lambda: board.type_keys('Escape'), leave, lambda: board.open_record(PROMOTING)]:
        browser.click(board.button('5d'))
        browser.click(board.button('5c'))
        board.wait(lambda: browser.value('!document.getElementById("promotion").hidden'))
        board.check('a promotion')
        cancel()
        board.wait(lambda: browser.value('document.getElementById("promotion").hidden'))
        browser.settle()
        assert not re.search('動け|does not move', told(board)) and board.moves() == [], told(board)
    board.open_record(PAWN)
    before = board.status()
    browser.value('document.querySelector("#squares button[tabindex=\'0\']").focus()')
    for undo in ['Escape', 'p']:
        board.type_keys('p')
        board.said('歩を選びました|pawn selected')
        assert board.status() == before
        board.type_keys(undo)
        assert told(board) == before, told(board)


def status(board):
    """The status is about the shown position."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    played(board, ['7g7f'])
    turn = board.status()
    assert re.search('あなたの番|Your move', turn), turn
    for _ in range(2):
        browser.click('#back')
        board.said('前の局面|earlier position', '#status')
    browser.click('#last')
    board.said(re.escape(turn), '#status')
    browser.click('#hint')
    board.said('ヒント|Hint')
    browser.click('#first')
    board.said('前の局面|earlier position', '#status')
    # A comment that is being written stays with its move.
    browser.click('#last')
    board.wait_for_turn()
    board.type_move('2g2f')
    browser.value('document.getElementById("comment").focus()')
    board.type_keys('a')
    board.wait(lambda: len(board.moves()) == 4)
    board.type_keys('b')
    comment = lambda: browser.value('document.getElementById("comment").value')
    assert comment() == 'ab', comment()
    browser.value('document.activeElement.blur()')
    assert comment() == '', comment()
    browser.click('#back')
    assert comment() == 'ab', comment()
    browser.click('[data-mode=analyze]')
    board.open_record(f'sfen {MATE} moves G*4b')
    browser.click('#find-mate')
    board.said('1手で詰みます|Mate in 1', '#status')
    browser.click('#forward')
    assert board.status() == '', board.status()
    browser.click('#back')
    board.said('1手で詰みます|Mate in 1', '#status')
    browser.click('#restore')
    board.wait(lambda: board.status() == '')


def carried(board):
    """A piece that is carried onto another one of the same side does not move there, and nothing is selected."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    way = [browser.middle(board.button(square)) for square in ['2h', '2g']]
    browser.touch(*way) if browser.value('navigator.maxTouchPoints') > 0 else browser.mouse(*way)
    board.said('飛はそこへ動けません|The rook does not move there')
    assert not browser.value('document.querySelector("#squares [aria-selected]")')
    board.click_move('2g2f', 'black')
    board.wait(lambda: '2g2f' in board.moves())
    board.resign()
    browser.click('#banner-close')
    board.open()
    board.said('投了|resignation', '#status')
    assert browser.value('document.getElementById("banner").hidden'), 'it was closed'


def declared(board):
    """Where a declaration wins, the analysis and a hint say so."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(DECLARED)
    browser.click('#engine')
    board.said('入玉宣言勝ち|declares a win', '#candidates')
    browser.click('#play-here')
    board.begin(1, 'black')
    browser.click('#hint')
    board.said('入玉宣言で勝ち|declare the win')
    board.resign()
    browser.click('[data-mode=analyze]')


def analyzed(board):
    """`Analyze` at the end of a game searches it. Its words and names follow the language. Who has left the result does not see it again."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    played(board, ['7g7f'])
    board.resign()
    browser.click('[data-key="banner analyzeIt"]')
    board.said(r'3 / 3 局面|3 of 3 positions', '#status')
    here = browser.value('document.documentElement.lang')
    words = {'ja': ('局面を調べました', 'あなた', 'レベル1'), 'en': ('positions searched', 'You', 'level 1')}
    for language in [*(other for other in words if other != here), here]:
        browser.click(f'[data-lang={language}]')
        status, near, far = words[language]
        assert status in board.status() and near in browser.text('#near .name') and far in browser.text('#far .name'), (language, board.status(), browser.text('#far .name'))
    browser.click('[data-mode=play]')
    assert browser.value('document.getElementById("banner").hidden')


def after_the_end(board):
    """To take back after the end first undoes the end: the game goes on where it ended, also one that was lost on time. A mate is taken back with its move."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    played(board, ['7g7f'])
    before = board.moves()
    board.resign()
    browser.click('#banner-close')
    board.open_drawer()
    assert browser.value('document.getElementById("remove").getAttribute("aria-disabled")') == 'true', 'a game is taken back'
    browser.click('#take-back')
    board.wait_for_turn()
    assert board.moves() == before and browser.value('document.getElementById("banner").hidden'), board.moves()
    board.said('あなたの番|Your move', '#status')
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    # Before the first move too. The board may be turned meanwhile; the focus stays at its square.
    browser.value('document.querySelector("#squares button[tabindex=\'0\']").focus()')
    label = lambda: browser.value('document.activeElement.getAttribute("aria-label")')
    before = label()
    for _ in range(2):
        board.type_keys('f')
        assert label() == before, (label(), before)
    board.resign()
    browser.click('#banner-close')
    browser.click('#take-back')
    board.wait_for_turn()
    board.resign()
    # Byoyomi of a second, and a second in all.
    for field, value, other in [('byoyomi', 1, 'increment'), ('increment', 1, 'byoyomi')]:
        board.choose('clock', 'own')
        for name, number in [('minutes', 0), (field, value), (other, 0)]:
            board.choose(name, number)
        board.begin(1, 'black')
        board.said('時間切れ|time ran out', '#status')
        board.choose('clock', 0)
        browser.click('#banner-close')
        browser.click('#take-back')
        board.said('あなたの番|Your move', '#status')
        assert browser.value('document.getElementById("clock-black") !== null') == (field == 'byoyomi')
        board.type_move('7g7f')
        board.wait(lambda: len(board.moves()) == 2)
        board.resign()
    browser.click('[data-mode=analyze]')
    board.open_record(MATE)
    browser.click('#play-here')
    # Byoyomi of ten seconds, which Kiki has again then.
    board.choose('clock', 1)
    board.begin(0, 'black')
    board.type_move('G*5b')
    board.wait(lambda: browser.value('!document.getElementById("banner").hidden'))
    browser.click('#banner-close')
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    played(board, ['5i5h'])
    board.resign()
    # The next game has the clock of this one, whatever the card says.
    board.choose('clock', 0)
    browser.click('[data-key="banner rematchSame"]')
    board.wait(lambda: browser.value('document.getElementById("clock-black") !== null') and board.moves() == [])
    board.wait_for_turn()
    board.resign()
    # Every part of it: without minutes and byoyomi there are ten seconds for each move.
    board.choose('clock', 'own')
    for field, value in [('minutes', 0), ('byoyomi', 0), ('increment', 10)]:
        board.choose(field, value)
    board.begin(1, 'black')
    board.resign()
    browser.click('[data-key="banner rematchSame"]')
    board.wait_for_turn()
    assert browser.text('#clock-black') in ('0:10', '0:09'), browser.text('#clock-black')
    board.choose('clock', 0)
    board.resign()


def another_game(board):
    """A game waits below the card of the next one, and ends only when that one begins."""
    browser = board.browser
    browser.click('[data-mode=play]')
    clear(board)
    # A number that is not shown is not checked.
    for field, value in [('clock', 'own'), ('minutes', 700), ('clock', 3)]:
        board.choose(field, value)
    board.begin(1, 'black')
    board.choose('minutes', 10)
    played(board, ['7g7f'])
    before = board.moves()
    seconds = lambda clock: 60 * int(clock.split(':')[0]) + int(clock.split(':')[1])
    left = seconds(browser.text('#clock-black'))
    browser.click('#new')
    board.said('途中の対局は中断|A new one will break it off', '#status')
    board.check('settings over a game')
    # What is set up has the names of the next game, and nothing of the last one.
    browser.click('[value=watch]')
    assert not browser.value('document.getElementById("clock-black") || document.getElementById("moves").checkVisibility()')
    assert all(re.search(f'Kiki (レベル|level ){level}', browser.text(f'#{side} .name')) for side, level in [('near', 1), ('far', 5)])
    browser.click('[value=kiki]')
    board.choose('side', 'white')
    assert re.search('あなた|You', browser.text('#far .name')), browser.text('#far .name')
    board.choose('side', 'black')
    time.sleep(3)
    browser.click('#start-close')
    board.wait_for_turn()
    assert seconds(browser.text('#clock-black')) >= left - 1, 'the clock waits'
    board.said('あなたの番|Your move', '#status')
    assert board.moves() == before
    # While Kiki thinks too, which then thinks anew.
    board.type_move('9g9f')
    browser.click('#new')
    time.sleep(2)
    assert [game['plies'] for game in stored(board, 'games')] == [3], 'Kiki waits'
    browser.click('#start-close')
    board.wait(lambda: len(board.moves()) == 4)
    board.wait_for_turn()
    # From the analysis likewise.
    browser.click('[data-mode=analyze]')
    board.open_record(PAWN)
    browser.click('#play-here')
    browser.click('#start-close')
    board.wait(lambda: len(board.moves()) == 4)
    board.wait_for_turn()
    open_list(board)
    assert re.search('対局中|going on', entries(board)[0])
    browser.click('#new')
    board.choose('start-at', 'start')
    board.choose('clock', 0)
    board.begin(1, 'black')
    assert board.moves() == []
    board.wait(lambda: re.search('(中断|broken off).*4', entries(board)[0]))


def waiting(board, picture):
    """Other screens say that a game waits, with its clock, and lead back to it."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.choose('start-at', 'start')
    board.choose('clock', 3)
    board.begin(1, 'black')
    board.choose('clock', 0)
    played(board, ['7g7f'])
    for mode in ['analyze', 'solve']:
        browser.click(f'[data-mode={mode}]')
        board.said(r'対局は止まっています。 あなたの番です (9:5\d|10:00)|The game waits\. Your move (9:5\d|10:00)', '#waiting')
    browser.picture(picture)
    board.check('a game that waits')
    said = browser.text('#waiting')
    time.sleep(1.2)
    board.open()
    assert browser.text('#waiting') == said, (browser.text('#waiting'), said)
    browser.click('[data-key="to game"]')
    board.wait_for_turn()
    assert len(board.moves()) == 2 and browser.text('#waiting') == '' and browser.text('#clock-black') in said, (browser.text('#clock-black'), said)
    board.resign()
    browser.click('[data-mode=analyze]')
    assert browser.text('#waiting') == ''
