#!/usr/bin/env python3
"""Drives the board of `kiki serve` in a real browser, by the protocol of its developer tools.

usage: serve.py KIKI PICTURES [GAMES [CHROMIUM]]

Needs websocket-client and axe-playwright-python. A game goes on after a restart of the program. At the sizes of a phone and of a desk it plays a whole game, by touch and by keys. It tries a hint, a move taken
back and the clock, analyzes a record with variations, sets up a position, opens and saves files, and solves problems. Own games are kept, exported and imported, and Kiki plays itself: serve_games.py. What is said meanwhile, and how games wait and end: serve_play.py. Positions are set up, and broken records open: serve_editor.py. Hostile connections come
while a game goes on. Then GAMES games are played by the protocol of the page alone. Fails if a move is lost, if anything is loaded from elsewhere, if the program
of the page fails, if the page is wider than the window, or if a state of a screen is not accessible (access.py).
"""
import json
import os
import pathlib
import pty
import random
import re
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

import websocket
import access
import serve_editor
import serve_games
import serve_play
from browser import Browser
from serve_problems import problems
from serve_touch import touched_game

SIZES = {'phone': (390, 844, True), 'desk': (1280, 720, False)}
MOST_TOUCHED = 150
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
    (EVEN, '7g7e', 'その駒はそこへ動けません|does not move there'),
]
REPETITION = 'startpos moves ' + ' '.join(['5i5h', '5a5b', '5h5i', '5b5a'] * 3)
PERPETUAL = '8k/9/9/9/9/9/9/7R1/K8 b - 1 moves ' + ' '.join(['2h1h', '1a2a', '1h2h', '2a1a'] * 3) + ' 2h1h'
BLUNDER = RECORD.split('3 ')[0] + '3 ３三角成(88)\n'


class Protocol:
    """A tab without a page."""

    def __init__(self, address):
        origin = address.rsplit('/', 2)[0]
        self.socket = websocket.create_connection(address.replace('http', 'ws') + 'socket', origin=origin, timeout=120)
        self.asked = 0

    def ask(self, **request):
        self.asked += 1
        self.socket.send(json.dumps({**request, 'id': self.asked}))
        while True:
            reply = json.loads(self.socket.recv())
            if reply.get('id') == self.asked and reply['is'] != 'line':
                assert reply['is'] != 'error', (request, reply)
                return reply

    def position(self, start, moves):
        return self.ask(ask='position', line={'start': start, 'moves': moves})['position']

    def move(self, start, moves, level, seed):
        return self.ask(ask='play', line={'start': start, 'moves': moves}, strength={'level': level, 'seed': seed}, time={'move': 1000})


