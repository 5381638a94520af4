#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The network between resource manager and agent is interrupted for a short and for a long time, and in one
# direction only.
. "$(dirname "$0")/lib.sh"
hosts_up 4
job_start 9
master=$(host_of_master "$id")
victim=$(another_host "$master")
silent_ms() { creel node list --json | jq --arg n "n$1:8041" '.items[] | select(.nodeId == $n) | (now * 1000 - .lastHeartbeatMs)'; }
silent_for() { [ "$(silent_ms "$1" | cut -d. -f1)" -ge "$2" ]; }
lose() { ip -n "$run-n$1" route add blackhole "10.99.0.$2/32"; }        # drops packets from host $1 to host $2
find_again() { ip -n "$run-n$1" route del blackhole "10.99.0.$2/32"; }

# --- shorter than the expiry interval: nothing changes
before=$(payloads "$victim")
cut_off "$victim"
becomes "n$victim is silent for 3 s" 20 silent_for "$victim" 3000
is "and RUNNING still" RUNNING "$(node_state "n$victim")"
heal "$victim"
heard() { ! silent_for "$victim" 1500; }
becomes "healed: it is heard again" 30 heard
is "no container noticed" "$before" "$(payloads "$victim")"

# --- longer: its tasks run on other nodes, and its containers are stopped when it returns
cut_off "$victim"
becomes "n$victim is LOST" 40 node_state_is "n$victim" LOST
is "its containers run on" "$before" "$(payloads "$victim")"
becomes "its status line reports the lost connection" 40 status_has "$victim" creel-nm '; (not registered with|no connection to) n1:8031$'
becomes "its tasks run elsewhere" 60 running_at_least "$id" 10
heal "$victim"
becomes "healed: it is RUNNING" 60 node_state_is "n$victim" RUNNING
becomes "its status line reports the registration" 20 status_has "$victim" creel-nm '; registered with n1:8031$'
none_of_before() { local p now; now=" $(payloads "$victim")"; for p in $before; do case $now in *" $p "*) return 1 ;; esac; done; }
becomes "and the lost containers are stopped there" 30 none_of_before

# --- one direction, with a job that fits on no other node: it starts there again after the first run was ended
cat >"$T/out/only.sh" <<'S'
#!/bin/sh
echo "start $$" >>/out/only
until [ -e /out/go ]; do sleep 0.1; done
echo "end $$" >>/out/only
S
chmod +x "$T/out/only.sh"
started_is() { [ "$(grep -c ^start "$T/out/only")" = "$1" ]; }
for way in "n1 loses what it sends:1 $victim" "n$victim loses what it sends:$victim 1"; do
    name=${way%:*}
    rm -f "$T/out/only"
    only=$(creel submit --id -m 2048M --max-attempts 3 -- /out/only.sh)
    becomes "$name: a job has n$victim for itself" 30 started_is 1
    before=$(payloads "$victim")
    # shellcheck disable=SC2086
    lose ${way#*:}
    becomes "$name: LOST" 60 node_state_is "n$victim" LOST
    is "$name: its containers continue" "$before" "$(payloads "$victim")"
    is "$name: all else runs on, too" "10 RUNNING" "$(running_containers "$id") $(state "$id")"
    # shellcheck disable=SC2086
    find_again ${way#*:}
    becomes "$name, healed: RUNNING" 60 node_state_is "n$victim" RUNNING
    becomes "$name, healed: no lost container runs there" 30 none_of_before
    becomes "$name, healed: the application has started again" 30 started_is 2
    creel kill "$only" >/dev/null 2>&1
    becomes "$name, healed: it can be killed" 30 payloads_gone "$victim"
    is "$name: neither of the two had ended" 0 "$(grep -c ^end "$T/out/only")"
done
is "the job needed one attempt" 1 "$(creel status "$id" --json | jq '.items[0].attempt')"
job_ends 9 9
finish
