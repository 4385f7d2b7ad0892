"""A whole game by touch events alone. Functions of serve.py."""


class Finger:
    """Moves by taps, and every other one by a drag. `done`: what came up in the game."""

    def __init__(self, board):
        self.board, self.browser, self.done = board, board.browser, set()

    def tap(self, selector):
        self.browser.touch(self.browser.middle(selector))

    def begin(self, _level, side):
        assert side == 'black'
        self.browser.value('window.others = 0; addEventListener("pointerdown", (event) => { window.others += event.pointerType !== "touch"; }, { capture: true })')
        slider = self.browser.box('#level')
        self.browser.touch((slider['x'] + 4, slider['y'] + slider['height'] / 2))
        assert self.browser.value('document.getElementById("level").value') == '0'
        self.tap('#new-game .main')
        self.board.wait_for_turn()

    def move(self, move, side):
        is_drop = move[1] == '*'
        source = f'[data-key="hand {side} {move[0]}"]' if is_drop else self.board.button(move[:2])
        target = self.board.button(move[2:4])
        way = 'drag' if len(self.board.moves()) % 4 == 0 else 'taps'
        if way == 'taps':
            self.tap(source)
            self.tap(target)
        else:
            start, end = self.browser.middle(source), self.browser.middle(target)
            self.browser.touch(start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)
        choice = self.board.promotion(move)
        if choice:
            self.tap(choice)
        self.done |= {way, *(['drop'] if is_drop else []), *(['promotion'] if choice else [])}

    def wish(self, legal):
        """A move that has not come up yet, if there is one: a choice of promotion, a drop."""
        if 'promotion' not in self.done:
            return next((move for move in legal if move.endswith('+') and move[:-1] in legal), None)
        return next((move for move in legal if move[1] == '*'), None) if 'drop' not in self.done else None

    def resign(self):
        for _ in range(2):
            self.tap('#resign')
        self.board.wait(lambda: self.browser.value('!document.getElementById("banner").hidden'))


def touched_game(board, adviser, most):
    """A game against level 0, up to mate or to the resignation after `most` plies."""
    finger = Finger(board)
    played, end = board.play(adviser, 'black', finger.move, most=most, begin=finger.begin, wish=finger.wish)
    assert finger.done == {'taps', 'drag', 'drop', 'promotion'}, finger.done
    if not end:
        finger.resign()
    assert board.browser.value('window.others') == 0, 'only fingers'
    return played, end
