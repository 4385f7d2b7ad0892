#!/usr/bin/env bash
# Plays the levels of strength against each other and rates them on one scale (docs/levels.md). After an interruption the same command goes
# on.
#
# usage: scripts/levels.sh FOLDER
#
# APART ("1 2"): distances of the levels that meet. GAMES (200): number of games between neighbours; those two apart play half as many.
# CONCURRENCY (2): number of games at the same time. ENGINE and LAB: the programs.
set -euo pipefail

folder=${1:?usage: scripts/levels.sh FOLDER}
engine=${ENGINE:-target/release/kiki}
lab=${LAB:-target/release/kiki-lab}
concurrency=${CONCURRENCY:-2}
mkdir -p "$folder"
for apart in ${APART:-1 2}; do
    for level in $(seq 0 $((19 - apart))); do
        other=$((level + apart))
        match=$folder/$level-$other
        if [ -e "$match/match.json" ]; then
            "$lab" resume "$match" --concurrency "$concurrency"
            continue
        fi
        # Levels are bounded by nodes: the clock is there for the protocol, and a busy machine does no harm.
        "$lab" match --engine "name=level-$level $engine option.SkillLevel=$level" \
            --engine "name=level-$other $engine option.SkillLevel=$other" \
            --each 'byoyomi=60000 option.Threads=1 option.USI_Hash=1' --openings tests/fixtures/openings.sfen \
            --seed $((100 * level + other)) --games $((${GAMES:-200} / apart / 2 * 2)) --concurrency "$concurrency" --no-csa --output "$match"
    done
done
"$lab" rate "$folder"/*/ --anchor level-10 --residuals --plot "$folder/levels.svg"
