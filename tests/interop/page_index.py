#!/usr/bin/env python3
"""Drives the index of `kiki-lab analyze` in a real browser: sorts, filters, and goes to a bad move of a game.

usage: page_index.py FOLDER PICTURES [CHROMIUM]

FOLDER is that of an analysis of several games. Fails if a link leads nowhere, if anything is loaded from elsewhere, or if the page is wider than the window.
"""
import json
import pathlib
import sys

from browser import Browser, wait

SIZES = {'phone': (390, 844, True), 'desk': (1280, 720, False)}


def rows(browser, table):
    return browser.value(f'[...document.querySelectorAll("#{table} tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))')


def tables(browser, page, index):
    """All players and games are there, in the order that is asked for, and filtered by what is typed."""
    browser.open(page, 'lang=en')
    assert str(len(index['games'])) in browser.text('#title')
    assert [row[0] for row in rows(browser, 'players')] == [player['name'] for player in index['players']]
    assert len(rows(browser, 'games')) == len(index['games'])
    known = sorted(game['play'][0]['black']['accuracy'] for game in index['games'] if game['play'][0]['black']['accuracy'] is not None)
    for press, wanted in enumerate([known, known[::-1]]):
        browser.click('[data-key="games accuracyBlack"]')
        shown = [row[4] for row in rows(browser, 'games')]
        assert shown[:len(known)] == [f'{accuracy:.1f}' for accuracy in wanted], (press, shown)
        assert set(shown[len(known):]) <= {'–'}
        assert browser.value('document.activeElement.dataset.key') == 'games accuracyBlack', 'the focus stays'
    name = index['players'][0]['name']
    browser.click('#players tbody button')
    assert browser.value('document.getElementById("filter").value') == name
    # A game is shown if what is known of it has the word, its file included.
    has = lambda game: any(name.lower() in game[key].lower() for key in ('name', 'black', 'white', 'event'))
    assert len(rows(browser, 'games')) == sum(has(game) for game in index['games']) > 0, rows(browser, 'games')


def links(browser, page, index):
    """Every game has its page, and a bad move is shown there."""
    browser.open(page, 'lang=ja')
    targets = browser.value('[...document.querySelectorAll("#games a")].map((link) => decodeURIComponent(new URL(link.href).pathname))')
    assert len(targets) == len(index['games']) and all(pathlib.Path(target).is_file() for target in targets), targets
    for engine, moves in enumerate(index['worst']):
        browser.open(page, 'lang=ja')
        if len(index['engines']) > 1:
            browser.click(f'[data-key="engine {engine}"]')
        assert browser.value('document.querySelectorAll("#worst a").length') == len(moves)
        if moves:
            browser.click('#worst a')
            wait(lambda: browser.value('document.readyState === "complete" && document.getElementById("verdict") !== null'), lambda: 'no page of a game')
            assert moves[0]['japanese'] in browser.text('#verdict') and browser.ply() == moves[0]['ply'] + 1, browser.text('#verdict')


def main():
    folder, pictures = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    browser = Browser(sys.argv[3] if len(sys.argv) > 3 else 'chromium')
    index, page = json.loads((folder / 'index.json').read_text()), folder / 'index.html'
    pictures.mkdir(parents=True, exist_ok=True)
    try:
        for size, (width, height, touch) in SIZES.items():
            browser.resize(width, height, touch)
            tables(browser, page, index)
            links(browser, page, index)
            for language in ['ja', 'en']:
                browser.open(page, f'lang={language}')
                for notation in ['western', 'kanji']:
                    browser.choose('notation', notation)
                    marks = browser.value('[...document.querySelectorAll("#worst a > b")].filter((node) => /[▲△]/.test(node.textContent)).length')
                    assert marks == (len(index['worst'][0]) if notation == 'kanji' else 0), (language, notation, marks)
                browser.value('localStorage.removeItem("notation")')
                assert browser.value('document.documentElement.scrollWidth <= innerWidth'), f'wider than {width}'
                browser.picture(pictures / f'{size}-{language}.png', whole=True)
        browser.check_quiet('file:')
    finally:
        browser.close()
    print(f'{page}: {len(index["games"])} games, {len(index["players"])} players, every link leads somewhere')


if __name__ == '__main__':
    main()
