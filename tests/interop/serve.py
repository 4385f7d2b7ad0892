#!/usr/bin/env python3
"""Drives the board of `kiki serve` in a real browser, by the protocol of its developer tools.

usage: serve.py KIKI PICTURES [GAMES [CHROMIUM]]

Needs websocket-client. At the sizes of a phone and of a desk it plays a whole game against level 3, by clicks and by keys. It tries a hint, a move taken
back and the clock, analyzes a record with variations, sets up a position, opens and saves files, and solves a problem. Hostile connections come while a
game goes on. Then GAMES games are played by the protocol of the page alone. Fails if a move is lost, if anything is loaded from elsewhere, if the program
of the page fails, or if the page is wider than the window.
"""
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import websocket
from browser import Browser

SIZES = {'phone': (390, 844, True), 'desk': (1280, 720, False)}
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
        self.browser.click('#new-game .main')
        self.wait(lambda: self.browser.value('document.getElementById("new-game").hidden'))
        if side == 'black':
            self.wait_for_turn()

    def wait_for_turn(self):
        """Until the page knows the legal moves: before that a move that is typed is none."""
        self.wait(lambda: self.browser.value('document.getElementById("hint").getAttribute("aria-disabled")') == 'false')

    def play(self, adviser, side, move, level=3, most=400):
        """A whole game: the adviser chooses the moves, `move` makes them on the page."""
        self.begin(level, side)
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
                move(found['mv']['move'], side)
            self.wait(lambda: len(self.moves()) > len(played))
            played = self.moves()
        self.wait(lambda: not facts['end'] or self.browser.value('!document.getElementById("new-game").hidden'))
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
    # A line of the engine becomes a variation. The first lines have one move.
    second = '#candidates .line .pv button:nth-of-type(2)'
    board.wait(lambda: browser.value(f'document.querySelector("{second}") !== null'))
    browser.click(second)
    board.wait(lambda: browser.value('document.querySelectorAll("#moves .branch button").length') >= 3)
    board.wait(lambda: '加えました' in browser.text('#notice') or 'part of the record' in browser.text('#notice'))
    browser.click('#engine')
    browser.click('#whole')
    board.wait(lambda: browser.value('document.querySelectorAll("#graph path").length') == 1)
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


def files(board, folder):
    """A record from a file, one that is dropped, and one that is saved."""
    browser = board.browser
    record = folder / 'record.kif'
    record.write_text(RECORD, encoding='utf-8')
    board.choose_file('#file', record)
    board.wait(lambda: len(board.moves()) == 4)
    browser.value('(() => { const data = new DataTransfer(); data.setData("text", "startpos moves 2g2f 8c8d"); '
                  'document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true })); })()')
    board.wait(lambda: board.moves() == ['2g2f', '8c8d'])
    browser.ask('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(folder))
    browser.click('[data-form=csa]')
    board.wait(lambda: (folder / 'kiki.csa').exists() and '+2726FU' in (folder / 'kiki.csa').read_text())


def helps(board):
    """A typed move, a hint, a move taken back, a game resigned and one lost on time."""
    browser = board.browser
    browser.click('[data-mode=play]')
    board.begin(1, 'black')
    browser.value('document.getElementById("typed-move").value = "７六歩"')
    browser.click('#typed button')
    board.wait(lambda: len(board.moves()) == 2)
    board.wait_for_turn()
    browser.click('#hint')
    board.wait(lambda: 'ヒント' in board.status() or 'Hint' in board.status())
    browser.click('#take-back')
    board.wait(lambda: board.moves() == [])
    browser.click('#resign')
    board.wait(lambda: 'もう一度' in board.status() or 'again' in board.status())
    browser.click('#resign')
    board.wait(lambda: browser.value('!document.getElementById("new-game").hidden'))
    assert re.match('あなたの負け|You lost', board.status()), board.status()
    browser.value('(() => { const clock = document.getElementById("clock"); clock.value = "own"; clock.dispatchEvent(new Event("change")); '
                  'document.getElementById("minutes").value = 0; document.getElementById("byoyomi").value = 1; })()')
    board.begin(1, 'black')
    board.wait(lambda: '時間' in board.status() or 'time ran out' in board.status(), 10)
    browser.value('document.getElementById("clock").value = 0')


def screens(board):
    """A game goes on after a visit to another screen and after a reload; every screen keeps its record; an error goes when the next record opens."""
    browser = board.browser

    def open_text(text):
        browser.value('document.querySelector("#panel-analyze details").open = true')
        browser.value(f'document.getElementById("pasted").value = {json.dumps(text)}')
        browser.click('#open-text')

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
        ('7g7f 7c7e', '1行目: 「7c7e」は指せません|`7c7e` is illegal'),
    ]:
        open_text(text)
        board.wait(lambda: re.search(reason, browser.text('#error')))
    # A record that opens takes the error away.
    open_text(RECORD)
    board.wait(lambda: len(board.moves()) == 4 and browser.text('#error') == '')
    open_text('9g9f')
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
    # A piece that the mouse drags.
    if not browser.value('navigator.maxTouchPoints'):
        browser.drag(board.button('7g'), board.button('7f'))
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
    board.wait(lambda: browser.value('!document.getElementById("new-game").hidden'))
    browser.click('[data-mode=analyze]')
    board.wait(lambda: len(board.moves()) == 4 and board.moves() != played)
    browser.click('#restore')
    board.wait(lambda: board.moves() == ['9g9f'])
    browser.value('document.getElementById("clock").value = 0')


