"""What a page of `kiki-lab analyze` teaches: names, phases, losses, autoplay, copies and the quiz. Used by page.py."""
import time

from browser import wait

BAD = ('mistake', 'blunder')
# Takes what is copied, or refuses it.
CLIPBOARD = """Object.defineProperty(navigator, 'clipboard', { configurable: true, value: {
    writeText: (content) => { window.taken = content; return REFUSED ? Promise.reject(new Error('refused')) : Promise.resolve(); } } })"""


def visible(browser, selector):
    return browser.value(f'[...document.querySelectorAll("{selector}")].some((node) => node.checkVisibility({{ visibilityProperty: true }}))')


def names(browser, page, report):
    """The heading has the handicap and the openings, the summary the castles, phases and losses."""
    game = report['game']
    for language, key in [('ja', 'japanese'), ('en', 'english')]:
        browser.open(page, f'ply=0&lang={language}')
        facts, summary = browser.text('#facts'), browser.text('#summary')
        for name in game['openings'] + ([game['handicap']] if game['handicap'] else []):
            assert name[key] in facts, (facts, name)
        assert all(name[key] in summary for name in game['castles']), summary
        bars = [browser.value(f'[...document.querySelectorAll(".histogram .{side}")].map((bar) => bar.height.baseVal.value > 0)') for side in ('black', 'white')]
        counts = [[bool(found['moves']) for engine in report['summary'] for found in engine[side]['losses']] for side in ('black', 'white')]
        assert bars == counts, (bars, counts)
        for engine in report['summary']:
            phases = [engine[side]['phases'][phase] for side in ('black', 'white') for phase in ('opening', 'middle_game', 'end_game')]
            shown = [f'{phase["accuracy"]:.1f} ({phase["judged"]})' for phase in phases if phase['judged']]
            assert all(words in summary for words in shown), (summary, shown)


def autoplay(browser, page, report):
    """Goes on by itself, until the end, a key or a click."""
    last = len(report['positions']) - 1
    pressed = lambda: browser.value('document.getElementById("autoplay").getAttribute("aria-pressed")') == 'true'
    reached = lambda ply: wait(lambda: browser.ply() >= ply, lambda: (ply, browser.ply()))
    browser.open(page, f'ply={last - 2}&lang=ja')
    browser.click('#autoplay')
    assert pressed()
    reached(last)
    browser.settle()
    assert not pressed(), 'it does not stop at the end'
    for stop in [lambda: browser.click('#autoplay'), lambda: browser.key('Shift'), lambda: browser.click('#facts')]:
        browser.open(page, 'ply=0&lang=ja')
        browser.click('#autoplay')
        reached(1)
        stop()
        stopped = browser.ply()
        assert not pressed()
        time.sleep(2)
        assert browser.ply() == stopped, 'it goes on'


def copies(browser, page, report):
    """The position and the record are copied, or shown where the clipboard is refused."""
    for ply, position in enumerate(report['positions'][::9]):
        browser.open(page, f'ply={9 * ply}&lang=en')
        browser.value(CLIPBOARD.replace('REFUSED', 'false'))
        browser.click('#copy-position')
        browser.settle()
        assert browser.value('window.taken') == position['sfen'] and browser.text('#copied') == 'Copied', position
    browser.click('#copy-record')
    assert browser.value('window.taken') == report['game']['kif']
    if browser.value('document.querySelector("#candidates .pv button") !== null'):
        browser.click('#candidates .pv button')
        assert not browser.text('#copied'), 'what was copied is no longer shown'
        browser.click('#copy-position')
        assert browser.value('window.taken') != position['sfen'], 'a line has positions of its own'
    browser.value(CLIPBOARD.replace('REFUSED', 'true'))
    browser.click('#copy-record')
    browser.settle()
    field = browser.value('(({ id, value, selectionStart, selectionEnd }) => ({ id, value, selected: selectionEnd - selectionStart }))(document.activeElement)')
    assert field['id'] == 'copied-text' and field['value'] == report['game']['kif'] and field['selected'] == len(field['value']), field


def quiz(browser, page, report, pictures):
    """Asks about every bad move, tells nothing before the answer, and counts right answers. Returns the number of questions."""
    searches = [position['searches'][0] for position in report['positions']]
    places = [ply for ply, search in enumerate(searches) if search and search['played'] and search['played']['mark'] in BAD
              and search['lines'] and search['best'] not in ('win', 'resign')]
    buttons = lambda: browser.value('[...document.querySelectorAll("#quiz-choices button")].map((node) => node.textContent)')
    told = lambda: browser.text('#quiz-told')
    focused = lambda: browser.value('[...document.querySelectorAll("#quiz-choices button")].indexOf(document.activeElement)')
    browser.open(page, 'ply=0&lang=en')
    browser.click('#start-quiz')
    if not places:
        assert 'no mistakes' in told() and buttons() == ['Leave the quiz'], told()
        browser.key('Escape')
        assert not visible(browser, '#quiz')
        return 0
    # The quiz is about the engine that was chosen at its start.
    offered = buttons()
    if browser.value('document.querySelectorAll(".legend button").length') > 1:
        for engine in [2, 1]:
            browser.click(f'.legend button:nth-of-type({engine})')
            assert buttons() == offered, (buttons(), offered)
    # Both sides are the last choice.
    browser.click(f'#quiz-choices button:nth-of-type({len(buttons()) - 1})')
    right = 0
    for number, ply in enumerate(places):
        search, played = searches[ply], report['positions'][ply]['played']
        assert browser.ply() == ply and f'{number + 1} / {len(places)}' in told() and focused() == 0, (ply, told())
        hidden = ['#verdict', '#graph', '#candidates', '#moves', '#bar', "#board [stroke='var(--arrow)']"]
        assert not any(visible(browser, selector) for selector in hidden), 'what engines say can be seen'
        browser.key('ArrowRight')
        assert browser.ply() == ply, 'a step leads away from the question'
        choices = buttons()[:-1]
        best = next((line for line in search['lines'] if line['move'] == search['best']), search['lines'][0])
        names = [choice.split(' ', 1)[1] for choice in choices]
        assert best['pv_western'][0] in names and played['western'] in names and len(names) == len(set(names)) <= 4, (names, best, played)
        if number == 0:
            browser.picture(pictures / 'quiz-question.png')
        # Right and wrong in turn, by keys.
        is_right = number % 2 == 0
        right += is_right
        browser.key(str(1 + names.index(best['pv_western'][0] if is_right else played['western'])))
        assert told().startswith('Right' if is_right else 'Wrong') and best['pv_western'][0] in told() and focused() == 0, told()
        assert all(visible(browser, selector) for selector in ('#graph', '#candidates', '#moves', '#bar'))
        if number == 0:
            browser.picture(pictures / 'quiz-answer.png')
        browser.click('#quiz-choices button')
    assert told() == f'{right} of {len(places)} right', told()
    browser.click('[data-lang=ja]')
    assert f'{len(places)}問中 {right}問正解' == told(), told()
    browser.key('Escape')
    assert not visible(browser, '#quiz') and visible(browser, '#graph')
    return len(places)


def learn(browser, page, report, pictures):
    names(browser, page, report)
    autoplay(browser, page, report)
    copies(browser, page, report)
    browser.resize(390, 844, True)
    return quiz(browser, page, report, pictures)
