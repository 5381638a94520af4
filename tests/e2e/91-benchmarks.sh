#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benchmarks of docs/performance.md run to their end at a small size, and print their figures.
. "$(dirname "$0")/lib.sh"
bench=$(cd "$(dirname "$0")/../../bench" && pwd)

# measures NAME PATTERN COMMAND...: COMMAND succeeds and prints a line that PATTERN matches.
measures() {
    local name=$1 pattern=$2
    shift 2
    if "$@" >"$T/figures" 2>&1 && grep -qE "$pattern" "$T/figures"; then
        pass "$name"
    else
        fail "$name" "$(cat "$T/figures")"
    fi
}

measures "submissions" '^100 clients: [0-9]+ submissions acknowledged per second' \
    env SECONDS_EACH=1 "$bench/figures.sh" submissions
measures "start of a job" '^min [0-9.]+, median [0-9.]+, max [0-9.]+ ms of 3' env STARTS=3 "$bench/figures.sh" start
measures "jobs of tasks" '^10 tasks: .* SUCCEEDED' env COUNTS=10 AT_ONCE=5 "$bench/figures.sh" tasks
measures "agents" '^20 agents: [0-9]+ heartbeats answered a second' \
    env AGENTS=20 SECONDS_EACH=1 HEARTBEATS_S=1 "$bench/figures.sh" agents
measures "application masters" '^5 masters: [0-9]+ replies' \
    env MASTERS=5 SECONDS_EACH=1 HEARTBEATS_S=3 "$bench/figures.sh" masters
measures "clients that list applications" '^5 clients: [0-9]+ pages a second' \
    env APPS=100 AGENTS=5 POLLERS=5 SECONDS_EACH=1 "$bench/polling.sh"
measures "web pages" "^\\| /metrics \\|" env NODES=5 QUEUES=3 APPS=50 SETTLE_S=1 REQUESTS=20 ROUNDS=1 VIEWERS_FOR_S=2 "$bench/web.sh"
measures "start of a container" 'median' "$BUILD/bench/launch" "$BUILD/creel-shim" 5 "$T"
for scheduler in capacity fair fifo; do
    measures "the core of the $scheduler scheduler" 'ns per pair|pair' \
        "$BUILD/creel-sim" bench --scheduler "$scheduler" --nodes 20 --queues 5 --apps 10 --containers 50 --pairs 1000
done
measures "a round of preemption" '[0-9]' "$BUILD/bench/preempt-round" 80 800 2
exits "a benchmark that cannot measure fails" 1 "$BUILD/bench/submit-rate" "$T" 127.0.0.1:1 1 1
finish
