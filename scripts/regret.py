#!/usr/bin/env python3
"""How much do the moves of a search lose, in the eyes of a much longer search?

Each engine searches each position with the same nodes; the position after its move is then searched by the reference with many more.
A move's regret is the difference of its winning probability to that of the best move known for its position, in percent; values become
probabilities by 1 / (1 + exp(-value / 600)). Each engine is compared with the first one, position by position. This tells two searches
apart with about a tenth of the work of games, but only as far as the reference is right, and without their use of time.

example:
  scripts/regret.py --reference target/release/kiki --nodes 20000 --reference-nodes 300000 --cache results/regret.json \\
      'name=now cmd=target/release/kiki' 'name=less cmd=target/release/kiki nodes=10000'

The words of an engine are those of `kiki-lab match`: name, cmd, nodes or movetime, option.NAME. With movetime the machine should do
nothing else, and with as many threads as processors --concurrency is 1. The cache remembers reference searches and may be used again
with the same reference and its nodes.
"""
import argparse
import math
import os
import statistics

from usi import MATE, Contestant, Judge, positions

SCALE = 600  # centipawns
SMALL = "option.Threads=1 option.USI_Hash=32"
NO_MOVES = ("win", "resign")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", metavar="WORDS", help="an engine")
    parser.add_argument("--positions", default="tests/fixtures/midgame.tsv", help="SFENs: one a line, or the first column")
    parser.add_argument("--count", type=int, help="so many positions only")
    parser.add_argument("--nodes", type=int, default=20_000, help="for each move of the engines")
    parser.add_argument("--reference", required=True, help="the program that judges")
    parser.add_argument("--reference-nodes", type=int, default=300_000)
    parser.add_argument("--cache", required=True, help="JSON file with the reference's values")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count())
    return parser.parse_args()


def probability(judge, sfen, move):
    found = judge.values[f"sfen {sfen} moves {move}"]
    return 100 / (1 + math.exp(-(MATE if found is None else -found) / SCALE))


def main():
    settings = arguments()
    sfens = positions(settings.positions, settings.count)
    judge = Judge(f"cmd={settings.reference} {SMALL}", settings.reference_nodes, settings.cache, settings.concurrency)
    names, chosen = [], []
    for words in settings.engines:
        engine = Contestant(f"{SMALL} {words}", ["nodes", "movetime"])
        limit = engine.limit or f"nodes {settings.nodes}"
        heard = engine.search_all(limit, [f"sfen {sfen}" for sfen in sfens], settings.concurrency)
        names.append(engine.name)
        chosen.append([said[-1][1] for said in heard])
        played = [f"sfen {sfen} moves {move}" for sfen, move in zip(sfens, chosen[-1]) if move not in NO_MOVES]
        print(f"{names[-1]}: {judge.learn(played)} moves judged", flush=True)
    report(sfens, judge, names, chosen)


def report(sfens, judge, names, chosen):
    def worth(sfen, move):
        return None if move in NO_MOVES else probability(judge, sfen, move)

    worths = [[worth(sfen, move) for sfen, move in zip(sfens, moves)] for moves in chosen]
    best = [max((one for one in known if one is not None), default=0) for known in zip(*worths)]
    regrets = [[0 if one is None else most - one for one, most in zip(own, best)] for own in worths]
    print(f"{'engine':<16} regret  difference  standard error  same moves   ({len(sfens)} positions)")
    for name, moves, own in zip(names, chosen, regrets):
        differences = [a - b for a, b in zip(own, regrets[0])]
        error = statistics.stdev(differences) / len(sfens) ** 0.5
        same = sum(a == b for a, b in zip(moves, chosen[0])) / len(sfens)
        print(
            f"{name:<16} {statistics.mean(own):6.3f} {statistics.mean(differences):+11.3f} {error:15.3f} {same:11.2f}"
        )


if __name__ == "__main__":
    main()
