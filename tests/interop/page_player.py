#!/usr/bin/env python3
"""Drives a page of `kiki-lab player` in a real browser: what to study, answers on the board, mates, months, numbers, and the links to whole games.

usage: page_player.py REPORT.html REPORT.json PICTURES [CHROMIUM]

Needs websocket-client. Fails if anything is loaded from elsewhere, if the program of the page fails, or if the page is wider than the window.
"""
import json
import pathlib
import sys
import urllib.parse

from browser import Browser
from page_looks import boxes

SIZES = {'phone': (390, 844, True), 'side': (844, 390, True), 'tablet': (820, 1180, True), 'desk': (1280, 720, False)}
NO_ARROWS = 'document.querySelectorAll("#board [stroke=\'var(--arrow)\']").length === 0'


def is_of(question, subject):
    return any((group['grouping'], group['group']) == (subject['grouping'], subject['group']) for group in question['groups'])


def first_screen(browser, page, report, size):
    """The subjects come first, with what they cost and the way on. Their statistics stand below the first screen, the rating and its caveat last."""
    width, height, _ = size
    for language in ['ja', 'en']:
        browser.open(page, f'lang={language}')
        shown = browser.text('#subjects')
        for subject in report['subjects']:
            assert subject['words'][language] in shown and subject['sentence'][language] not in shown, (subject, shown)
            assert subject['sentence'][language] in browser.text('#findings'), subject
        assert browser.value('document.getElementById("findings").getBoundingClientRect().top') >= height, 'statistics come after the first screen'
        first = ' '.join(box['name'] for box in boxes(browser, 'body *') if box['top'] < height)
        assert not any(words in first for words in ('±', '95%')), first
        for box in boxes(browser, '#subjects li'):
            assert box['top'] >= 0 and box['bottom'] <= height or height < 480, (size, box)
        assert browser.value('document.documentElement.scrollWidth') <= width, (size, language)
    order = ['#subjects', '#board', '#findings', '#numbers', '#rating', '#caveat']
    tops = [browser.value(f'document.querySelector("{selector}").getBoundingClientRect().top') for selector in order]
    assert tops[2:] == sorted(tops[2:]) and max(tops[:2]) < tops[2], dict(zip(order, tops))


def play(browser, move):
    """Plays a move by clicks."""
    if move[1] == '*':
        side = 'black' if browser.value('document.querySelector("#near").classList.contains("turn")') == (browser.text('#near .mark') == '☗') else 'white'
        browser.click(f'[data-key="hand {side} {move[0]}"]')
    else:
        browser.click(square(browser, move[:2]))
    browser.click(square(browser, move[2:4]))
    if browser.value('!document.getElementById("promotion").hidden'):
        browser.click(f'#promotion button:{"first" if move.endswith("+") else "last"}-child')


def square(browser, name):
    row, column = ord(name[1]) - 96, 10 - int(name[0])
    if browser.text('#near .mark') == '☖':
        row, column = 10 - row, 10 - column
    return f'#squares [role=row]:nth-child({row}) button:nth-child({column})'


def answers(browser, page, report, pictures, size):
    """Nothing tells the best move before the answer, whatever it is; after it all is told, with the reason. Returns how many were answered."""
    browser.open(page, 'lang=en')
    # A question of several subjects is answered once.
    given = {}
    for place, subject in enumerate(report['subjects']):
        browser.click(f'[data-key="subject {place}"]')
        questions = [question for question in report['questions'] if is_of(question, subject)][:8]
        assert subject['words']['en'] in browser.text('#question-heading') and f'1 / {len(questions)}' in browser.text('#question-heading')
        for number, question in enumerate(questions[:3]):
            if question['sfen'] in given:
                if number + 1 < len(questions):
                    browser.click('[data-key=next]')
                continue
            best = max(question['candidates'], key=lambda candidate: candidate['win'])
            played = next(candidate for candidate in question['candidates'] if candidate['played'])
            # The heading may tell of the middle game.
            asked = browser.text('.question').replace(browser.text('#question-heading'), '')
            assert browser.value(NO_ARROWS) and best['western'] not in asked and played['western'] not in asked and 'game' not in asked.split('move')[0], asked
            if (place, number) == (0, 0):
                browser.picture(pictures / f'{size}-question.png')
            before = browser.value('document.getElementById("board").innerHTML')
            # Right, what was played, and no answer.
            if number == 0:
                play(browser, best['move'])
                verdict = 'Right.'
            elif number == 1:
                play(browser, played['move'])
                verdict = 'This move was played.'
            else:
                browser.click('[data-key="give up"]')
                verdict = 'The answer.'
            told = browser.text('#answer')
            assert told.startswith(verdict) and best['western'] in told and played['western'] in told, (verdict, told)
            assert not browser.value(NO_ARROWS) or best['move'][1] == '*', 'the best move is shown on the board'
            assert question['reason'] is None or question['reason']['english'].split(': ')[0].rstrip('.') in told, told
            # No line is the beginning of another.
            browser.value('(() => { for (let more; (more = document.querySelector("#answer .more"));) more.click(); })()')
            rows = browser.value('[...document.querySelectorAll("#answer .pv")].map((row) => [...row.querySelectorAll("button")].map((node) => node.textContent))')
            assert not any(one == other[:len(one)] for one in rows for other in rows if one is not other), rows
            reason = question['reason'] and question['reason']['pv_western']
            assert not reason or any(row[:len(reason)] == reason for row in rows), (reason, rows)
            for key in [row.split()[1] for row in browser.value('[...document.querySelectorAll("#answer .pv button:first-of-type")].map((node) => node.dataset.key)')]:
                browser.click(f'[data-key="line {key} 1"]')
                assert browser.value('document.getElementById("board").innerHTML') != before, key
                browser.key('Escape')
            if (place, number) == (0, 0):
                browser.picture(pictures / f'{size}-answer.png', whole=True)
            given[question['sfen']] = number == 0
            if number + 1 < len(questions):
                browser.click('[data-key=next]')
        known = [given[question['sfen']] for question in questions if question['sfen'] in given]
        assert f'{sum(known)} of {len(known)} right' in browser.text('#score'), browser.text('#score')
    return len(given)


