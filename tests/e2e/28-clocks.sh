#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The clock of the resource manager is wrong by an hour or a day, in both directions, while jobs run: no job fails,
# and commands and logs report the difference.
. "$(dirname "$0")/lib.sh"
library=$(dpkg -L libfaketime | grep -m 1 'libfaketime\.so')
if [ ! -e "$library" ]; then
    fail "libfaketime is installed (scripts/dependencies --tests)"
    finish
fi
cluster_up -n 1
node=$(value .nodeId node list)

# start_rm OFFSET: starts the resource manager with a clock that is OFFSET ahead.
start_rm() {
    # (the library of a sanitizer must be loaded first)
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$library FAKETIME=$1 FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 \
        creel dev up --dir "$T/dev" -n 1 >"$T/up.log" 2>&1
}
# rm_with_clock OFFSET: kills the resource manager first.
rm_with_clock() {
    local pid
    pid=$(pid_of rm)
    kill -KILL "$pid"
    wait_until 20 gone "$pid"
    if [ "$1" = +1d ]; then # a first start fails at its end
        mkdir "$T/dev/rm/state/ports.new"
        ! start_rm "$1" || return 1
        rmdir "$T/dev/rm/state/ports.new"
    fi
    start_rm "$1"
}
skew_is_about() { creel node list --json | jq -e --argjson s "$1" '.items[0].clockSkewMs | . > $s - 5000 and . < $s + 5000' >/dev/null; }
check_is() { creel cluster health -o wide | grep -qE "^$1 +$2"; }
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
metric_is() { curl -s -m 20 "$web/metrics" | grep -qxF "$1 $2"; }
seconds() { creel node list --json | jq '.items[0].clockSkewMs / 1000 | fabs | floor'; }

becomes "the clock skew of the node is measured" 20 skew_is_about 0
becomes "creel cluster health finds no wrong clock" 20 check_is clocks ok
becomes "nor does the metric of the alert" 30 metric_is creel_nodes_skewed 0
like "creel node show has the clock skew" "Clock: +0.0[0-9]* s (ahead of|behind) the resource manager's" "$(creel node show "$node")"
like "creel cluster info has the largest clock skew" \
    "Clocks: +0 nodes too far off; most: $node, 0.0" "$(creel cluster info)"

for offset in -1h +1h -1d +1d; do
    half_hour=$(creel submit --id -t 30m -m 16M -- sleep 10000)
    [ $offset != -1d ] || seconds_left=$(creel submit --id -t 18s -m 16M -- sleep 10000)
    becomes "clock $offset: the job with a limit of half an hour runs" 30 state_is "$half_hour" RUNNING
    long=$(creel submit --id -N 3 -m 16M -- sh -c "while [ ! -e $T/out/end$offset ]; do sleep 0.1; done; echo went on")
    becomes "clock $offset: a job of three tasks runs before the change" 60 running_is "$long" 4
    check "clock $offset: the resource manager starts" rm_with_clock "$offset"
    case $offset in -1h) skew=3600000 ;; +1h) skew=-3600000 ;; -1d) skew=86400000 ;; +1d) skew=-86400000 ;; esac
    becomes "clock $offset: the clock skew of the node is measured" 60 skew_is_about $skew
    [ $skew -gt 0 ] && side='ahead of' || side=behind
    like "clock $offset: creel node show has the clock skew" "Clock: +[0-9.]+ s $side the resource manager's" "$(creel node show "$node")"
    like "clock $offset: creel node list -o wide has the clock skew" \
        "[+-](59:5|01:00:0|1d|24:00:0|23:59:5)" "$(creel node list -o wide)"
    like "clock $offset: creel cluster info has the node and its clock skew" "Clocks: +1 node too far off; most: $node, [0-9.]+ s $side" "$(creel cluster info)"
    becomes "clock $offset: creel cluster health warns of it" 20 check_is clocks "warning +the clock of 1 node differs, most that of $node .*by NTP"
    becomes "clock $offset: the metric of the alert counts the node" 30 metric_is creel_nodes_skewed 1
    becomes "clock $offset: the log has a warning of the clock skew" 10 sh -c "[ \$(grep -c 'its clock is [0-9.]* s $side the resource manager' $T/dev/rm/log) -ge 1 ]"
    is "clock $offset: a new job of six tasks succeeds" 0 "$(timeout 60 creel run -N 6 -m 16M -- true >"$T/run.log" 2>&1; echo $?)"
    touch "$T/out/end$offset"
    check "clock $offset: the job from before the change ends" timeout 60 creel wait "$long"
    is "clock $offset: creel logs prints the output of that job" "went on went on went on" "$(creel logs "$long" 2>&1 | grep -o 'went on' | paste -sd ' ')"
    is "clock $offset: a time limit of half an hour is not reached by the change" RUNNING "$(state "$half_hour")"
    [ $offset != -1d ] || becomes "clock $offset: a time limit of some seconds is reached in spite of the change" 60 state_is "$seconds_left" KILLED
    creel kill "$half_hour" >/dev/null
    becomes "clock $offset: the last heartbeat is less than 10 s old" 20 \
        sh -c "creel node list | tail -1 | grep -q ' 00:0[0-9] '"
done

# --- the clock is set while the resource manager runs
pid=$(pid_of rm)
kill -KILL "$pid"
wait_until 20 gone "$pid"
echo +0 >"$T/offset"
start_rm_by_file() {
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$library FAKETIME_TIMESTAMP_FILE=$T/offset FAKETIME_NO_CACHE=1 \
        FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 creel dev up --dir "$T/dev" -n 1 >"$T/up.log" 2>&1
}
check "the resource manager starts with the right clock" start_rm_by_file
becomes "the check of its clock is ok" 30 check_is clock ok
echo -86400 >"$T/offset"
becomes "creel cluster health warns within seconds that the clock was set back by a day" 20 \
    check_is clock 'warning .*resource manager was set back while it runs: by (1d|2[34])'
becomes "its log has a warning" 10 grep -q 'the clock of this host was set back by 86[34][0-9]* s: if' "$T/dev/rm/log"
echo +0 >"$T/offset"
becomes "the check of its clock is ok when it is right again" 60 check_is clock ok
finish
