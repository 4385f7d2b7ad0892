#!/usr/bin/env python3
"""The licences of the crates from outside that are linked into programs, as text for their archive: MIT, BSD and Apache ask that notices go along with binaries.

usage: .ci/third_party.py -p=PACKAGE .. > THIRD-PARTY.txt

For the system of CARGO_BUILD_TARGET, if that is set. Fails if a crate has neither a licence's name nor its text.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

NAMES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)([-_.].*)?$", re.IGNORECASE)
SOURCES = {".rs", ".py", ".toml", ".json", ".sh"}


def cargo(*arguments):
    result = subprocess.run(["cargo", *arguments, "--locked"], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return result.stdout


def linked(packages):
    """Names and versions of what is linked: no build scripts, no procedural macros."""
    tree = cargo("tree", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}", *packages)
    return {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}


def system():
    """The system that the programs are for, as Rust calls it."""
    version = subprocess.run([os.environ.get("RUSTC", "rustc"), "-vV"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    return os.environ.get("CARGO_BUILD_TARGET") or re.search(r"^host: (.+)$", version, re.MULTILINE).group(1)


def texts(package):
    """The licence files of a crate."""
    folder = Path(package["manifest_path"]).parent
    files = [path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name) and path.suffix not in SOURCES]
    files += [path for inner in folder.iterdir() if inner.is_dir() and NAMES.match(inner.name.rstrip("sS"))
              for path in inner.iterdir() if path.is_file()]
    if package["license_file"]:
        files.append(folder / package["license_file"])
    unique = sorted({path.resolve() for path in files})
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in unique]


def main():
    packages = sys.argv[1:]
    if not packages:
        sys.exit(__doc__)
    wanted = linked(packages)
    # Of this system alone: what others need would be downloaded.
    known = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", system()))["packages"]
    listed, by_text = [], {}
    for package in sorted(known, key=lambda package: (package["name"], package["version"])):
        # Those without a source are Kiki's own.
        if package["source"] is None or (package["name"], "v" + package["version"]) not in wanted:
            continue
        name = f"{package['name']} {package['version']}"
        found = texts(package)
        if not found and not package["license"]:
            sys.exit(f"{name} has neither a licence's name nor its text")
        authors = ", ".join(re.sub(r" *<[^>]*>", "", author) for author in package["authors"])
        line = f"{name}: {package['license'] or 'its own licence'}"
        if not found:
            line += f"; no text comes with it; by {authors or 'its authors'}, {package['repository'] or 'crates.io'}"
        listed.append(line)
        for text in found:
            # Line breaks differ where nothing else does.
            by_text.setdefault(" ".join(text.split()), (text, []))[1].append(name)
    if len(listed) != sum(1 for name, _ in wanted if not name.startswith("kiki")):
        sys.exit(f"{len(listed)} crates from outside are known, of {len(wanted)} that are linked with Kiki's own")
    print("Crates in these programs and their licences; the texts that come with them follow. Those of MIT and Apache-2.0 also stand in LICENSE-MIT and LICENSE-APACHE.\n")
    print("\n".join(listed))
    for text, names in by_text.values():
        print(f"\n{'=' * 80}\n{', '.join(names)}\n{'-' * 80}\n{text}")


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    main()
