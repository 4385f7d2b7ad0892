#!/usr/bin/env bash
# Plays the levels of strength against each other, each against the next two, and rates them on one scale (docs/levels.md):
#     bench/levels.sh results/levels
# GAMES (400) is the number of games of neighbours; those two apart play half as many. CONCURRENCY (2) games are played at the same time. What was interrupted goes
# on with the same command.
set -euo pipefail
folder=${1:?a folder for the results}
engine=${ENGINE:-target/release/kiki}
lab=${LAB:-target/release/kiki-lab}
mkdir -p "$folder"
for apart in 1 2; do
    for level in $(seq 0 $((19 - apart))); do
        other=$((level + apart))
        match=$folder/$level-$other
        if [ -d "$match" ]; then
            "$lab" match --resume "$match" --concurrency "${CONCURRENCY:-2}"
        else
            "$lab" match --engine "name=level-$level $engine option.SkillLevel=$level" --engine "name=level-$other $engine option.SkillLevel=$other" \
                --each 'byoyomi=60000 option.Threads=1 option.USI_Hash=1' --openings tests/fixtures/openings.sfen --seed $((100 * level + other)) \
                --games $((${GAMES:-400} / apart)) --concurrency "${CONCURRENCY:-2}" --no-csa --output "$match"
        fi
    done
done
"$lab" rate "$folder" --anchor level-10 --residuals --plot "$folder/levels.svg"
