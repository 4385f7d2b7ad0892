#!/usr/bin/env python3
"""Drives a page of `kiki-lab analyze` in a real browser, by the protocol of its developer tools.

usage: page.py REPORT.html REPORT.json PICTURES [CHROMIUM]

Needs websocket-client. Opens the page from its file at the sizes of a phone, upright and on its side, and of a desk, in the light and in the dark,
steps through it by keys, buttons, graph, swipes and wheels, switches the language, looks at what is said of engines that declare a win or resign, and
writes screenshots. page_looks.py has what is looked at: sizes, columns, fingers, focus, chosen colours, paper. page_lessons.py has names, autoplay, copies and
the quiz, page_own.py the reader's own moves.
Fails if anything is loaded from elsewhere, if the program of the page fails, or if the page is wider than the window.
"""
import json
import pathlib
import re
import sys

import page_lessons
import page_looks
import page_own
from browser import Browser

SIZES = {'phone': (390, 844, True), 'side': (844, 390, True), 'desk': (1280, 720, False)}


def steps(browser, page, report, size):
    """Goes through the page in every way."""
    last = len(report['positions']) - 1
    start = min(12, last - 2)
    played = lambda ply: report['positions'][ply - 1]['played']
    browser.open(page, f'ply={start}&lang=ja')
    assert played(start)['japanese'] in browser.text('#verdict'), browser.text('#verdict')
    assert browser.value('document.querySelectorAll("#moves > li:not(.branch) button").length') == last
    browser.key('ArrowRight')
    assert browser.ply() == start + 1 and played(start + 1)['japanese'] in browser.text('#verdict')
    browser.click('#back')
    assert browser.ply() == start
    browser.click('[data-lang=en]')
    assert played(start)['western'] in browser.text('#verdict'), browser.text('#verdict')
    assert browser.value('document.documentElement.lang') == 'en' and 'Summary' in browser.text('body')
    browser.click('[data-lang=ja]')
    assert '対局のまとめ' in browser.text('body')
    browser.key('End')
    assert browser.ply() == last
    browser.key('Home')
    assert browser.ply() == 0 and browser.value('document.getElementById("back").getAttribute("aria-disabled")') == 'true'
    # The pieces of the first position.
    board = report['positions'][0]['sfen'].split()[0]
    assert browser.value('document.querySelectorAll("#board .piece").length') >= sum(letter.isalpha() for letter in board)
    bad = [ply for ply in range(1, last + 1) for search in report['positions'][ply - 1]['searches'][:1]
           if search and search['played'] and search['played']['mark'] in ('mistake', 'blunder')]
    browser.key('ArrowDown')
    assert browser.ply() == (bad[0] if bad else 0), (browser.ply(), bad)
    graph = browser.box('#graph')
    browser.mouse((graph['x'] + graph['width'] / 2, graph['y'] + 40), (graph['x'] + graph['width'] / 2, graph['y'] + 40))
    assert abs(browser.ply() - last / 2) <= max(2, last / 20), browser.ply()
    middle = browser.ply()
    board = browser.box('#board')
    y = board['y'] + board['height'] / 2
    browser.mouse(*[(board['x'] + board['width'] * part, y) for part in (0.8, 0.6, 0.4)])
    assert browser.ply() == middle + 1, 'a swipe to the left is a step forward'
    browser.key('f')
    assert 'flip=1' in browser.value('location.hash')
    browser.key('f')
    browser.open(page, f'ply={start}&lang=ja')
    preview(browser, start, size)


def preview(browser, ply, size):
    """A move of a line is seen on the board by mouse, finger and keys, beside a way back; the place in the game stays."""
    drawn = lambda: browser.value('document.getElementById("board").innerHTML')
    back = '.way-back [data-key=leave]'
    label, second = drawn(), '#candidates .pv button:nth-of-type(2)'
    press = (lambda selector: browser.touch(browser.middle(selector))) if size[2] else browser.click
    if not size[2]:
        x, y = browser.middle(second)
        for along in (-1, 0):
            browser.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x + along, y=y)
        assert drawn() != label and not browser.value(f'document.querySelector("{back}")'), 'the mouse shows a move'
        browser.ask('Input.dispatchMouseEvent', type='mouseMoved', x=5, y=5)
        assert drawn() == label, 'elsewhere it does not'
    for leave in [lambda: press(back), lambda: browser.key('Escape'), lambda: [browser.key('ArrowLeft'), browser.key('ArrowLeft')], lambda: press(f'[data-key="move {ply}"]')]:
        press(second)
        assert drawn() != label and browser.value(f'document.querySelector("{second}").getAttribute("aria-pressed")') == 'true'
        assert '2 / ' in browser.text('.way-back'), browser.text('.way-back')
        assert browser.value('document.getElementById("board").getBoundingClientRect().top') >= -1, 'the board is in view'
        leave()
        assert browser.ply() == ply and drawn() == label and not browser.value(f'document.querySelector("{back}")')