def problem(board, adviser, pictures, name, folder):
    browser = board.browser
    browser.click('[data-mode=solve]')
    board.wait(lambda: '王手' in board.status() or 'mates by checks' in board.status())
    # A file may have a position without a mate.
    file = folder / 'problems.sfen'
    file.write_text('4k4/9/9/9/9/9/9/9/4K4 b G 1\n')
    board.choose_file('#problem-file', file)
    board.wait(lambda: '詰みません' in browser.text('#notice') or 'No mate' in browser.text('#notice'))
    browser.value('(() => { const list = document.getElementById("problem"); list.value = 0; list.dispatchEvent(new Event("change")); })()')
    board.wait(lambda: browser.text('#notice') == '')
    start = json.loads(browser.text('#settings'))['problems'][0].rsplit(' ', 1)[0] + ' 1'
    side = 'black' if start.split()[1] == 'b' else 'white'
    browser.picture(pictures / f'{name}-solve.png', whole=name == 'phone')
    # A move that is no check is taken back.
    legal = [named['move'] for named in adviser.position(start, [])['legal']]
    quiet = next(move for move in legal if not move.endswith('+') and not adviser.position(start, [move])['in_check'])
    board.click_move(quiet, side)
    board.wait(lambda: '別の手' in board.status() or 'another' in board.status())
    assert board.moves() == []
    played = []
    while True:
        moves = adviser.ask(ask='mate', line={'start': start, 'moves': played}, seconds=20)['moves']
        board.click_move(moves[0]['move'], side)
        board.wait(lambda: any(word in board.status() for word in ['正解', 'Right', 'あと', 'more']))
        if '正解' in board.status() or 'Right' in board.status():
            return len(played) + 1
        played = board.moves()


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
    process = subprocess.Popen([kiki, 'serve', '--no-open', '--threads', '1', '--tabs', '4'], stdout=subprocess.PIPE, text=True)
    address = re.search(r'http://\S+', process.stdout.readline()).group()
    browser = Browser(sys.argv[4] if len(sys.argv) > 4 else 'chromium')
    try:
        board, adviser = Board(browser, address), Protocol(address)
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
            by, move = ('clicks', board.click_move) if phone else ('keys', board.key_move)
            played, end = board.play(adviser, 'black' if phone else 'white', move)
            if attack:
                attack.join()
            browser.picture(pictures / f'{name}-played.png', whole=phone)
            fits(browser, width, name)
            print(f'{name}: {len(played)} moves against level 3 by {by}: {end}')
            helps(board)
            screens(board)
            analysis(board, pictures, name)
            with tempfile.TemporaryDirectory() as folder:
                files(board, pathlib.Path(folder))
                print(f'{name}: a problem solved in {problem(board, adviser, pictures, name, pathlib.Path(folder))} moves')
            fits(browser, width, name)
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


if __name__ == '__main__':
    main()
