#!/usr/bin/env bash
# bed.sh: the whole test bed in one go.
#
#   bed.sh up DIR [DAYS=2] [SEED=7] [NOW=now]   generate, backfill, start both servers; DIR/data and DIR/blocks are used where they are there
#   bed.sh down DIR                             stop both
#
# DIR/bed.json then holds {"now":…,"prometheus":URL,"victoria":URL,"truth":FILE}.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmd=${1:?up or down} dir=${2:?a work folder}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
url() { python3 -c 'import json,sys; print(json.loads(sys.stdin.readline())["url"])'; }
case $cmd in
  up)
    days=${3:-2} seed=${4:-7} now=${5:-$(date +%s)}
    now=$((now / 60 * 60))
    [ -e "$dir/data/truth.json" ] || python3 "$here/gen-truth.py" --now "$now" --days "$days" --seed "$seed" --out "$dir/data" 2>&1 | tail -n 1 >&2
    [ -e "$dir/blocks" ] || "$here/backfill.sh" "$dir/data/metrics.om" "$dir/blocks" > /dev/null
    prom=$("$here/start-prometheus.sh" --dir "$dir/prometheus" --blocks "$dir/blocks" | url)
    vm=$("$here/start-victoria.sh" --dir "$dir/victoria" --import "$dir/data/metrics.vm.jsonl" | url)
    now=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["meta"]["now"])' "$dir/data/truth.json")
    printf '{"now":%s,"prometheus":"%s","victoria":"%s","truth":"%s"}\n' "$now" "$prom" "$vm" "$dir/data/truth.json" | tee "$dir/bed.json" ;;
  down) "$here/stop.sh" "$dir/prometheus" "$dir/victoria" ;;
  *) echo "up or down, not $cmd" >&2; exit 2 ;;
esac