def notations(browser, page, report):
    """The reader chooses how moves are written: in the list, in lines, in reasons and their sentences, in both languages. The browser keeps it."""
    positions = [position for position in report['positions'] if position['played'] and position['played']['reason'] and position['played']['reason']['pv']]
    for position in positions[:6]:
        reason, ply = position['played']['reason'], position['ply'] + 1
        for language in ['ja', 'en']:
            for notation, sentences in [('kanji', ['japanese', 'english_kanji']), ('western', ['japanese_western', 'english'])]:
                browser.open(page, f'ply={ply}&lang={language}')
                browser.choose('notation', notation)
                browser.open(page, f'ply={ply}&lang={language}')
                told = reason[sentences[language == 'en']]
                assert told and told.split(': ')[0] in browser.text('#verdict .reason'), (told, browser.text('#verdict'))
                names = reason[f'pv_{"japanese" if notation == "kanji" else "western"}']
                assert browser.text('[data-key="line reason 1"]') == names[0]
                shown = browser.text('#moves') + browser.text('#candidates') + browser.text('#verdict .head')
                assert ('▲' in shown) == (notation == 'kanji'), (notation, shown)
        browser.choose('notation', 'arabic')
        assert not re.search('[１-９][一二三四五六七八九]', browser.text('#verdict .reason') + browser.text('#moves') + browser.text('#candidates'))
        browser.value('localStorage.removeItem("notation")')


def wheels_and_buttons(browser, page, report):
    """What steps, and what is left to the browser."""
    last = len(report['positions']) - 1
    start = last // 2
    browser.open(page, f'ply={start}&lang=ja')
    board, graph = browser.box('#board'), browser.box('#graph')
    right = (board['x'] + board['width'] * 0.8, board['y'] + board['height'] / 2)
    for name, act, by in [
        ('a notch', lambda: browser.wheel(right, 0, 120), 1),
        ('a notch back', lambda: browser.wheel(right, 0, -100), -1),
        ('few pixels of a touchpad', lambda: [browser.wheel(right, 0, 2) for _ in range(3)], 0),
        ('many pixels of a touchpad', lambda: [browser.wheel(right, 0, 9) for _ in range(12)], 2),
        ('pixels to and fro', lambda: [browser.wheel(right, 0, pixels) for pixels in (40, -20, 20, -40)], 0),
        ('a line of a wheel', lambda: browser.value(
            'document.getElementById("board").dispatchEvent(new WheelEvent("wheel", { deltaY: 3, deltaMode: 1, bubbles: true, cancelable: true }))'), 1),
        ('a horizontal wheel', lambda: browser.wheel(right, 120, 0), 0),
        ('a slanting wheel', lambda: browser.wheel(right, 120, 60), 0),
        ('a tap', lambda: browser.mouse(right, right), 1),
        ('the right button', lambda: browser.mouse(right, right, button='right'), 0),
        ('the right button on the graph', lambda: browser.mouse((graph['x'] + 50, graph['y'] + 40), (graph['x'] + 50, graph['y'] + 40), button='right'), 0),
        ('a drag that began elsewhere', lambda: browser.mouse(right, (right[0], graph['y'] + 40), (graph['x'] + 60, graph['y'] + 40)), 0),
    ]:
        browser.open(page, f'ply={start}&lang=ja')
        act()
        assert browser.ply() == start + by, (name, start, browser.ply())


ENDINGS = {'ja': {'win': '入玉宣言勝ち', 'resign': '投了'}, 'en': {'win': 'declares a win', 'resign': 'resigns'}}
JUDGED = {'ja': {'win': '最善は 入玉宣言', 'resign': 'エンジンは投了'}, 'en': {'win': 'best was to declare a win', 'resign': 'the engine resigns'}}


def endings(browser, page, report):
    """An engine that declares a win or resigns advises no move, whatever lines it tells."""
    found = [(ply, engine, search['best']) for ply, position in enumerate(report['positions'])
             for engine, search in enumerate(position['searches']) if search and search['best'] in ('win', 'resign')]
    arrows = 'document.querySelectorAll("#board [stroke=\'var(--arrow)\']").length'
    for ply, engine, best in found:
        for language in ['ja', 'en']:
            browser.open(page, f'ply={ply}&lang={language}&engine={engine}')
            words = browser.value(f'document.querySelectorAll(".engine")[{engine}].children[1].textContent')
            assert words == ENDINGS[language][best] and browser.value(arrows) == 0, (ply, engine, words)
            if best == 'win':
                assert words in browser.text('#verdict'), browser.text('#verdict')
            if ply + 1 < len(report['positions']):
                browser.open(page, f'ply={ply + 1}&lang={language}&engine={engine}')
                judged = browser.text('#verdict p')
                assert JUDGED[language][best] in judged and (best == 'win' or 'best was' not in judged), (ply, engine, judged)
    return len(found)


