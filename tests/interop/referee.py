#!/usr/bin/env python3
"""Two USI engines play each other through the Python package cshogi, which drives them and knows the rules.

usage: tests/interop/referee.py --first PROGRAM [--first-options NAME=VALUE ..] --second PROGRAM [--second-options NAME=VALUE ..]
                      --openings FILE --json FILE [--games 4] [--byoyomi 200] [--margin 300]

Both games of a pair start from the same opening, with colours changed, and are played at the same time. The JSON holds the results,
the faults of each engine (a move against the rules, a crash, no answer, a wrong declaration), its answers later than byoyomi and
margin together, and its slowest answer, in milliseconds.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import cshogi
from cshogi.usi.Engine import Engine

START_SECONDS = 60
ANSWER_SECONDS = 60
QUIT_SECONDS = 5
MOST_PLIES = 320


class Fault(Exception):
    """What an engine may not do; it loses the game by it."""


class OutputEnded(Exception):
    """The engine's process is gone."""


class Player:
    """One engine for one game."""

    def __init__(self, name, program, options):
        self.name = name
        self.slowest = 0.0
        self.late = 0
        self.timed_out = False
        self.client = Engine(shutil.which(program) or program, connect=False)
        pipe = subprocess.PIPE
        # A group of its own, so that nothing it started survives it.
        self.client.proc = subprocess.Popen(
            [self.client.cmd], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True)
        self.process = self.client.proc
        try:
            self.call(START_SECONDS, lambda listener: self.client.usi(listener))
            for option in options:
                self.client.setoption(*option.split('=', 1))
            self.call(START_SECONDS, lambda listener: self.client.isready(listener))
            self.client.usinewgame()
        except (Fault, BrokenPipeError) as fault:
            self.end()
            raise SystemExit(f'{program} did not start: {fault}') from fault

    def call(self, seconds, request):
        """The client's calls wait without end, also for the answer of a process that is gone; this one does not."""
        timer = threading.Timer(seconds, self.time_out)
        timer.start()
        try:
            return request(self.listen)
        except (OutputEnded, BrokenPipeError):
            raise Fault('no answer' if self.timed_out else 'crash') from None
        finally:
            timer.cancel()

    def time_out(self):
        self.timed_out = True
        self.kill()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def listen(self, line):
        if line == '' and self.process.poll() is not None:
            raise OutputEnded

    def answer(self, moves, byoyomi, margin):
        """The move and the one it ponders on, or None for the latter."""
        self.client.position(moves)
        start = time.monotonic()
        limits = {'btime': 0, 'wtime': 0, 'byoyomi': byoyomi}
        answer = self.call(ANSWER_SECONDS, lambda listener: self.client.go(**limits, listener=listener))
        took = (time.monotonic() - start) * 1000
        self.slowest = max(self.slowest, took)
        self.late += took > byoyomi + margin
        return answer

    def end(self):
        timer = threading.Timer(QUIT_SECONDS, self.kill)
        timer.start()
        try:
            self.client.quit()
        except BrokenPipeError:
            self.kill()
        finally:
            timer.cancel()


@dataclasses.dataclass
class Game:
    """How a game ended."""
    black: str
    white: str
    winner: str | None
    reason: str
    moves: list[str]
    # The engine that broke the rules or stopped, and how.
    fault: tuple[str, str] | None = None


def checked_move(board, text, what):
    """The move as cshogi's number, which is legal on the board."""
    move = board.move_from_usi(text)
    if not move or not board.is_legal(move):
        raise Fault(f'illegal {what} {text} in {board.sfen()}')
    return move


