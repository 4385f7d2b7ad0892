#!/bin/sh
# The whole experiment of docs/sigma.md on the reliability of values. It plays games, samples positions, fits the models, and writes the
# report and the tables of ProbCut and of gambling moves. After an interruption the same command goes on without repeating complete parts.
#
# usage: scripts/reliability.sh FOLDER [network|formula [RECORDS]]
#
# The positions of the table of ProbCut come from RECORDS, a folder of game records (.csa) with moves of other players, or else from the games.
set -eu

usage='usage: scripts/reliability.sh FOLDER [network|formula [RECORDS]]'
folder=${1:?$usage}
evaluation=${2:-network}
records=${3:+$(cd "$3" && pwd)}
case $evaluation in
network | formula) ;;
*) echo "the evaluation is network or formula, not $evaluation" >&2; exit 2 ;;
esac
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
cargo build --locked --release --quiet -p kiki -p kiki-lab
engine=target/release/kiki
lab=target/release/kiki-lab
words=
if [ "$evaluation" = network ]; then
    gunzip -c crates/network/nn.bin.gz >"$folder/nn.bin"
    words="--network $folder/nn.bin"
fi

# Runs a command unless the file it makes is there; what it prints becomes the file once it is whole.
step() {
    result=$folder/$1
    shift
    [ -e "$result" ] && return
    echo "$result" >&2
    "$@" >"$result.part"
    mv "$result.part" "$result"
}

# Begins a command that can go on by itself, or goes on with it.
games() {
    if [ -e "$folder/games/match.json" ]; then
        "$lab" resume "$folder/games"
    else
        # Unequal limits: two equal engines play every game twice.
        "$lab" match --engine "name=a cmd=$engine nodes=5000" --engine "name=b cmd=$engine nodes=4500" \
            --each "option.Threads=1 option.USI_Hash=16 option.Eval=$evaluation" --openings tests/fixtures/openings.sfen \
            --resign 'moves=6 score=6000' --max-plies 320 --concurrency 2 --games 600 --output "$folder/games"
    fi
}
sample() {
    if [ -d "$folder/sample" ]; then
        "$lab" resume "$folder/sample"
    else
        # shellcheck disable=SC2086
        "$lab" sigma sample "$folder/sample" --positions "$folder/games" --count 6000 --depth 10 $words
    fi
}
selfplay() {
    if [ -e "$folder/selfplay.games" ]; then
        "$lab" resume "$folder/selfplay.games"
    else
        # shellcheck disable=SC2086
        "$lab" selfplay --out "$folder/selfplay.games" --positions 250000 --nodes 400 --opening-limit 200 $words
    fi
}

step games.txt games
step sample.txt sample
step fit.txt "$lab" sigma fit "$folder/sample" --output "$folder/sigma.tsv" --note "$evaluation, 6000 positions of games at 4500 and 5000 nodes a move"
step report.txt "$lab" sigma report "$folder/sample" --pair 4-8 --plots "$folder/plots"
# shellcheck disable=SC2086
step probcut.txt "$lab" sigma probcut --positions "${records:-$folder/games}" --model "$folder/sigma.tsv" --depth 10 $words \
    --settings off,constant,progress:1,sigma:1,sigma:2,sigma:3
# Gambling moves want one position of each of many games.
# shellcheck disable=SC2086
step selfplay.txt selfplay
for ply in 79 119; do
    # shellcheck disable=SC2086
    step "gamble-$ply.txt" "$lab" gamble --positions "$folder/selfplay.games" --ply $ply --count 1000 --depth 8 \
        --model "$folder/sigma.tsv" --plot "$folder/gamble-$ply.svg" $words
done
tail -n +1 "$folder"/*.txt
