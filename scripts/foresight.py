#!/usr/bin/env python3
"""How well do an engine's values predict the winner?

The script takes some positions from each game of a match in which neither player thought the game decided. Each engine evaluates them.
A value becomes the probability that the side to move wins by 1 / (1 + exp(-value / scale)), with the scale that suits the engine best.
The loss is the mean of -ln(the probability of the outcome): 0.693 is guessing. The error of a difference to the first engine comes from
a bootstrap over games. Of two evaluations the better one predicts at depth 1 what the other predicts only after a long search.

example:
  scripts/foresight.py results/match/games.jsonl 'name=kiki cmd=target/release/kiki depth=1' \\
      'name=longer cmd=target/release/kiki nodes=30000'

The words of an engine are those of `kiki-lab match`: name, cmd, depth or nodes (depth=1 if
neither is given), option.NAME.
"""
import argparse
import json
import math
import os
import random
import statistics
import sys

from usi import Contestant, value

MOST = 4_000  # centipawns: more says no more
SCALES = [100 * 1.05**step for step in range(81)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journal", help="games.jsonl of a match")
    parser.add_argument("engines", nargs="+", metavar="WORDS", help="an engine")
    parser.add_argument("--per-game", type=int, default=8, help="positions of a game")
    parser.add_argument("--decided", type=int, default=2_000, help="centipawns from which a player thinks a game decided")
    parser.add_argument("--skip", type=int, default=4, help="plies after the opening that are not looked at")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=os.cpu_count())
    return parser.parse_args()


def undecided(game, settings):
    """Plies from the beginning of the game at which the player to move, and then its opponent, saw no decision."""
    scores, opening = game["scores"], game["opening_plies"]

    def is_open(score):
        return score is not None and abs(score) <= settings.decided

    later = range(settings.skip, len(scores) - 1)
    return [opening + ply for ply in later if is_open(scores[ply]) and is_open(scores[ply + 1])]


def questions(settings):
    """Per game: positions as USI has them, and whether the side to move won."""
    chooser = random.Random(settings.seed)
    chosen = []
    with open(settings.journal, encoding="utf-8") as journal:
        for game in map(json.loads, journal):
            if game["result"] not in ("black", "white"):
                continue
            plies = undecided(game, settings)
            root = game["root"]
            black_first = " w " not in root
            asked = []
            for ply in chooser.sample(plies, min(settings.per_game, len(plies))):
                black_to_move = (ply % 2 == 0) == black_first
                line = f"{root} moves {' '.join(game['moves'][:ply])}"
                asked.append((line, black_to_move == (game["result"] == "black")))
            chosen.append(asked)
    return [asked for asked in chosen if asked]


def losses(values, wins, scale):
    """ln(1 + exp(-x)) of the value for who won."""
    signed = (found if won else -found for found, won in zip(values, wins))
    return [math.log1p(math.exp(-max(-MOST, min(MOST, one)) / scale)) for one in signed]


def error_of_mean(differences, games, seed):
    """The standard deviation of the mean when games are drawn again, positions of a game staying together."""
    chooser = random.Random(seed)
    sums = [(sum(differences[place] for place in game), len(game)) for game in games]
    means = []
    for _ in range(1_000):
        drawn = chooser.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    return statistics.stdev(means)


def main():
    settings = arguments()
    asked = questions(settings)
    lines = [line for game in asked for line, _ in game]
    wins = [won for game in asked for _, won in game]
    places = iter(range(len(lines)))
    games = [[next(places) for _ in game] for game in asked]
    print(f"{len(lines)} positions of {len(games)} games, won by the side to move: {statistics.mean(wins):.3f}")
    print(f"{'engine':<16} {'limit':<14} scale   loss  difference  standard error  like the first", flush=True)
    first = None
    for words in settings.engines:
        engine = Contestant(words, ["depth", "nodes"])
        limit = engine.limit or "depth 1"
        values = [value(said) for said in engine.search_all(limit, lines, settings.concurrency)]
        if None in values:
            sys.exit(f"{engine.name} tells no score in `{lines[values.index(None)]}`")
        own, scale = min((statistics.mean(losses(values, wins, scale)), scale) for scale in SCALES)
        each = losses(values, wins, scale)
        squeezed = [math.tanh(one / 1_000) for one in values]
        first = first or (each, squeezed)
        differences = [a - b for a, b in zip(each, first[0])]
        error = error_of_mean(differences, games, settings.seed)
        alike = statistics.correlation(squeezed, first[1])
        print(
            f"{engine.name:<16} {limit:<14} {scale:5.0f} {own:6.3f} {statistics.mean(differences):+11.3f} {error:15.3f}"
            f" {alike:15.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
