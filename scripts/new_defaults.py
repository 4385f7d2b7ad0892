#!/usr/bin/env python3
"""Makes the results of a tuning the defaults of the engine.

Writes them into the second column of crates/search/src/params.rs and crates/eval/src/tunables.rs, and into `examples/tuning.toml` and
`examples/tuning-formula.toml`. Numbers that are not in the file stay as they are. Nothing is written if a name is unknown or a number
is out of its range.

example:
  scripts/new_defaults.py results/tuning/parameters.toml
"""
import argparse
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ["crates/search/src/params.rs", "crates/eval/src/tunables.rs"]
EXAMPLES = ["examples/tuning.toml", "examples/tuning-formula.toml"]
LINE = r"(?m)^(    {name} = )(-?\d+)(, (-?\d+)\.\.=(-?\d+), step )"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parameters", help="parameters.toml of a tuning")
    found = tomllib.loads(pathlib.Path(parser.parse_args().parameters).read_text())
    texts = {name: (ROOT / name).read_text() for name in SOURCES + EXAMPLES}
    changes = []
    for name, number in found.items():
        value = number["start"]
        pattern = LINE.format(name=re.escape(name))
        source = next((source for source in SOURCES if re.search(pattern, texts[source])), None)
        if source is None:
            sys.exit(f"{name} is no number of the search or of the formula")
        _, before, _, least, greatest = re.search(pattern, texts[source]).groups()
        if not int(least) <= value <= int(greatest):
            sys.exit(f"{name} = {value} is not from {least} to {greatest}")
        texts[source] = re.sub(pattern, rf"\g<1>{value}\g<3>", texts[source])
        for example in EXAMPLES:
            texts[example] = re.sub(rf"(?m)^({re.escape(name)} = {{ start = )-?\d+", rf"\g<1>{value}", texts[example])
        if value != int(before):
            changes.append(f"{name}: {before} -> {value}")
    for name, text in texts.items():
        (ROOT / name).write_text(text)
    print("\n".join(changes) or "all of them are the defaults already")


if __name__ == "__main__":
    main()