class Board:
    """What a person does with the page."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def open(self):
        self.browser.ask('Page.navigate', url=self.address)
        self.wait(lambda: self.browser.value('document.readyState === "complete" && document.querySelectorAll("#squares button").length === 81'))
        time.sleep(0.5)

    def wait(self, condition, seconds=60):
        deadline = time.time() + seconds
        while not condition():
            assert time.time() < deadline, (self.status(), self.browser.text('#error'))
            time.sleep(0.02)

    def check(self, state):
        access.check(self.browser, state)

    def status(self):
        return self.browser.text('#status')

    def moves(self):
        return self.browser.value('[...document.querySelectorAll("#moves > li:not(.branch):not(.end) button")].map((node) => node.dataset.key.split(" ").at(-1))')

    def square(self, square):
        """Row and column of a square's button, as the board lies."""
        column, row = 9 - int(square[0]), ord(square[1]) - ord('a')
        is_turned = self.browser.value('document.querySelector("#near .mark").textContent') == '☖'
        return (8 - row, 8 - column) if is_turned else (row, column)

    def button(self, square):
        row, column = self.square(square)
        return f'#squares > div:nth-child({row + 1}) > button:nth-child({column + 1})'

    def promotion(self, move):
        if self.browser.value('!document.getElementById("promotion").hidden'):
            return f'#promotion button:nth-child({1 if move.endswith("+") else 2})'
        return None

    def click_move(self, move, side):
        source = f'[data-key="hand {side} {move[0]}"]' if move[1] == '*' else self.button(move[:2])
        self.browser.click(source)
        self.browser.click(self.button(move[2:4]))
        choice = self.promotion(move)
        if choice:
            self.browser.click(choice)

    def open_text(self, text):
        self.browser.value('document.querySelector("#panel-analyze details").open = true')
        self.browser.value(f'document.getElementById("pasted").value = {json.dumps(text)}')
        self.browser.click('#open-text')

    def open_record(self, text):
        """Opens a text, and leaves the page time to ask for the legal moves."""
        self.browser.value('document.getElementById("notice").textContent = ""')
        self.open_text(text)
        self.said('開きました|Opened')
        time.sleep(0.3)

    def open_drawer(self):
        self.browser.value('document.getElementById("drawer").open = true')

    def type_move(self, text):
        self.open_drawer()
        self.browser.value(f'document.getElementById("typed-move").value = {json.dumps(text)}')
        self.browser.value('document.getElementById("typed").requestSubmit()')

    def choose(self, field, value):
        self.browser.value(f'(() => {{ const field = document.getElementById("{field}"); field.value = "{value}"; field.dispatchEvent(new Event("change")); }})()')

    def said(self, words, field='#notice'):
        self.wait(lambda: re.search(words, self.browser.text(field)))

    def type_keys(self, *keys):
        for key in keys:
            text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
            for kind in ['keyDown', 'keyUp']:
                self.browser.ask('Input.dispatchKeyEvent', type=kind, key=key, text=text if kind == 'keyDown' else '',
                                 windowsVirtualKeyCode={'Enter': 13, 'Tab': 9, 'Escape': 27}.get(key, 0))

    def choose_file(self, field, path):
        document = self.browser.ask('DOM.getDocument')['root']['nodeId']
        node = self.browser.ask('DOM.querySelector', nodeId=document, selector=field)['nodeId']
        self.browser.ask('DOM.setFileInputFiles', nodeId=node, files=[str(path)])

    def walk(self, square):
        """Goes to a square by arrows from where the focus is."""
        row, column = self.square(square)
        at = self.browser.value('[...document.querySelectorAll("#squares button")].indexOf(document.activeElement)')
        assert at >= 0, 'the focus is on the board'
        self.type_keys(*(['ArrowDown'] * (row - at // 9) + ['ArrowUp'] * (at // 9 - row) + ['ArrowRight'] * (column - at % 9) + ['ArrowLeft'] * (at % 9 - column)))

    def key_move(self, move, side):
        if self.browser.value('!document.activeElement.closest("#squares")'):
            self.browser.value('document.querySelector("#squares button[tabindex=\'0\']").focus()')
        if move[1] == '*':
            self.type_keys(move[0].lower())
        else:
            self.walk(move[:2])
            self.type_keys('Enter')
        self.walk(move[2:4])
        self.type_keys('Enter')
        if self.promotion(move):
            self.type_keys(*([] if move.endswith('+') else ['Tab']), 'Enter')

    def begin(self, level, side):
        self.browser.value(f'document.getElementById("level").value = "{level}"; document.getElementById("side").value = "{side}"')
        if self.browser.value('document.getElementById("start").hidden'):
            self.browser.click('#new')
        self.browser.click('#new-game .main')
        self.wait(lambda: self.browser.value('document.getElementById("start").hidden'))
        if side == 'black':
            self.wait_for_turn()

    def wait_for_turn(self):
        """Until the page knows the legal moves: before that a move that is typed is none."""
        self.wait(lambda: self.browser.value('document.getElementById("hint").getAttribute("aria-disabled")') == 'false')

    def play(self, adviser, side, move, level=3, most=400, begin=None, wish=lambda legal: None):
        """A whole game: the adviser chooses the moves, unless there is a `wish`; `move` makes them on the page."""
        (begin or self.begin)(level, side)
        played = []
        while True:
            facts = adviser.position(EVEN, played)
            if facts['end'] or len(played) >= most:
                break
            is_ours = (len(played) % 2 == 0) == (side == 'black')
            if is_ours:
                self.wait(lambda: len(self.moves()) == len(played) and ('あなた' in self.status() or 'Your' in self.status()))
                found = adviser.move(EVEN, played, 14, 7)
                if found['action'] != 'move':
                    break
                move(wish([named['move'] for named in facts['legal']]) or found['mv']['move'], side)
            self.wait(lambda: len(self.moves()) > len(played))
            played = self.moves()
        self.wait(lambda: not facts['end'] or self.browser.value('!document.getElementById("banner").hidden'))
        return played, facts['end']


def fits(browser, width, name):
    wide = browser.value('[document.documentElement.scrollWidth, innerWidth]')
    assert wide[0] <= width, (name, wide)


def touch_targets(browser):
    """Buttons that a finger meets are 44 pixels high, but for the squares of the board and the moves of lines."""
    small = browser.value('''[...document.querySelectorAll("button, select, input:not([type=checkbox]):not([type=file])")].filter((node) => node.checkVisibility() && !node.closest("#squares, .pv"))
        .map((node) => [node.id || node.textContent, node.getBoundingClientRect().height]).filter(([, height]) => height < 43.5)''')
    assert not small, small


def analysis(board, pictures, name):
    browser = board.browser
    browser.click('[data-mode=analyze]')
    browser.value('document.querySelector("#panel-analyze details").open = true')
    browser.value(f'document.getElementById("pasted").value = {json.dumps(RECORD)}')
    browser.click('#open-text')
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
    browser.click('#engine')
    browser.click('#whole')
    board.wait(lambda: browser.value('document.querySelectorAll("#graph .series").length') == 1)
    board.wait(lambda: re.search(r'(\d+) / \1|(\d+) of \2 ', board.status() + ' '), 120)
    # A position that breaks the rules is refused, and can be mended.
    browser.value('document.getElementById("set-up").open = true')
    time.sleep(0.2)
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
    board.wait(lambda: browser.value('document.querySelector("#candidates .pv button:nth-of-type(2)") !== null'))
    played, position = board.moves(), drawn(browser)
    # The first move is the one that Kiki has played.
    browser.click('#candidates .pv button:nth-of-type(2)')
    board.wait(lambda: browser.value('document.querySelector(".way-back") !== null'))
    assert drawn(browser) != position and not browser.value('document.querySelector("[data-key=add]")')
    browser.click(board.button('5e'))
    board.wait(lambda: not browser.value('document.querySelector(".way-back")'))
    assert drawn(browser) == position and board.moves() == played
    board.click_move('1e1d', 'black')
    board.wait(lambda: '1e1d' in board.moves())
    browser.value('document.getElementById("show-thinking").click()')
    for _ in range(2):
        browser.click('#resign')


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


def reasons(board, picture):
    """A move that loses much has a reason, whose line can be played on the board; a hint has one too."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record(BLUNDER)
    browser.click('#whole')
    board.wait(lambda: re.search('^4 / 4|^4 of 4', board.status()))
    asks = lambda: browser.value('document.querySelector("[data-key=why]") !== null')
    assert not asks()
    board.type_keys('ArrowDown')
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


def zoomed(browser):
    """At twice the size nothing of the heading is cut."""
    browser.resize(640, 360, False)
    for language in ['ja', 'en']:
        browser.click(f'[data-lang={language}]')
        cut = browser.value('[...document.querySelectorAll("header button")].map((node) => [node.textContent, node.getBoundingClientRect().right]).filter(([, right]) => right > innerWidth)')
        assert not cut, cut
        fits(browser, 640, 'zoomed')


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
    large = folder / 'large.kif'
    large.write_bytes(b'*' * 5_600_000)
    for mode, field in [('analyze', '#file'), ('solve', '#problem-file')]:
        browser.click(f'[data-mode={mode}]')
        # The reply to what a screen asks at first takes errors away.
        time.sleep(0.5)
        board.choose_file(field, large)
        board.said(r'5\.3 MiB.* 4 MiB|5\.3 MiB.*（4 MiB', '#error')


def helps(board):
    """A typed move, a hint, a move taken back, a game resigned and one lost on time."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    board.type_move('７六歩')
    begun = time.time()
    board.wait(lambda: len(board.moves()) == 2)
    # A weak level needs milliseconds, and a person time to see its move.
    assert 0.6 < time.time() - begun < 5, time.time() - begun
    board.wait_for_turn()
    assert re.search(r'（定跡）|\(book\)', board.status()), board.status()
    browser.click('#hint')
    board.wait(lambda: re.search(r'ヒント.*（定跡）|Hint.*\(book\)', board.status()))
    board.check('a hint')
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    browser.click('#resign')
    board.wait(lambda: 'もう一度' in board.status() or 'again' in board.status())
    browser.click('#resign')
    board.wait(lambda: browser.value('!document.getElementById("banner").hidden'))
    assert re.match('あなたの負け|You lost', board.status()), board.status()
    browser.value('(() => { const clock = document.getElementById("clock"); clock.value = "own"; clock.dispatchEvent(new Event("change")); '
                  'document.getElementById("minutes").value = 0; document.getElementById("byoyomi").value = 1; })()')
    board.begin(1, 'black')
    board.wait(lambda: '時間' in board.status() or 'time ran out' in board.status(), 10)
    board.check('a clock that is low')
    # A clock that only adds time has some for the first move.
    for field, value in [('byoyomi', 0), ('increment', 3)]:
        board.choose(field, value)
    board.begin(1, 'black')
    time.sleep(0.5)
    assert browser.text('#clock-black') == '0:03', browser.text('#clock-black')
    board.type_move('7g7f')
    board.wait(lambda: len(board.moves()) == 2)
    for _ in range(2):
        browser.click('#resign')
    board.choose('clock', 0)


def screens(board):
    """A game goes on after a visit to another screen and after a reload; every screen keeps its record; an error goes when the next record opens."""
    browser = board.browser
    browser.click('[data-mode=play]')
    browser.value('document.getElementById("clock").value = 3')
    board.begin(1, 'black')
    board.click_move('2g2f', 'black')
    board.wait_for_turn()
    played = board.moves()
    assert len(played) == 2, played
    browser.click('[data-mode=analyze]')
    for text, reason in [
        ('garbage', 'どれでもありません|not a game record'),
        ('9/9/9/9/9/9/9/9/9 b - 1', '玉がありません|no king'),
        ('P3k4/9/9/9/9/9/9/9/4K4 b - 1', '９一の駒は行き所がありません|on 9a could never move'),
        ('7g7e 7c7e', '1行目: 「7g7e」は指せません|line 1: “7g7e” is illegal there'),
    ]:
        board.open_text(text)
        board.wait(lambda: re.search(reason, browser.text('#error')))
    # A record that opens takes the error away.
    board.open_text(RECORD)
    board.wait(lambda: len(board.moves()) == 4 and browser.text('#error') == '')
    board.open_text('9g9f')
    board.wait(lambda: board.moves() == ['9g9f'])
    browser.click('#restore')
    board.wait(lambda: len(board.moves()) == 4)
    browser.click('[data-mode=solve]')
    browser.click('[data-mode=play]')
    board.wait(lambda: board.moves() == played)
    board.wait_for_turn()
    board.open()
    board.wait(lambda: board.moves() == played)
    board.wait_for_turn()
    board.wait(lambda: browser.text('#clock-black').startswith('9:'))
    drag(board, board.button('7g'), board.button('7f'))
    board.wait(lambda: len(board.moves()) == 4)
    board.wait_for_turn()
    played = board.moves()
    # The board says why it does not answer.
    browser.click('#first')
    browser.click(board.button('9g'))
    board.wait(lambda: '前の局面' in board.status() or 'earlier' in board.status())
    browser.click('#last')
    board.wait_for_turn()
    for _ in range(2):
        browser.click('#resign')
    board.wait(lambda: browser.value('!document.getElementById("banner").hidden'))
    browser.click('[data-mode=analyze]')
    board.wait(lambda: len(board.moves()) == 4 and board.moves() != played)
    browser.click('#restore')
    board.wait(lambda: board.moves() == ['9g9f'])
    browser.value('document.getElementById("clock").value = 0')


def drag(board, source, target):
    """A piece follows the mouse or the finger; the squares where it may go are marked."""
    browser = board.browser
    start, end = browser.middle(source), browser.middle(target)
    way = [start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end]
    is_touched = browser.value('navigator.maxTouchPoints') > 0
    press = lambda kind, points: browser.ask('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': x, 'y': y} for x, y in points])
    mouse = lambda kind, point: browser.ask('Input.dispatchMouseEvent', type=kind, x=point[0], y=point[1], button='left', buttons=1, clickCount=1)
    for at, point in enumerate(way):
        press('touchMove' if at else 'touchStart', [point]) if is_touched else mouse('mouseMoved' if at else 'mousePressed', point)
        browser.settle()
    assert browser.value('document.querySelectorAll(".lifted").length') == 1, 'the piece is in the air'
    assert browser.value('document.querySelectorAll("#board .dot-free").length') > 0
    assert browser.value('document.querySelectorAll("#squares .under").length') == 1
    ghost, finger = browser.middle('.lifted'), end
    assert abs(ghost[0] - finger[0]) < 2 and ghost[1] < finger[1] + 2, (ghost, finger)
    press('touchEnd', []) if is_touched else mouse('mouseReleased', end)
    browser.settle()
    assert browser.value('document.querySelectorAll(".lifted").length') == 0


def prefer(browser, motion):
    """Sets the reader's wish about motion, and leaves the colours."""
    scheme = browser.value('matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"')
    browser.ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-reduced-motion', 'value': motion}, {'name': 'prefers-color-scheme', 'value': scheme}])


def motion(board):
    """A move slides, and what it takes fades; nothing moves for readers who want that."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    browser.value('window.slid = 0; Element.prototype.animate = ((animate) => function (...words) { window.slid += 1; return animate.apply(this, words); })(Element.prototype.animate)')
    for choice, most in [('reduce', 0), ('no-preference', 99)]:
        board.open_record('startpos moves 7g7f 3c3d 8h2b+')
        prefer(browser, choice)
        browser.click('#forward')
        browser.click('#forward')
        browser.click('#forward')
        assert bool(most) == (3 < browser.value('window.slid') <= most), (choice, browser.value('window.slid'))


def from_here(board, picture):
    """A game from the position of the analysis, its end, a rematch with the other side, and a new game."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_record('4k4/9/4P4/9/9/9/9/9/4K4 b G 1')
    browser.click('#play-here')
    assert browser.value('document.getElementById("start-at").value') == 'analysis'
    assert browser.value('document.querySelectorAll("#board .piece").length') == 3, 'the board shows where the game begins'
    board.begin(0, 'black')
    drag(board, '[data-key="hand black G"]', board.button('5b'))
    board.wait(lambda: browser.value('!document.getElementById("banner").hidden'))
    assert re.match('あなたの勝ち|You won', browser.text('#banner-result')), browser.text('#banner')
    assert re.search('詰み · 1手|checkmate · 1 moves', browser.text('#banner-how')), browser.text('#banner')
    assert browser.value('document.querySelectorAll("#board .check").length') == 1, 'the king in check has a red square'
    board.check('the end of a game')
    browser.picture(picture)
    browser.click('[data-key="banner rematch"]')
    board.wait(lambda: browser.value('document.getElementById("banner").hidden'))
    assert browser.text('#near .mark') == '☖', 'the reader has the other side'
    # Kiki mates at once.
    board.wait(lambda: board.moves() == ['G*5b'] and browser.value('!document.getElementById("banner").hidden'))
    browser.click('#banner-close')
    assert browser.value('document.getElementById("banner").hidden')
    browser.click('#new')
    board.choose('start-at', 'start')
    board.begin(1, 'black')


def looks(board):
    """Pieces, colours and notation can be chosen, and are kept for the next visit."""
    browser = board.browser
    for choice in ['reduce', 'no-preference']:
        prefer(browser, choice)
        browser.value('localStorage.removeItem("look")')
        board.open()
        assert browser.value('document.getElementById("look-sound").checked') == (choice == 'no-preference')
        assert not browser.value('document.getElementById("look-voice").checked')
    browser.click('#look summary')
    usual = browser.value('getComputedStyle(document.documentElement).getPropertyValue("--wood")')
    for field, value in [('look-pieces', 'two'), ('look-board', 'green'), ('look-notation', 'arabic')]:
        board.choose(field, value)
    board.open()
    assert '将' in browser.text('#board') and browser.value('getComputedStyle(document.documentElement).getPropertyValue("--wood")') != usual
    assert browser.text('#board').count('9') == 2, 'ranks are digits'
    browser.click('#look summary')
    board.check('choices')
    fits(browser, browser.value('innerWidth'), 'choices')
    board.choose('look-pieces', 'letters')
    assert re.search('[KRBG]', browser.text('#board'))
    for field, value in [('look-pieces', 'one'), ('look-board', 'wood'), ('look-notation', 'auto')]:
        board.choose(field, value)
    browser.click('#look summary')
    browser.click('#about summary')
    board.check('about the program')


def start(kiki, folder, port):
    """The program with a folder of its own, and its address."""
    environment = {**os.environ, 'XDG_DATA_HOME': str(folder)}
    words = [kiki, 'serve', '--no-open', '--threads', '1', '--tabs', '4', '--port', str(port)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    return process, re.search(r'http://\S+', process.stdout.readline()).group()


def offered(kiki, folder):
    """On a terminal the program without arguments opens the board after Enter, and speaks USI after anything else."""
    for typed, wanted in [('\n', r'http://127\.0\.0\.1:\d+/'), ('usi\n', 'usiok')]:
        outside, inside = pty.openpty()
        # `open` finds no browser there, and says nothing.
        environment = {'XDG_DATA_HOME': str(folder), 'PATH': str(folder)}
        process = subprocess.Popen([kiki], stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True)
        os.close(inside)
        try:
            os.write(outside, typed.encode())
            said = ''
            while not re.search(wanted, said):
                assert select.select([outside], [], [], 60)[0], said
                said += os.read(outside, 4096).decode()
        finally:
            process.kill()
            process.wait()
            os.close(outside)


def first_game(board, name, height):
    """Settings come first on a screen of one column; the board is in view after the start, and has the focus."""
    browser = board.browser
    board.check('the settings of a game')
    bottom = browser.value('document.querySelector("#new-game .main").getBoundingClientRect().bottom')
    assert bottom <= height, (name, bottom)
    browser.value('document.querySelector("#new-game .main").click()')
    board.wait_for_turn()
    browser.settle()
    shown = browser.value('(() => { const [far, near] = ["far", "near"].map((id) => document.getElementById(id).getBoundingClientRect()); return [far.top, near.bottom, scrollX]; })()')
    assert shown[0] >= 0 and shown[1] <= height and shown[2] == 0, (name, shown)
    assert browser.value('document.activeElement.closest("#squares") !== null'), name


def restart(kiki, browser, folder):
    """A game goes on in its tab after the program ended and began again."""
    process, address = start(kiki, folder, 0)
    board = Board(browser, address)
    try:
        board.open()
        board.choose('clock', 3)
        board.begin(1, 'black')
        board.click_move('7g7f', 'black')
        board.wait_for_turn()
        played = board.moves()
        process.terminate()
        process.wait()
        board.said('kiki serve', '#error')
        left = browser.text('#clock-black')
        time.sleep(2)
        assert browser.text('#clock-black') == left, 'the clock waits'
        process, again = start(kiki, folder, re.search(r':(\d+)/', address).group(1))
        assert again == address, (address, again)
        board.wait(lambda: browser.text('#error') == '')
        assert board.moves() == played
        board.type_move('9g9f')
        board.wait(lambda: len(board.moves()) == 4)
    finally:
        process.terminate()
        process.wait()


def hostile(address):
    """Connections that mean no good. Returns what they got."""
    host, port = re.match(r'http://([\d.]+):(\d+)/', address).groups()
    path = '/' + address.split('/', 3)[3]
    def connect():
        return socket.create_connection((host, int(port)), timeout=20)
    def sent(data):
        with connect() as stream:
            try:
                stream.sendall(data)
                return stream.recv(200).split(b'\r\n')[0].decode(errors='replace')
            except OSError as error:
                return type(error).__name__
    found = {
        'garbage': sent(random.Random(1).randbytes(100_000)),
        'another host': sent(f'GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n'.encode()),
        'another path': sent(f'GET /../../etc/passwd HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n'.encode()),
    }
    with connect() as stream:
        stream.sendall(f'POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {1 << 30}\r\n\r\n'.encode())
        count = 0
        try:
            while count < 1 << 30:
                count += stream.send(b'x' * (1 << 20))
        except OSError:
            pass
        found['a gigabyte'] = f'cut after {count} bytes'
    slow, opened = [], 0
    for index in range(10_000):
        try:
            stream = connect()
        except OSError:
            break
        opened += 1
        if index % 2:
            stream.send(b'GET / HT')
        slow.append(stream)
        if len(slow) > 400:
            slow.pop(0).close()
    found['connections'] = opened
    return found


def memory(process):
    return int(re.search(r'VmHWM:\s+(\d+)', pathlib.Path(f'/proc/{process.pid}/status').read_text()).group(1)) // 1024


def main():
    kiki, pictures = sys.argv[1], pathlib.Path(sys.argv[2])
    games = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(sys.argv[4] if len(sys.argv) > 4 else 'chromium')
    data = tempfile.TemporaryDirectory()
    offered(str(pathlib.Path(kiki).resolve()), data.name)
    browser.resize(*SIZES['desk'])
    restart(kiki, browser, data.name)
    # The attempts to connect meanwhile have failed; the page makes more until it is left.
    browser.ask('Page.navigate', url='about:blank')
    browser.settle()
    browser.events.clear()
    process, address = start(kiki, data.name, 0)
    try:
        board, adviser = Board(browser, address), Protocol(address)
        for name, (width, height, phone) in {**SIZES, 'tablet': (768, 1024, True)}.items():
            browser.resize(width, height, phone, 'dark' if phone else 'light')
            board.open()
            browser.value('addEventListener("pagehide", () => sessionStorage.clear())')
            board.open()
            first_game(board, name, height)
        for name, (width, height, phone) in SIZES.items():
            browser.resize(width, height, phone, 'dark' if phone else 'light')
            board.open()
            # After the page has kept its games for a reload.
            browser.value('addEventListener("pagehide", () => sessionStorage.clear())')
            board.open()
            browser.click('[data-lang=ja]' if phone else '[data-lang=en]')
            fits(browser, width, name)
            if phone:
                touch_targets(browser)
            browser.picture(pictures / f'{name}-begin.png', whole=phone)
            attack = None
            if not phone:
                attack = threading.Thread(target=lambda: print('hostile:', hostile(address)))
                attack.start()
            played, end = touched_game(board, adviser, MOST_TOUCHED) if phone else board.play(adviser, 'white', board.key_move)
            if attack:
                attack.join()
            browser.picture(pictures / f'{name}-played.png', whole=phone)
            fits(browser, width, name)
            print(f'{name}: {len(played)} moves against Kiki by {"touch" if phone else "keys"}: {end}')
            helps(board)
            sides(board)
            screens(board)
            motion(board)
            from_here(board, pictures / f'{name}-end.png')
            looks(board)
            thinking(board)
            reasons(board, pictures / f'{name}-reason.png')
            words(board)
            serve_play.unselected(board)
            serve_play.status(board)
            # One size is enough for each.
            (serve_play.another_game if phone else serve_play.after_the_end)(board)
            serve_play.waiting(board, pictures / f'{name}-waiting.png')
            analysis(board, pictures, name)
            serve_editor.broken(board)
            serve_editor.editor(board, pictures / f'{name}-editor.png')
            with tempfile.TemporaryDirectory() as folder:
                files(board, pathlib.Path(folder))
                print(f'{name}: a problem solved in {problems(board, adviser, pictures, name, pathlib.Path(folder))} moves')
                serve_games.own_games(board, pictures / f'{name}-own.png', pathlib.Path(folder))
            fits(browser, width, name)
            if phone:
                touch_targets(browser)
            serve_games.watching(board, pictures / f'{name}-watch.png')
            serve_games.storage(board)
            fits(browser, width, name)
        zoomed(browser)
        for event in browser.events:
            method, found = event.get('method'), event.get('params', {})
            assert method != 'Runtime.exceptionThrown', found
            assert method != 'Log.entryAdded' or found['entry']['level'] != 'error', found
            if method == 'Network.requestWillBeSent':
                url = found['request']['url']
                assert url.startswith((address, 'blob:', 'data:')) or url == 'about:blank', url
        moves = 0
        for seed in range(games):
            line, end = [], None
            while not end and len(line) < 300:
                found = adviser.move(EVEN, line, 5 + seed % 7, seed)
                assert found['action'] in ('move', 'win'), found
                if found['action'] == 'win':
                    break
                line.append(found['mv']['move'])
                facts = adviser.position(EVEN, line)
                assert facts['last']['move'] == line[-1], (line, facts)
                end = facts['end']
            moves += len(line)
        print(f'{games} games by the protocol, {moves} moves; the server took {memory(process)} MiB at most')
    finally:
        browser.close()
        process.terminate()
        data.cleanup()


if __name__ == '__main__':
    main()
