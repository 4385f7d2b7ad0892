"""What the board of `kiki serve` says and does while a game goes on. Functions of serve.py."""
import re

PROMOTING = '4k4/9/9/4S4/9/9/9/9/4K4 b - 1'
MATE = '4k4/9/4P4/9/9/9/9/9/4K4 b G 1'
PAWN = '4k4/9/9/9/9/9/9/9/4K4 b P 1'


def told(board):
    return f'{board.status()} {board.browser.text("#notice")}'.strip()


def unselected(board):
    """What is taken back says nothing: the question about promotion, and a piece selected by a key."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(PROMOTING)
    for cancel in [lambda: browser.click(board.button('9i')), lambda: board.type_keys('Escape')]:
        browser.click(board.button('5d'))
        browser.click(board.button('5c'))
        board.wait(lambda: browser.value('!document.getElementById("promotion").hidden'))
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
    board.type_move('7g7f')
    board.wait(lambda: len(board.moves()) == 2)
    board.wait_for_turn()
    turn = board.status()
    assert re.search('あなたの番|Your move', turn), turn
    for _ in range(2):
        browser.click('#back')
        board.said('前の局面|earlier position', '#status')
    browser.click('#last')
    board.said(re.escape(turn), '#status')
    browser.click('#hint')
    board.said('ヒント|Hint', '#status')
    browser.click('#first')
    board.said('前の局面|earlier position', '#status')
    browser.click('[data-mode=analyze]')
    board.open_record(f'sfen {MATE} moves G*4b')
    browser.click('#find-mate')
    board.said('1手で詰みます|Mate in 1', '#status')
    browser.click('#forward')
    assert board.status() == '', board.status()
    browser.click('#back')
    board.said('1手で詰みます|Mate in 1', '#status')
