#!/bin/sh
# Games of 1,000 nodes a move between a council whose members are killed at random and one Kiki. The council must lose none by its own
# fault, and no process may stay behind.
#
# usage: scripts/council_soak.sh [GAMES] [FOLDER]
set -eu

games=${1:-300}
cd "$(dirname "$0")/.."
folder=${2:-$(mktemp -d)}
cargo build --locked --release --quiet --workspace
programs=$(pwd)/target/release
# Copies, so that processes left behind can be found by their path.
mkdir -p "$folder/members"
cp "$programs/kiki" "$folder/members/kiki"
member="[[member]]
command = '$folder/members/kiki'
options = { Threads = 1, USI_Hash = 16"
printf "%s\n%s }\n%s, Eval = 'formula' }\n%s, ProbCut = 'off' }\n" "rule = 'precision'" "$member" "$member" "$member" >"$folder/council.toml"

kill_members() {
    while sleep 0.5; do
        # One of them, or none while all are being started.
        pid=$(pgrep -f "^$folder/members/kiki" | shuf -n 1) && kill -9 "$pid" || true
    done
}
kill_members 2>/dev/null &
killer=$!
trap 'kill $killer 2>/dev/null || true' EXIT

"$programs/kiki-lab" match --engine "name=council cmd='$programs/kiki-council $folder/council.toml' nodes=1000" \
    --engine "name=kiki cmd=$programs/kiki nodes=1000 option.Threads=1 option.USI_Hash=16" \
    --openings tests/fixtures/openings.sfen --resign 'moves=6 score=6000' --max-plies 320 --concurrency 2 --games "$games" \
    --output "$folder/games" --log "$folder/log" --json >"$folder/result.json"
kill $killer
left=$(grep -rh 'left out' "$folder/log" | wc -l)
python3 - "$folder/result.json" "$games" "$left" <<'PY'
import json, sys
result = json.load(open(sys.argv[1]))
assert result['games'] == int(sys.argv[2]), result
assert not result['faults'] and not result['stayed'], (result['faults'], result['stayed'])
assert int(sys.argv[3]) > 0, 'no member was ever killed during a move'
print(result['games'], 'games without a fault;', sys.argv[3], 'times a member was left out of a move')
PY
if pgrep -f "^$folder/members/kiki" >/dev/null; then
    echo 'members are left behind' >&2
    exit 1
fi
