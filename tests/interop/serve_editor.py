"""Positions set up by hand, and records that cannot be read to the end. Functions of serve.py."""


def carry(browser, source, target, over='#near-stand'):
    """Drags a piece by mouse or finger, as the screen has it."""
    # Each of them may scroll.
    for selector in [over, source, target]:
        browser.middle(selector)
    start, between, end = [browser.middle(selector) for selector in [source, over, target]]
    assert start == browser.middle(source), 'both are in sight'
    way = [start, between, end, end]
    if browser.value('navigator.maxTouchPoints') > 0:
        return browser.touch(*way)
    browser.mouse(*way)
    browser.settle()


def editor(board, picture):
    """Pieces are dragged from square to square, to the hands and from them, from the box, and off the board."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record('4k4/9/9/9/9/9/4P4/9/4K4 b Gs 1')
    browser.value('document.getElementById("set-up").open = true')
    board.wait(lambda: browser.value('document.querySelectorAll("#far-stand button").length') == 7)
    on_board = lambda square: browser.value(f'document.querySelector("{board.button(square)}").getAttribute("aria-label")')
    in_hand = lambda side, kind: browser.value(f'document.querySelector(\'[data-key="hand {side} {kind}"]\').dataset.count')
    hand = lambda side, kind: f'[data-key="hand {side} {kind}"]'
    carry(browser, board.button('5g'), board.button('5e'))
    # A reload keeps the position.
    board.open()
    board.wait(lambda: browser.value('document.getElementById("set-up").open'))
    assert browser.value('document.querySelectorAll("#far-stand button").length') == 7
    # Nothing of the record is removed meanwhile.
    for _ in range(2):
        browser.value('document.getElementById("remove").click()')
    # The copy is the position that is shown.
    browser.value('navigator.clipboard.writeText = async (words) => { window.copied = words; }')
    board.open_drawer()
    browser.click('#copy-sfen')
    board.wait(lambda: browser.value('window.copied') == '4k4/9/9/9/4P4/9/9/9/4K4 b Gs 1')
    assert on_board('5e').endswith(('歩', 'pawn')) and on_board('5g').endswith(('空', 'empty')), (on_board('5e'), on_board('5g'))
    # Two pieces change places; a press that moves no further changes nothing.
    carry(browser, board.button('5e'), board.button('5a'))
    assert on_board('5a').endswith(('歩', 'pawn')) and on_board('5e').endswith(('玉', 'king'))
    carry(browser, board.button('5e'), board.button('5e'), board.button('3c'))
    assert on_board('5e').endswith(('玉', 'king'))
    carry(browser, board.button('5e'), board.button('3b'))
    # To the hand of the other side, which then drops it.
    carry(browser, board.button('5a'), '#far-stand')
    assert (in_hand('white', 'P'), on_board('5a')[-1]) in [('1', '空'), ('1', 'y')]
    browser.picture(picture)
    board.check('a position that is set up')
    carry(browser, hand('white', 'P'), board.button('5c'))
    assert in_hand('white', 'P') == '0' and on_board('5c').startswith(('５三 後手 歩', '5c White pawn')), on_board('5c')
    # What stands on the square of a drop goes to the hand.
    carry(browser, hand('black', 'G'), board.button('5c'))
    assert (in_hand('black', 'G'), in_hand('black', 'P')) == ('0', '1') and on_board('5c').endswith(('金', 'gold'))
    carry(browser, hand('white', 'S'), '#near-stand')
    assert (in_hand('white', 'S'), in_hand('black', 'S')) == ('0', '1')
    # Kings are in no hand, and new pieces come from the box.
    carry(browser, board.button('5i'), '#near-stand')
    assert on_board('5i').endswith(('玉', 'king'))
    carry(browser, '#palette [data-kind="+R"]', board.button('9e'))
    assert on_board('9e').endswith(('竜', 'dragon'))
    carry(browser, board.button('9e'), '#near-stand')
    assert in_hand('black', 'R') == '1', 'a piece in hand is not promoted'
    # Off the board, from it and from a hand.
    carry(browser, hand('black', 'R'), '.controls')
    carry(browser, hand('black', 'P'), '.controls')
    assert (in_hand('black', 'R'), in_hand('black', 'P')) == ('0', '0')
    # Presses do what they did.
    browser.click(hand('black', 'P'))
    browser.click('#palette [data-kind=P]')
    browser.click(board.button('1i'))
    assert in_hand('black', 'P') == '1' and on_board('1i').endswith(('歩', 'pawn'))
    browser.click('#use-board')
    board.wait(lambda: browser.value('!document.getElementById("set-up").open'))
    board.wait(lambda: on_board('1i').endswith(('歩', 'pawn')) and on_board('5c').endswith(('金', 'gold')))


def broken(board):
    """A record that breaks a rule opens up to there, and the page says which move it is; so it does if that move ended the game."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    moves = '手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ７四歩(76)\n'
    for text, words in [
        (f'{moves}4 ８四歩(83)\n', r'2手目まで開きました。その先は読めません（4行目: 「７四歩\(76\)」は指せません）|up to move 2. The rest cannot be read .line 4: “７四歩.76.” is illegal there'),
        ('7g7f 3c3d 7f7d 8c8d', '2手目まで.*「7f7d」|up to move 2.*“7f7d” is illegal'),
        (moves, '最後の「７四歩」は反則手です|The last move, “７四歩”, is illegal'),
    ]:
        browser.value('document.getElementById("notice").textContent = ""')
        board.open_text(text)
        board.said(words)
        assert board.moves() == ['7g7f', '3c3d'] and browser.text('#error') == '', board.moves()