def record(browser, page, report):
    """Looks at the record's comments, times and variations. Returns how many comments and variations there are."""
    comments = [report['game']['comment']] + [position['played']['comment'] for position in report['positions'] if position['played']]
    for ply, comment in enumerate(comments):
        browser.open(page, f'ply={ply}&lang=ja')
        shown = browser.text('#verdict .comment') if comment else ''
        assert shown == comment, (ply, shown, comment)
    timed = [position for position in report['positions'] if position['played'] and position['played']['milliseconds']]
    assert browser.value('document.querySelectorAll("#times rect").length') == len(timed), 'a bar for each time'
    variations = 0
    keys = browser.value('[...document.querySelectorAll("#moves .branch button")].map((node) => node.dataset.key)')
    assert len(keys) == len(set(keys))
    for position in report['positions']:
        browser.open(page, f'ply={position["ply"]}&lang=ja')
        for index, variation in enumerate(position['variations']):
            variations += 1
            button = lambda length: f'[data-key="line record {position["ply"]} {index} {length}"]'
            for length, (move, comment) in enumerate(zip(variation['moves_japanese'], variation['comments']), 1):
                browser.click(button(length))
                verdict = browser.text('#verdict')
                assert move in verdict and comment in verdict, (verdict, move, comment)
                assert browser.value(f"document.querySelector('{button(length)}').getAttribute('aria-current')") == 'true'
            browser.key('Escape')
            assert browser.ply() == position['ply']
    return sum(map(bool, comments)), variations


def reasons(browser, page, report):
    """Looks at why moves are bad, and steps through the lines that show it. Returns how many reasons there are."""
    positions = [position for position in report['positions'] if position['played'] and position['played']['reason']]
    for position in positions:
        reason, ply = position['played']['reason'], position['ply']
        browser.open(page, f'ply={ply + 1}&lang=en')
        told = browser.text('#verdict .reason')
        assert reason['english'].split(': ')[0] in told and (len(reason['pv']) < 3 or ' '.join(reason['pv_western'][1:3]) not in told), (ply, told, reason)
        if not reason['pv']:
            continue
        browser.click('[data-key="line reason 1"]')
        for number, move in enumerate(reason['pv_western'], 1):
            assert f'Move {number} of {len(reason["pv"])}' in browser.text('#verdict .way-back')
            assert browser.text('#verdict [aria-pressed=true]') == move
            browser.key('ArrowRight')
        browser.key('Escape')
        assert browser.ply() == ply + 1, ply
    return len(positions)


def main():
    page, report, pictures = (pathlib.Path(word) for word in sys.argv[1:4])
    report = json.loads(report.read_text(encoding='utf-8'))
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(sys.argv[4] if len(sys.argv) > 4 else 'chromium')
    try:
        grounds = set()
        browser.resize(*SIZES['desk'])
        ends = endings(browser, page, report)
        wheels_and_buttons(browser, page, report)
        comments, variations = record(browser, page, report)
        explained = reasons(browser, page, report)
        notations(browser, page, report)
        compared = page_own.play(browser, page, report)
        questions = page_lessons.learn(browser, page, report, pictures)
        browser.resize(*SIZES['desk'])
        page_looks.look(browser, page, report, pictures)
        for name, (width, height, phone) in SIZES.items():
            browser.resize(width, height, phone)
            steps(browser, page, report, (width, height, phone))
            for language in ['ja', 'en']:
                for scheme in ['light', 'dark']:
                    browser.resize(width, height, phone, scheme)
                    browser.open(page, f'ply={min(40, len(report["positions"]) - 1)}&lang={language}')
                    wide = browser.value('[document.documentElement.scrollWidth, innerWidth]')
                    assert wide[0] <= width and wide[1] == width, (name, language, wide)
                    grounds.add(browser.value('getComputedStyle(document.body).backgroundColor'))
                    browser.picture(pictures / f'{name}-{language}-{scheme}.png', whole=phone)
        assert len(grounds) == 2, grounds
        # The thresholds are those that were given.
        about = browser.value('document.getElementById("about").textContent')
        for name in ['inaccuracy', 'mistake', 'blunder', 'decided', 'accuracy']:
            share = f'{round(100 * report["thresholds"][name], 9):g}%'
            assert share in re.findall(r'[\d.]+%', about), (share, about)
        # What people wrote is text.
        browser.value('document.title')
        heading = browser.text('#title')
        assert all(name in heading for name in (report['game']['black'], report['game']['white'])), heading
        assert browser.value('document.querySelectorAll("header img, header b, #moves img, #verdict img").length') == 0
        browser.check_quiet('file:')
    finally:
        browser.close()
    print(f'{page.name}: stepped through at {", ".join(f"{width}x{height}" for width, height, _ in SIZES.values())} pixels, looked at in {len(page_looks.SIZES)} sizes; {ends} searches end with a declared win or a resignation; {comments} comments and {variations} variations of the record; {explained} reasons; {questions} questions of the quiz; legal moves of {compared} positions')


if __name__ == '__main__':
    main()
