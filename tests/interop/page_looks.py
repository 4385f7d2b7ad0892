"""How a page of `kiki-lab analyze` looks, and what it does under fingers: used by page.py."""
import base64
import json

# Width, height, and whether a finger points.
SIZES = [
    (390, 844, True), (360, 640, True), (320, 568, True), (844, 390, True), (750, 340, True), (667, 375, True), (568, 320, True), (480, 320, True),
    (800, 1280, True), (1280, 800, True), (768, 1024, True), (1024, 768, True), (640, 480, False), (800, 600, False), (800, 900, False), (900, 700, False),
    (1180, 800, False), (1160, 640, False), (1280, 720, False), (1366, 768, False), (1920, 1080, False), (2560, 1440, False), (1600, 500, False),
]
BOXES = """[...document.querySelectorAll(SELECTOR)].filter((node) => node.checkVisibility()).map((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return { left, top, right, bottom, name: node.id || node.dataset.key || node.textContent, cut: node.scrollWidth > node.clientWidth };
})"""


def boxes(browser, selector):
    return browser.value(BOXES.replace('SELECTOR', json.dumps(selector)))


def middle(box):
    return (box['left'] + box['right']) / 2, (box['top'] + box['bottom']) / 2


def fits(browser, width, height):
    """The board, the players, the bar and all buttons are on the screen together, without scrolling."""
    assert browser.value('scrollY') == 0
    for box in boxes(browser, '#board, #bar, .player, .controls button'):
        inside = box['left'] >= 0 and box['top'] >= 0 and box['right'] <= width + 0.5 and box['bottom'] <= height + 0.5
        assert inside, (width, height, box)
    [board], [bar] = boxes(browser, '#board'), boxes(browser, '#bar')
    assert abs(board['top'] - bar['top']) <= 1 and abs(board['bottom'] - bar['bottom']) <= 1, (width, height, board, bar)
    # Not by making it tiny, and squares stay squares of a board.
    wide, high = board['right'] - board['left'], board['bottom'] - board['top']
    assert wide >= min(190, width / 2) and high >= height * 0.45 * (height < width) and abs(high / wide - 459 / 424) < 0.02, (width, height, board)
    scroll = browser.value('document.documentElement.scrollWidth')
    assert scroll <= width, (width, height, scroll)


def columns(browser, report, width):
    """Every move stands in one row, whole; where there are two columns, White's in the second."""
    moves = boxes(browser, '#moves > li:not(.branch) button')
    assert len(moves) == len(report['positions']) - 1
    lowest = min(box['bottom'] - box['top'] for box in moves)
    for box in moves:
        assert box['bottom'] - box['top'] <= lowest + 1 and not box['cut'], (width, box)
    places = [set(), set()]
    for ply, box in enumerate(moves):
        places[report['positions'][ply]['turn'] == 'white'].add(round(box['left']))
    widths = {round(box['right'] - box['left']) for box in moves}
    assert max(widths) - min(widths) <= 1 and all(len(place) <= 1 for place in places), (width, widths, places)
    black, white = places
    [room] = boxes(browser, '#moves')
    # One column takes the whole list, two a half each.
    has_one = max(widths) >= room['right'] - room['left'] - 20
    assert has_one or max(widths) >= (room['right'] - room['left'] - 20) / 2, (width, widths, room)
    if black and white:
        assert black == white if has_one else max(black) < min(white), (width, places)


def targets(browser, size):
    """What is touched is large enough: 44 pixels for a finger, 24 for a mouse. A row is at least so high and wide."""
    least = 44 if size[2] else 24
    for box in boxes(browser, 'button, summary'):
        assert min(box['right'] - box['left'], box['bottom'] - box['top']) >= least - 0.1, (size, box)