def illegal(browser, page, report):
    """A piece of the other side and a square out of reach are no answers."""
    browser.open(page, 'lang=en')
    labels = browser.value('[...document.querySelectorAll("#squares button")].map((node) => node.getAttribute("aria-label"))')
    question = next(question for question in report['questions'] if not report['subjects'] or is_of(question, report['subjects'][0]))
    other = 'White' if ' b ' in question['sfen'] else 'Black'
    cell = next(index for index, label in enumerate(labels) if f' {other} ' in label)
    browser.value(f'document.querySelectorAll("#squares button")[{cell}].click()')
    assert browser.text('#told') == 'This is a piece of the other side.'
    assert browser.value('document.querySelector(\'[data-key="give up"]\') !== null'), 'it is still asked'


def mates(browser, page, report, pictures):
    """Every missed mate is listed, the shortest first, and asked on the board."""
    missed = sorted((question for question in report['questions'] if question['missed_mate'] is not None), key=lambda question: question['missed_mate'])
    browser.open(page, 'lang=en')
    assert browser.value('document.getElementById("mates").hidden') == (report['mates'] is None)
    assert browser.value('document.querySelectorAll("#mates-list button").length') == len(missed)
    for place, question in enumerate(missed[:2]):
        browser.click(f'[data-key="mate {place}"]')
        assert 'There is a mate.' in browser.text('#answer'), browser.text('#answer')
        browser.click('[data-key="give up"]')
        assert 'mate' in browser.text('[data-key="line best 1"]') + browser.text('#answer .pv')
        assert '・' in browser.text(f'[data-key="mate {place}"]'), 'the list tells what was looked at'
    return len(missed)


def numbers(browser, page, report):
    """Rows of a single game are shown when they are asked for. The months have a picture."""
    browser.open(page, 'lang=en')
    shown = lambda: browser.value('[...document.querySelectorAll("#numbers tbody tr")].filter((row) => !row.hidden && row.querySelector("td")).length')
    groups = [group for grouping in report['groupings'] for group in grouping['groups']]
    rare = [group for group in groups if group['games'] == 1 and report['games'] > 1]
    assert shown() == 1 + len(groups) - len(rare), (shown(), len(groups), len(rare))
    if rare:
        browser.click('[data-key=rare]')
        assert shown() == 1 + len(groups)
    months = report['progress']['months'] if report['progress'] else []
    assert browser.value('document.querySelectorAll(".months .own").length') == len(months)
    assert browser.value('document.querySelectorAll(".months .error").length') == sum(month['mean_loss']['interval'] is not None for month in months)
    return len(rare), len(months)


def games(browser, page, report):
    """Every question leads to the page of its game, at the move."""
    question = report['questions'][0]
    browser.open(page, 'lang=en')
    browser.click('[data-key=all]')
    browser.click('[data-key="give up"]')
    link = browser.value('document.querySelector("#answer a").href')
    place, hash = link.split('#')
    assert hash == f'ply={question["ply"] + 1}&lang=en', hash
    path = pathlib.Path(urllib.parse.unquote(place.removeprefix('file://')))
    assert path == (page.parent / question['page']).resolve(), path
    browser.open(path, hash)
    played = next(candidate for candidate in question['candidates'] if candidate['played'])
    assert browser.text('#verdict').find(played['western']) >= 0, browser.text('#verdict')
    missing = {question['page'] for question in report['questions'] if not (page.parent / question['page']).exists()}
    assert not missing, missing
    return len({question['page'] for question in report['questions']})


def main():
    page, report, pictures = (pathlib.Path(word) for word in sys.argv[1:4])
    report = json.loads(report.read_text(encoding='utf-8'))
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(sys.argv[4] if len(sys.argv) > 4 else 'chromium')
    try:
        for name, size in SIZES.items():
            browser.resize(*size)
            first_screen(browser, page, report, size)
            for language, scheme in [('ja', 'light'), ('en', 'dark')]:
                browser.resize(*size, scheme)
                browser.open(page, f'lang={language}')
                browser.picture(pictures / f'{name}-{language}-{scheme}.png')
                browser.picture(pictures / f'{name}-{language}-{scheme}-whole.png', whole=True)
        browser.resize(*SIZES['phone'])
        answered = answers(browser, page, report, pictures, 'phone')
        browser.resize(*SIZES['desk'])
        answers(browser, page, report, pictures, 'desk')
        illegal(browser, page, report)
        missed = mates(browser, page, report, pictures)
        rare, months = numbers(browser, page, report)
        linked = games(browser, page, report)
        browser.check_quiet('file:')
    finally:
        browser.close()
    print(f'{page.name}: {len(report["subjects"])} subjects, {answered} questions answered on the board, {missed} missed mates, {rare} rows of a single game, {months} months, {linked} games linked')


if __name__ == '__main__':
    main()
