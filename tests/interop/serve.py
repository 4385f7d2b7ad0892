#!/usr/bin/env python3
"""Drives the board of `kiki serve` in a real browser, by the protocol of its developer tools.

usage: serve.py KIKI PICTURES [GAMES [CHROMIUM]]

Needs websocket-client and axe-playwright-python. A game goes on after a restart of the program. At the sizes of a phone and of a desk it plays a whole game, by touch and by keys, and tries a hint, a move taken back and
the clock. The rest is in serve_analyze.py (records, lines, reasons, files), serve_editor.py (positions set up, broken records), serve_games.py (own games, Kiki against itself), serve_play.py (what is said in games, how they wait
and end) and serve_problems.py. Hostile connections come while a game goes on. Then GAMES games are played by the protocol of the page alone. Fails if a move is lost, if anything is loaded from elsewhere, if the program
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
import serve_analyze
import serve_editor
import serve_games
import serve_play
import serve_sizes
from browser import Browser, wait
from serve_analyze import EVEN, RECORD
from serve_problems import problems
from serve_touch import touched_game

SIZES = {'phone': (390, 844, True), 'desk': (1280, 720, False)}
MOST_TOUCHED = 150


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

    def open_new(self):
        """Opens the page as a new tab does, which has nothing to restore."""
        self.open()
        self.open_again()

    def open_again(self):
        """Opens the page once more, without what it keeps for a reload."""
        self.browser.value('addEventListener("pagehide", () => sessionStorage.clear())')
        self.open()

    def wait(self, condition, seconds=60):
        wait(condition, lambda: (self.status(), self.browser.text('#error')), seconds)

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

    def resign(self):
        for _ in range(2):
            self.browser.click('#resign')
        self.wait(lambda: self.browser.value('!document.getElementById("banner").hidden'))

    def open_drawer(self):
        self.browser.value('document.getElementById("drawer").open = true')

    def type_move(self, text):
        self.open_drawer()
        self.browser.value(f'document.getElementById("typed-move").value = {json.dumps(text)}')
        self.browser.value('document.getElementById("typed").requestSubmit()')

    def choose(self, field, value):
        self.browser.choose(field, value)

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


def zoomed(browser):
    """At twice the size nothing of the heading is cut."""
    browser.resize(640, 360, False)
    for language in ['ja', 'en']:
        browser.click(f'[data-lang={language}]')
        cut = browser.value('[...document.querySelectorAll("header button")].map((node) => [node.textContent, node.getBoundingClientRect().right]).filter(([, right]) => right > innerWidth)')
        assert not cut, cut
        fits(browser, 640, 'zoomed')


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
    turn = board.status()
    assert re.search(r'（定跡）.*あなたの番|\(opening book\).*Your move', turn), turn
    browser.click('#hint')
    board.said(r'ヒント.*（定跡）|Hint.*\(opening book\)')
    assert board.status() == turn, board.status()
    board.check('a hint')
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    browser.click('#resign')
    board.said('もう一度|again')
    assert re.search('本当に|Really', browser.text('#resign')), browser.text('#resign')
    board.check('a game about to be resigned')
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
    board.resign()
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
        ('garbage', 'どれでもありません|this is not CSA'),
        ('9/9/9/9/9/9/9/9/9 b - 1', '玉がありません|a king is missing'),
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
    board.resign()
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
    for _ in range(2):
        assert browser.value('document.getElementById("start-at").value') == 'analysis'
        assert browser.value('document.querySelectorAll("#board .piece").length') == 3, 'the board shows where the game begins'
        assert browser.value('document.getElementById("start").checkVisibility()')
        board.open()
    board.begin(0, 'black')
    drag(board, '[data-key="hand black G"]', board.button('5b'))
    board.wait(lambda: browser.value('!document.getElementById("banner").hidden'))
    assert re.match('あなたの勝ち|You won', browser.text('#banner-result')), browser.text('#banner')
    assert re.search('詰み · 1手|checkmate · 1 move$', browser.text('#banner-how')), browser.text('#banner')
    assert browser.value('document.querySelectorAll("#board .check").length') == 1, 'the king in check has a red square'
    assert browser.value('document.querySelector(".player.turn")') is None, 'nobody is to move'
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
    assert browser.value('document.getElementById("start-at").value') == 'start', 'another game begins at the start'
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
    grounds = {}
    for brightness in ['light', 'dark']:
        board.choose('look-brightness', brightness)
        board.check(f'{brightness} colours')
        grounds[brightness] = browser.value('[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme]')
    assert grounds['light'][0] != grounds['dark'][0] and [shown for _, shown in grounds.values()] == ['light', 'dark'], grounds
    board.choose('look-brightness', 'auto')
    scheme = 'dark' if browser.value('matchMedia("(prefers-color-scheme: dark)").matches') else 'light'
    assert browser.value('getComputedStyle(document.body).backgroundColor') == grounds[scheme][0]
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
    assert browser.value('document.getElementById("resign").getBoundingClientRect().bottom') <= height, name


def restart(kiki, browser, folder):
    """A game goes on in its tab after the program ended and began again, also one that was given up meanwhile. Nobody pays for the time between, or for the other side's."""
    process, address = start(kiki, folder, 0)
    board = Board(browser, address)

    def end():
        process.terminate()
        process.wait()
        board.said('kiki serve', '#error')

    def begin_again():
        nonlocal process
        process, again = start(kiki, folder, re.search(r':(\d+)/', address).group(1))
        assert again == address, (address, again)
        board.wait(lambda: browser.text('#error') == '')

    try:
        board.open()
        board.choose('clock', 3)
        board.begin(1, 'black')
        board.click_move('7g7f', 'black')
        board.wait_for_turn()
        played = board.moves()
        end()
        left = browser.text('#clock-black')
        time.sleep(2)
        assert browser.text('#clock-black') == left, 'the clock waits'
        board.type_move('9g9f')
        board.wait(lambda: len(board.moves()) == 3)
        assert board.status() == '', 'it is not the turn of the reader'
        begin_again()
        board.wait(lambda: len(board.moves()) == 4)
        assert board.moves()[:2] == played
        board.wait_for_turn()
        end()
        board.resign()
        browser.click('#banner-close')
        begin_again()
        browser.click('#take-back')
        board.wait_for_turn()
        board.type_move('2g2f')
        board.wait(lambda: len(board.moves()) == 6)
        board.wait_for_turn()
        board.resign()
        browser.click('#new')
        browser.click('[name=kind][value=both]')
        browser.click('#new-game .main')
        board.wait_for_turn()
        time.sleep(2)
        end()
        board.type_move('7g7f')
        assert browser.text('#clock-white') == '10:00', browser.text('#clock-white')
        begin_again()
        board.wait_for_turn()
        assert browser.text('#clock-white') in ('10:00', '9:59'), browser.text('#clock-white')
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
        first = adviser.ask(ask='analyze', line={'start': EVEN, 'moves': []}, lines=1, limit={'milliseconds': 400})
        assert first['nodes'] > 5000, f'the first search waits for memory: {first}'
        for name, (width, height, phone) in {**SIZES, 'tablet': (768, 1024, True)}.items():
            browser.resize(width, height, phone, 'dark' if phone else 'light')
            board.open_new()
            first_game(board, name, height)
        for name, (width, height, phone) in SIZES.items():
            browser.resize(width, height, phone, 'dark' if phone else 'light')
            board.open_new()
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
            serve_analyze.sides(board)
            serve_analyze.main_line(board)
            screens(board)
            motion(board)
            from_here(board, pictures / f'{name}-end.png')
            looks(board)
            serve_analyze.thinking(board)
            serve_analyze.reasons(board, pictures / f'{name}-reason.png')
            serve_analyze.words(board)
            serve_analyze.whole(board)
            serve_play.unselected(board)
            serve_play.status(board)
            serve_play.carried(board)
            serve_play.declared(board)
            serve_play.analyzed(board)
            # One size is enough for each.
            (serve_play.another_game if phone else serve_play.after_the_end)(board)
            serve_play.waiting(board, pictures / f'{name}-waiting.png')
            serve_analyze.analysis(board, pictures, name)
            serve_editor.broken(board)
            serve_editor.editor(board, pictures / f'{name}-editor.png')
            with tempfile.TemporaryDirectory() as folder:
                serve_analyze.files(board, pathlib.Path(folder))
                serve_analyze.judged(board, pathlib.Path(folder))
                print(f'{name}: a problem solved in {problems(board, adviser, pictures, name, pathlib.Path(folder))} moves')
                serve_games.own_games(board, pictures / f'{name}-own.png', pathlib.Path(folder))
            fits(browser, width, name)
            if phone:
                touch_targets(browser)
            serve_games.gone_on(board)
            serve_games.continued(board)
            serve_games.copied(board)
            serve_games.watching(board, pictures / f'{name}-watch.png')
            serve_games.storage(board)
            fits(browser, width, name)
        zoomed(browser)
        serve_sizes.sizes(board, pictures)
        browser.check_quiet(address, 'blob:', 'data:')
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
                assert facts['sfen'].split()[1] == 'bw'[len(line) % 2], (line, facts)
                end = facts['end']
            moves += len(line)
        print(f'{games} games by the protocol, {moves} moves; the server took {memory(process)} MiB at most')
    finally:
        browser.close()
        process.terminate()
        data.cleanup()


if __name__ == '__main__':
    main()