class History:
    """The positions of a game, for repetition: the fourth occurrence ends it."""

    def __init__(self, board):
        self.keys = []
        self.checks = []
        self.add(board)

    def add(self, board):
        # All but the number of the move.
        self.keys.append(board.sfen().rsplit(' ', 1)[0])
        self.checks.append((board.turn, board.is_check()))

    def ended(self):
        """None while the game goes on; then a pair of the colour that lost, or None for a draw, and the reason."""
        first = self.keys.index(self.keys[-1])
        if self.keys.count(self.keys[-1]) < 4:
            return None
        for colour in (cshogi.BLACK, cshogi.WHITE):
            # In check with every turn since the first occurrence: the opponent gave them all.
            turns = [check for turn, check in self.checks[first + 1:] if turn == colour]
            if all(turns):
                return 1 - colour, 'perpetual check'
        return None, 'repetition'


def play(players, opening, byoyomi, margin):
    """Plays a game; the first of the players is black."""
    board = cshogi.Board()
    moves = list(opening)
    for move in moves:
        board.push_usi(move)
    history = History(board)

    def ended(loser, reason, fault=None):
        winner = None if loser is None else players[1 - loser].name
        faulty = None if fault is None else (players[loser].name, fault)
        return Game(players[0].name, players[1].name, winner, reason, moves, faulty)

    while True:
        if (verdict := history.ended()) is not None:
            return ended(*verdict)
        if board.is_game_over():
            return ended(board.turn, 'mate')
        if len(moves) >= MOST_PLIES:
            return ended(None, 'length')
        turn = board.turn
        try:
            best, ponder = players[turn].answer(moves, byoyomi, margin)
            if best == 'resign':
                return ended(turn, 'resignation')
            if best == 'win':
                if not board.is_nyugyoku():
                    raise Fault(f'wrong declaration in {board.sfen()}')
                return ended(1 - turn, 'declaration')
            board.push(checked_move(board, best, 'move'))
            if ponder is not None:
                checked_move(board, ponder, 'move to ponder on')
        except Fault as fault:
            return ended(turn, 'fault', str(fault))
        moves.append(best)
        history.add(board)


def read_openings(path):
    """The moves of each line."""
    with open(path, encoding='utf-8') as file:
        lines = [line.split() for line in file]
    return [words[words.index('moves') + 1:] for words in lines if 'moves' in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for side in ('first', 'second'):
        parser.add_argument(f'--{side}', required=True)
        parser.add_argument(f'--{side}-options', nargs='*', default=[])
    parser.add_argument('--openings', required=True)
    parser.add_argument('--json', required=True)
    parser.add_argument('--games', type=int, default=4)
    parser.add_argument('--byoyomi', type=int, default=200)
    parser.add_argument('--margin', type=int, default=300)
    arguments = parser.parse_args()
    openings = read_openings(arguments.openings)
    late = {'first': 0, 'second': 0}
    slowest = {'first': 0.0, 'second': 0.0}

    def game(number):
        first = Player('first', arguments.first, arguments.first_options)
        second = Player('second', arguments.second, arguments.second_options)
        players = [first, second] if number % 2 == 0 else [second, first]
        try:
            # A stride through the file, so that few games already differ.
            opening = openings[number // 2 * 37 % len(openings)]
            return play(players, opening, arguments.byoyomi, arguments.margin), players
        finally:
            first.end()
            second.end()

    games = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result, players in pool.map(game, range(arguments.games)):
            games.append(result)
            for player in players:
                late[player.name] += player.late
                slowest[player.name] = max(slowest[player.name], player.slowest)
            print(f'{result.black} against {result.white}: {result.winner or "draw"}, {result.reason}, {len(result.moves)} plies',
                  flush=True)
    faults = {name: [game.fault[1] for game in games if game.fault and game.fault[0] == name] for name in late}
    result = {
        'games': len(games),
        'wins': {name: sum(game.winner == name for game in games) for name in late},
        'reasons': dict(collections.Counter(game.reason for game in games)),
        'faults': faults,
        'late': late,
        'slowest_ms': {name: round(time) for name, time in slowest.items()},
        'records': [dataclasses.asdict(game) for game in games],
    }
    with open(arguments.json, 'w', encoding='utf-8') as file:
        json.dump(result, file, indent=1)


if __name__ == '__main__':
    main()
