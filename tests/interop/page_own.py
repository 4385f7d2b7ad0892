"""The reader's own moves on a page of `kiki-lab analyze`: legal ones alone, by clicks and by keys. Used by page.py."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def legal_moves(browser, sfens):
    """What the page's own rules find in these positions."""
    files = ['page/src/parts/position.js', 'page/src/parts/board.js', 'page/src/parts/rules.js']
    source = ''.join((ROOT / 'crates' / file).read_text() for file in files)
    return browser.value(f'(() => {{ {source}\nreturn {json.dumps(sfens)}.map((sfen) => legalMovesOf(positionOf(sfen))); }})()')


def rules(browser, report):
    """They are the moves of tests/fixtures/legal_moves.tsv, and as many in every position of the report as the engine's board has."""
    rows = [line.split('\t') for line in (ROOT / 'tests/fixtures/legal_moves.tsv').read_text().splitlines()]
    sfen, moves = rows[0].index('sfen'), rows[0].index('legal_moves')
    for row, found in zip(rows[1:], legal_moves(browser, [row[sfen] for row in rows[1:]])):
        assert sorted(found) == sorted(row[moves].split()), (row[sfen], set(found) ^ set(row[moves].split()))
    found = legal_moves(browser, [position['sfen'] for position in report['positions']])
    assert [len(moves) for moves in found] == [position['legal_moves'] for position in report['positions']]
    return len(rows) - 1


def own_moves(browser, page, report):
    """A press on the board steps; with the button it moves pieces. A move becomes a line that can be left and found again."""
    square = lambda name: f'#squares [role=row]:nth-child({ord(name[1]) - 96}) button:nth-child({10 - int(name[0])})'
    position = next((found for found in report['positions'] if found['turn'] == 'black' and found['ply'] % 2 == 0
                     and found['searches'][0] and any(line['move'][1] != '*' and line['move'][4:] == '' for line in found['searches'][0]['lines'])), None)
    if position is None:
        return
    browser.open(page, f'ply={position["ply"]}&lang=ja')
    move = next(line['move'] for line in position['searches'][0]['lines'] if line['move'][1] != '*' and line['move'][4:] == '')
    browser.click('#own-moves')
    before = browser.value('document.getElementById("board").innerHTML')
    browser.click(square(move[:2]))
    assert browser.value('document.querySelectorAll("#squares [aria-selected]").length') == 1
    browser.click(square(move[2:4]))
    if browser.value('!document.getElementById("promotion").hidden'):
        browser.click('#promotion button:last-child')
    played = position['played'] and position['played']['move'] == move
    if played:
        assert browser.ply() == position['ply'] + 1, 'the move of the game is a step'
        browser.click('#back')
    else:
        assert browser.ply() == position['ply'] and '自分の手順' in browser.text('#verdict') and '1 / 1' in browser.text('#verdict .way-back'), browser.text('#verdict')
        assert f'({move[0]}{ord(move[1]) - 96})' in browser.text('#verdict'), browser.text('#verdict')
    assert browser.value('document.getElementById("board").innerHTML') != before or played
    browser.key('Escape')
    assert browser.ply() == position['ply']
    if not played:
        browser.click('[data-key="line own 1"]')
        browser.click('[data-lang=en]')
        assert 'Move 1 of 1' in browser.text('#verdict .way-back')
    # A press where no move leads changes nothing; without the button a press steps again.
    browser.open(page, f'ply={position["ply"]}&lang=ja')
    assert browser.value('document.getElementById("squares").hidden'), 'it begins without'
    # An engine's line becomes the reader's own, and stays while the page is open.
    line = '#candidates .pv button:first-of-type'
    if browser.value(f'document.querySelector("{line}") !== null'):
        move = browser.text(line)
        browser.click(line)
        browser.click('#candidates [data-key=add]')
        assert browser.text('[data-key="line own 1"]') == move and not browser.value('document.querySelector("[data-key=add]")')
        browser.key('Escape')
        browser.key('ArrowRight')
        browser.key('ArrowLeft')
        assert browser.text('[data-key="line own 1"]') == move
    browser.click('#own-moves')
    labels = browser.value('[...document.querySelectorAll("#squares button")].map((node) => node.getAttribute("aria-label"))')
    cell = next(index for index, label in enumerate(labels) if label.endswith('空'))
    browser.value(f'document.querySelectorAll("#squares button")[{cell}].click()')
    assert browser.ply() == position['ply'] and browser.value('document.querySelectorAll("#squares [aria-selected]").length') == 0
    browser.click('#own-moves')
    board = browser.box('#board')
    point = (board['x'] + board['width'] * 0.8, board['y'] + board['height'] / 2)
    browser.mouse(point, point)
    assert browser.ply() == position['ply'] + (1 if position['ply'] + 1 < len(report['positions']) else 0)


def drops(browser, page, report):
    """A piece in hand is dropped by its button and by its key."""
    position = next((found for found in report['positions'] if not found['in_check'] and (hand := found['sfen'].split()[2]) != '-'
                     and any(letter.isalpha() and letter.isupper() == (found['turn'] == 'black') and letter.upper() in 'RBGS' for letter in hand)), None)
    if position is None:
        return
    letter = next(letter for letter in position['sfen'].split()[2] if letter.isalpha() and letter.isupper() == (position['turn'] == 'black') and letter.upper() in 'RBGS')
    browser.open(page, f'ply={position["ply"]}&lang=en')
    browser.click('#own-moves')
    browser.click(f'[data-key="hand {position["turn"]} {letter.upper()}"]')
    targets = browser.value('document.querySelectorAll("#board rect[fill^=\'color-mix\']").length')
    board = position['sfen'].split()[0]
    pieces = sum(found.isalpha() for found in board)
    assert targets == 81 - pieces, (targets, pieces)
    cell = browser.value('[...document.querySelectorAll("#squares button")].findIndex((node) => node.getAttribute("aria-label").endsWith("empty"))')
    browser.value(f'document.querySelectorAll("#squares button")[{cell}].click()')
    assert f'{letter.upper()}*' in browser.text('#verdict'), browser.text('#verdict')


def play(browser, page, report):
    """All of it. Returns how many positions of the fixture were compared."""
    own_moves(browser, page, report)
    drops(browser, page, report)
    return rules(browser, report)
