#!/usr/bin/env python3
"""How far are the values of a search from those of a much longer one?

Each engine searches each position once, with the greatest of the limits; its values at the smaller ones are those that it reports on the
way. The error of a value is its distance from the reference's value of the position, in percent of winning probability; values become
probabilities by 1 / (1 + exp(-value / 500)). Each engine is compared with the first one, position by position.

This takes a small part of the work of games (docs/experiments/2026-11-26-values-of-long-searches.md). But it sees only values: a search
may find a better value and no better move, and a set of openings does not tell about endings. A change that it likes still has to win games.

example:
  scripts/values.py --reference target/release/kiki --reference-nodes 1500000 --cache results/values.json \\
      'name=now cmd=target/release/kiki' 'name=before cmd=results/before/kiki'

The words of an engine are those of `kiki-lab match`: name, cmd, option.NAME. An engine with the option PvInterval needs
option.PvInterval=0 for values at the smaller limits. The cache remembers the reference's values and may be used again with the same
reference and its nodes; another one is refused.
"""
import argparse
import math
import os
import statistics

from usi import MATE, Contestant, Judge, positions, value

SCALE = 500  # centipawns
SMALL = "option.Threads=1 option.USI_Hash=128"


def numbers(text):
    return [int(number) for number in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", metavar="WORDS", help="an engine")
    parser.add_argument("--positions", default="tests/fixtures/midgame.tsv", help="SFENs: one a line, or the first column")
    parser.add_argument("--count", type=int, help="so many positions only")
    parser.add_argument("--nodes", type=numbers, default="50000,100000,200000,400000", help="the limits")
    parser.add_argument("--reference", required=True, metavar="WORDS", help="the program that judges, with or without options")
    parser.add_argument("--reference-nodes", type=int, default=1_500_000)
    parser.add_argument("--cache", required=True, help="JSON file with the reference's values")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count())
    return parser.parse_args()


def value_at(heard, nodes):
    """The last value reported by then that is no bound."""
    exact = [words for words in heard if "score" in words and not {"lowerbound", "upperbound"} & set(words)]
    return value([words for words in exact if int(words[words.index("nodes") + 1]) <= nodes])


def probability(centipawns):
    return 100 / (1 + math.exp(-max(-MATE, min(MATE, centipawns)) / SCALE))


def main():
    settings = arguments()
    sfens = positions(settings.positions, settings.count)
    questions = [f"sfen {sfen}" for sfen in sfens]
    judge = Judge(f"cmd={settings.reference} {SMALL}", settings.reference_nodes, settings.cache, settings.concurrency)
    print(f"{judge.learn(questions)} positions judged", flush=True)
    truth = [judge.values[question] for question in questions]
    names, errors = [], []
    for words in settings.engines:
        engine = Contestant(f"{SMALL} {words}", [])
        limit = f"nodes {max(settings.nodes)}"
        heard = engine.search_all(limit, questions, settings.concurrency)
        names.append(engine.name)
        errors.append({})
        for nodes in settings.nodes:
            values = [value_at(said, nodes) for said in heard]
            errors[-1][nodes] = [
                None if own is None or true is None else abs(probability(own) - probability(true))
                for own, true in zip(values, truth)
            ]
    report(settings.nodes, names, errors)


def report(limits, names, errors):
    print(f"{'engine':<16} {'nodes':>9}   error  difference  standard error  positions")
    for name, own in zip(names, errors):
        for nodes in limits:
            pairs = [(a, b) for a, b in zip(own[nodes], errors[0][nodes]) if a is not None and b is not None]
            if len(pairs) < 2:
                print(f"{name:<16} {nodes:>9}   no values")
                continue
            differences = [a - b for a, b in pairs]
            error = statistics.stdev(differences) / len(pairs) ** 0.5
            mean = statistics.mean(a for a, _ in pairs)
            print(f"{name:<16} {nodes:>9} {mean:7.3f} {statistics.mean(differences):+11.3f} {error:15.3f} {len(pairs):10}")


if __name__ == "__main__":
    main()
