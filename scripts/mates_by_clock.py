#!/usr/bin/env python3
"""Plays mating problems out by the clock: the engine has byoyomi for each of its moves, the defender puts up the longest resistance.

usage: mates_by_clock.py KIKI [--plies N] [--byoyomi MS ...] [--threads N ...] [--fresh] [--table FILE]

The defender's answers come from a second process of the same engine: the legal move after which `go mate` needs most plies or finds
nothing. The engine has three times the length of a problem and ten plies more to mate. With --fresh every problem has a new process;
otherwise one process plays them all, each as a new game.
"""
import argparse
import sys

from usi import Engine

MOST_MILLISECONDS = 2000  # for one question to the defender's solver


def resistance(solver, position):
    """The answer that holds out longest, or none if there is no legal move."""
    solver.say(f"position {position}")
    solver.say("moves")
    moves = solver.process.stdout.readline().split()
    best = (-1, None)
    for move in moves:
        solver.say(f"position {position} {move}")
        answer = solver.ask(f"go mate {MOST_MILLISECONDS}", "checkmate")[-1][1:]
        plies = 10_000 if answer in (["nomate"], ["timeout"]) else len(answer)
        best = max(best, (plies, move))
    return best[1]


def plays_out(engine, solver, sfen, length, byoyomi):
    """The number of plies until mate, or none."""
    moves = []
    engine.ask("isready", "readyok")
    while len(moves) <= 3 * length + 10:
        position = f"sfen {sfen} moves {' '.join(moves)}"
        engine.say(f"position {position}")
        move = engine.ask(f"go btime 0 wtime 0 byoyomi {byoyomi}", "bestmove")[-1][1]
        if move in ("resign", "win"):
            return None
        moves.append(move)
        answer = resistance(solver, f"sfen {sfen} moves {' '.join(moves)}")
        if answer is None:
            return len(moves)
        moves.append(answer)
    return None


def problems(path, most_plies):
    with open(path, encoding="ascii") as table:
        rows = [line.rstrip("\n").split("\t") for line in table][1:]
    return [(int(row[0]), row[1]) for row in rows if row[0] != "none" and int(row[0]) <= most_plies]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("--plies", type=int, default=5)
    parser.add_argument("--byoyomi", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--table", default="tests/fixtures/mate.tsv")
    arguments = parser.parse_args()
    rows = problems(arguments.table, arguments.plies)
    solver = Engine(arguments.engine, ["Threads=1", "USI_Hash=64"])
    solver.ask("isready", "readyok")
    lost = 0
    for threads in arguments.threads:
        for byoyomi in arguments.byoyomi:
            options = [f"Threads={threads}", "USI_Hash=64"]
            engine, mated, longer = None, 0, 0
            for length, sfen in rows:
                if engine is None or arguments.fresh:
                    engine and engine.quit()
                    engine = Engine(arguments.engine, options)
                plies = plays_out(engine, solver, sfen, length, byoyomi)
                if plies is None:
                    print(f"not mated: {sfen}", flush=True)
                else:
                    mated, longer = mated + 1, longer + (plies > length)
            engine.quit()
            lost += len(rows) - mated
            process = "fresh processes" if arguments.fresh else "one process"
            print(f"{threads} threads, byoyomi {byoyomi}, {process}: {mated} of {len(rows)} mated, "
                  f"{longer} of them in more plies than needed", flush=True)
    solver.quit()
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
