"""What a player sees without scrolling on screens between a phone and a desk. Functions of serve.py."""

from page_looks import boxes

SIZES = [(667, 375, True), (844, 390, True), (768, 1024, True), (820, 1180, True), (960, 540, False), (1280, 720, False), (1920, 1080, False)]
# Padding of a list on both sides, and its arrow.
LIST_EDGES = 36
# The width of the chosen words of a list, and that of the list.
WIDTHS = """(() => {
    const node = document.getElementById("ID"), words = document.createElement("span");
    words.textContent = node.selectedOptions[0].textContent;
    Object.assign(words.style, { whiteSpace: "nowrap", position: "absolute" });
    node.parentElement.append(words);
    const wide = [words.offsetWidth, node.clientWidth];
    words.remove();
    return wide;
})()"""


def seen(board, selector):
    """The box of an element, all of which is in the window."""
    [box], (width, height) = boxes(board.browser, selector), board.browser.value('[innerWidth, innerHeight]')
    assert min(box['left'], box['top']) >= -0.5 and box['right'] <= width + 0.5 and box['bottom'] <= height + 0.5, (selector, box, width, height)
    return box


def card(board):
    """The card that begins a game is in the window, and its button is in one line."""
    browser = board.browser
    for screen in ['analyze', 'play']:
        browser.click(f'[data-mode={screen}]')
        assert browser.value('document.querySelector("main").dataset.screen') == screen
    seen(board, '#start')
    board.choose('clock', 'own')
    seen(board, '#start')
    browser.middle('#start .main')
    button = seen(board, '#start .main')
    assert button['bottom'] - button['top'] < 60, button
    # The whole clock can be read.
    for clock in range(browser.value('document.getElementById("clock").options.length - 1')):
        board.choose('clock', str(clock))
        wide = browser.value(WIDTHS.replace('ID', 'clock'))
        assert wide[0] <= wide[1] - LIST_EDGES, wide


def game(board):
    """The page answers in sight, and a second press on a button is on the same button."""
    browser = board.browser
    for square in ['7i', '7e']:
        browser.click(board.button(square))
    board.said('銀はそこへ|silver does not')
    seen(board, '#told')
    place = browser.middle('#resign')
    for _ in range(2):
        browser.mouse(place, place)
    board.wait(lambda: not browser.value('document.getElementById("banner").hidden'))
    browser.click('#banner-close')


def apart(board):
    """No card of the column lies over another."""
    cards = [box for box in boxes(board.browser, '.side > *') if box['right'] > box['left'] and box['bottom'] > box['top']]
    for at, one in enumerate(cards):
        for other in cards[at + 1:]:
            over = [min(one[far], other[far]) - max(one[near], other[near]) for near, far in [('left', 'right'), ('top', 'bottom')]]
            assert min(over) < 1, (one, other)


def analysis(board):
    """The lines stand below the button that starts and stops them; an error and the pieces to set up are in sight."""
    browser = board.browser
    browser.click('[data-mode=analyze]')
    board.open_text('startpos moves 7g7f 3c3d 2g2f 8c8d')
    board.wait(lambda: len(board.moves()) == 4)
    at = browser.middle('#engine')
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') == 3)
    apart(board)
    browser.click('#engine')
    browser.click('#whole')
    board.said('5 / 5|5 of 5', '#status')
    apart(board)
    browser.click('#engine')
    board.wait(lambda: browser.value('document.querySelectorAll("#candidates .line").length') == 3)
    assert abs(browser.middle('#engine')[1] - at[1]) < 1, (browser.middle('#engine'), at)
    apart(board)
    browser.click('#engine')
    board.open_text('garbage')
    board.wait(lambda: browser.text('#error'))
    seen(board, '#error')
    browser.value('document.getElementById("open-record").open = false')
    browser.value('document.getElementById("set-up").open = true')
    browser.settle()
    browser.middle('#palette')
    # On a low screen the page scrolls to them, and the board stays.
    for selector in ['#palette', '#board']:
        seen(board, selector)
    browser.value('document.getElementById("set-up").open = false')


def narrow(board, pictures):
    """The narrowest phones have one row of screens and one of buttons, and the board most of the width."""
    board.browser.resize(320, 568, True, 'light')
    for language in ['ja', 'en']:
        board.open_new()
        board.browser.click(f'[data-lang={language}]')
        board.begin(1, 'black')
        for selector in ['header button, header summary', '.controls button']:
            tops = {box['top'] for box in boxes(board.browser, selector)}
            assert max(tops) - min(tops) < 20, (language, selector, tops)
        [stands] = boxes(board.browser, '#board')
        assert stands['right'] - stands['left'] >= 230, stands
        board.browser.picture(pictures / f'320-{language}.png')


def problem_list(board):
    """The number of a problem with its stars can be read in the list beside the board."""
    board.browser.resize(1280, 800, False, 'light')
    board.open_new()
    board.browser.click('[data-lang=en]')
    board.browser.click('[data-mode=solve]')
    wide = board.browser.value(WIDTHS.replace('ID', 'problem'))
    assert wide[0] <= wide[1] - LIST_EDGES, wide


def sizes(board, pictures):
    narrow(board, pictures)
    problem_list(board)
    for width, height, is_touched in SIZES:
        board.browser.resize(width, height, is_touched, 'dark' if is_touched else 'light')
        for language in ['ja', 'en']:
            board.open_new()
            board.browser.click(f'[data-lang={language}]')
            card(board)
            board.choose('clock', '0')
            board.begin(1, 'black')
            game(board)
            analysis(board)
            board.browser.picture(pictures / f'{width}-{language}.png')
        print(f'{width}x{height}: answers and cards in sight')