def sizes(browser, page, report):
    last = len(report['positions']) - 1
    for size in SIZES:
        browser.resize(*size)
        for language, ply in [('ja', last // 2), ('en', last)]:
            browser.open(page, f'ply={ply}&lang={language}')
            fits(browser, *size[:2])
            columns(browser, report, size[0])
            targets(browser, size)
        browser.open(page, f'ply={last // 2}&lang=ja')
        if boxes(browser, '#candidates .pv button'):
            browser.click('#candidates .pv button')
            targets(browser, size)
    # A window that changes its size.
    for size in SIZES[:4]:
        browser.resize(*size)
        browser.settle()
        browser.value('scrollTo(0, 0)')
        fits(browser, *size[:2])


def fingers(browser, page, report):
    """Along the graph a finger goes through the game; across it, and across the board, it scrolls the page."""
    last = len(report['positions']) - 1
    start = last // 2
    for size in [(390, 844, True), (844, 390, True), (800, 1280, True)]:
        browser.resize(*size)
        for selector in ['#graph', '#board']:
            browser.open(page, f'ply={start}&lang=ja')
            browser.value(f'document.querySelector("{selector}").scrollIntoView({{ block: "center" }})')
            [box] = boxes(browser, selector)
            x, y = box['left'] + 60, middle(box)[1]
            before = browser.value('scrollY')
            away = -1 if before < 100 else 1
            browser.touch(*[(x, y + away * pixels) for pixels in (0, 15, 35, 60, 90)])
            assert browser.ply() == start, (size, selector, 'a swipe across changes the position', browser.ply())
            assert abs(browser.value('scrollY') - before) > 30, (size, selector, 'a swipe across does not scroll')
        # In the graph the frame ends 36 pixels from the left and 40 from the right.
        browser.open(page, f'ply={start}&lang=ja')
        browser.value('document.querySelector("#graph").scrollIntoView({ block: "center" })')
        [box] = boxes(browser, '#graph')
        place = lambda share: (box['left'] + 36 + share * (box['right'] - box['left'] - 76), middle(box)[1])
        browser.touch(place(0.25))
        assert abs(browser.ply() - last * 0.25) <= 1, (size, 'a tap', browser.ply())
        assert abs(boxes(browser, '#graph')[0]['top'] - box['top']) < 1, (size, 'the graph leaves the finger', box)
        browser.touch(place(0.25), place(0.35), place(0.5), place(0.75))
        assert abs(browser.ply() - last * 0.75) <= 1, (size, 'a swipe along', browser.ply())


def focus(browser, page, report):
    """Whatever is drawn anew, the focus stays where it was, or goes to what took its place."""
    last = len(report['positions']) - 1
    browser.resize(1280, 720, False)
    focused = lambda: browser.value('document.activeElement.dataset.key || document.activeElement.id || document.activeElement.dataset.lang || document.activeElement.tagName')
    def does(name, act, *wanted):
        act()
        found = focused()
        assert found != 'BODY' and (not wanted or found in wanted), (name, found, wanted)
    browser.open(page, f'ply={last // 2}&lang=ja')
    lines = boxes(browser, '#candidates .pv button:nth-of-type(2)')
    if lines:
        second, first = [boxes(browser, f'#candidates .pv button:nth-of-type({at})')[0]['name'] for at in (2, 1)]
        does('a move of a line', lambda: browser.click('#candidates .pv button:nth-of-type(2)'), second)
        does('a step in the line', lambda: browser.key('ArrowLeft'), second)
        does('out of the line', lambda: browser.key('Escape'), second)
        does('into another', lambda: browser.click('#candidates .pv button'), first)
        does('the button that leaves it', lambda: browser.click('[data-key=leave]'), first)
        for _ in range(4):
            does('a step in the game', lambda: browser.key('ArrowRight'))
        if boxes(browser, '.pv .more'):
            does('the rest of a line', lambda: browser.click('.pv .more'))
    if boxes(browser, '.legend button'):
        does('the other engine', lambda: browser.click('.legend button:nth-of-type(2)'), 'engine 1')
    does('a move of the list', lambda: browser.click('[data-key="move 3"]'), 'move 3')
    does('the language', lambda: browser.click('[data-lang=en]'), 'en')
    does('the end', lambda: browser.click('#last'), 'last')
    does('beyond the end', lambda: browser.click('#forward'), 'forward')
    assert browser.ply() == last
    does('the start', lambda: browser.click('#first'), 'first')
    does('before the start', lambda: browser.click('#bad-back'), 'bad-back')
    assert browser.ply() == 0


def forced(browser, page, report, pictures):
    """Where the reader chose the colours, the bar, the marks and what is selected can still be told apart."""
    def differ(name, first, second):
        here, there = browser.pixel(*first), browser.pixel(*second)
        assert max(abs(one - other) for one, other in zip(here, there)) >= 60, (scheme, name, here, there)
    positions = report['positions']
    shares = [(ply, search['value']['win_black']) for ply, position in enumerate(positions) for search in position['searches'][:1]
              if search and search['value'] and 0.2 < search['value'].get('win_black', 0) < 0.8]
    marked = [ply for ply in range(1, len(positions)) for search in positions[ply - 1]['searches'][:1] if search and search['played'] and search['played']['mark']]
    for scheme in ['light', 'dark']:
        browser.resize(1280, 720, False, scheme, forced=True)
        ply = shares[len(shares) // 2][0] if shares else 1
        browser.open(page, f'ply={ply}&lang=ja')
        browser.picture(pictures / f'forced-{scheme}.png')
        [bar] = boxes(browser, '#bar')
        if shares:
            [black] = boxes(browser, '#bar-black')
            x = middle(bar)[0]
            differ('the bar', (x, black['top'] + 20), (x, black['top'] - 20))
            differ('the frame of the bar', (bar['left'] + 0.5, bar['top'] + 30), (bar['left'] - 3, bar['top'] + 30))
            differ('the frame of the bar', (bar['left'] + 0.5, bar['bottom'] - 30), (bar['left'] - 3, bar['bottom'] - 30))
        for name, selector in [('the move', '#moves [aria-current=true]'), ('the language', '[data-lang=ja]'), ('the engine', '.legend [aria-pressed=true]')]:
            other = selector.replace('[aria-current=true]', 'button:not([aria-current])').replace('lang=ja', 'lang=en').replace('=true', '=false')
            if not boxes(browser, selector):
                continue
            browser.box(selector)
            here, there = boxes(browser, selector), [box for box in boxes(browser, other) if box['top'] > 0 and box['bottom'] < 720]
            if there:
                (x, y), (other_x, other_y) = [(box['left'] + 8, middle(box)[1] + 9) for box in (here[0], there[-1])]
                differ(name, (x, y), (other_x, other_y))
        for dot in boxes(browser, '.legend .dot'):
            x, y = middle(dot)
            differ('the dot of an engine', (x, y), (x, dot['top'] - 3))
        if boxes(browser, '#candidates .pv button'):
            browser.click('#candidates .pv button')
            [shown] = boxes(browser, '.pv [aria-pressed=true]')
            differ('the move of a line', (shown['left'] + 2, shown['top'] + 3), (shown['left'] - 4, shown['top'] + 3))
        if marked:
            browser.open(page, f'ply={marked[0]}&lang=ja')
            [badge] = boxes(browser, '.badge')
            differ('the badge', (middle(badge)[0], badge['top'] + 0.2), (middle(badge)[0], badge['top'] - 3))
            # Away from the cursor, which would cover it.
            browser.key('Home')
            browser.box('#graph')
            [mark, *_] = boxes(browser, '#graph [class^=mark-]')
            differ('a mark of the graph', middle(mark), (middle(mark)[0], boxes(browser, '#graph')[0]['bottom'] - 1))


def paper(browser, page, report, pictures):
    """On paper there are all moves, dark on light, and no buttons."""
    last = len(report['positions']) - 1
    for scheme in ['light', 'dark']:
        browser.resize(718, 1000, False, scheme, media='print')
        browser.open(page, f'ply={last // 2}&lang=ja')
        browser.value('dispatchEvent(new Event("beforeprint"))')
        browser.settle()
        colours = browser.value('[getComputedStyle(document.querySelector("#moves button")).color, getComputedStyle(document.body).backgroundColor]')
        assert colours == ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], (scheme, colours)
        assert not boxes(browser, '.controls button, .languages button'), 'buttons on paper'
        assert browser.value('(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.getElementById("moves"))'), 'moves are hidden'
        moves = boxes(browser, '#moves > li:not(.branch) button')
        assert len(moves) == last and all(not box['cut'] and box['right'] <= 718 for box in moves), moves
        assert max(box['bottom'] - box['top'] for box in moves) <= 1 + min(box['bottom'] - box['top'] for box in moves), 'a move in two rows'
        [graph], [frame] = boxes(browser, '#graph'), boxes(browser, '#graph rect')
        assert frame['right'] - frame['left'] >= 0.8 * (graph['right'] - graph['left']), (graph, frame)
        browser.picture(pictures / f'paper-{scheme}.png', whole=True)
    browser.resize(390, 844, True)
    browser.open(page, f'ply={last // 2}&lang=ja')
    before = browser.value('document.getElementById("graph").outerHTML')
    document = base64.b64decode(browser.ask('Page.printToPDF', printBackground=True)['data'])
    (pictures / 'paper.pdf').write_bytes(document)
    browser.settle()
    assert browser.value('document.getElementById("graph").outerHTML') == before, 'the graph stays as on paper'


def look(browser, page, report, pictures):
    sizes(browser, page, report)
    fingers(browser, page, report)
    focus(browser, page, report)
    forced(browser, page, report, pictures)
    paper(browser, page, report, pictures)
    browser.resize(1280, 720, False)
