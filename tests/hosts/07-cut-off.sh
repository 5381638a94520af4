#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A host has no network for longer than the expiry interval, in both modes of creel.container.on-disconnect: its tasks
# continue while the tasks that replace them run, or end before these begin.
. "$(dirname "$0")/lib.sh"
TASKS=6
hosts_up 4
# Each task takes a file lock. All hosts share this machine's kernel, so two processes of one task cannot both have it.
cat >"$T/out/cut.sh" <<'S'
#!/bin/sh
exec 9>"/out/$1.lock.$CREEL_TASK_INDEX"
flock -n 9 || echo "$CREEL_TASK_INDEX" >>"/out/$1.twice"
echo "$CREEL_TASK_INDEX" >>"/out/$1.begun"
until [ -e "/out/$1.end" ]; do sleep 0.1; done
echo "$CREEL_TASK_INDEX" >>"/out/$1.ended"
S
chmod +x "$T/out/cut.sh"
begun_is() { [ "$(wc -l <"$T/out/$1.begun")" = "$2" ]; }
twice() { sort -u "$T/out/$1.twice" 2>/dev/null | wc -l; }
ended() { sort -u "$T/out/$1.ended" | wc -l; }
count() { wc -w <<<"$1"; }

# start MODE: submits a job that does not fit on one host; sets id, and victim, a host with tasks but without the AM.
start() {
    local i master
    id=$(creel submit --id -N $TASKS -m 400M -- /out/cut.sh "$1")
    becomes "$1: $TASKS tasks run" 60 begun_is "$1" $TASKS
    master=$(host_of_master "$id") victim=
    for i in 2 3 4; do [ "$i" = "$master" ] || [ -z "$(payloads "$i")" ] || victim=$i; done
    before=$(payloads "${victim:-none}")
    check "$1: a host runs tasks and not the master" test -n "$before"
    lost=$(count "$before")
}
# end MODE: ends the job after the interruption.
end() {
    heal "$victim"
    becomes "$1, healed: n$victim is RUNNING" 60 node_state_is "n$victim" RUNNING
    becomes "$1, healed: nothing runs there that was given up" 30 payloads_gone "$victim"
    touch "$T/out/$1.end"
    exits "$1: the job ends well" 0 creel wait "$id" --timeout 90
    is "$1: all tasks ended" $TASKS "$(ended "$1")"
    is "$1: it took one attempt" 1 "$(creel status "$id" --json | jq '.items[0].attempt')"
}

# --- keep, the default
start keep
cut_off "$victim"
becomes "keep: n$victim is LOST" 60 node_state_is "n$victim" LOST
becomes "keep: its tasks run elsewhere" 60 begun_is keep $((TASKS + lost))
is "keep: they run on there, too" "$before" "$(payloads "$victim")"
is "keep: each of them runs twice" "$lost" "$(twice keep)"
end keep

# --- stop-after, with a time longer than the expiry interval (10 s)
printf '%s\n' '<configuration><property><name>creel.container.on-disconnect</name>' \
    '<value>stop-after 12s</value></property></configuration>' | on 1 tee /etc/creel/creel-site.xml >/dev/null
exits "stop-after: the resource manager has it" 0 on 1 systemctl restart creel-rm
becomes "stop-after: all agents are there" 60 nodes_running_is 3
start stop-after
cut_off "$victim"
becomes "stop-after: n$victim is LOST" 60 node_state_is "n$victim" LOST
is "stop-after: its tasks have ended before" "" "$(payloads "$victim")"
becomes "stop-after: they run elsewhere" 60 begun_is stop-after $((TASKS + lost))
is "stop-after: none has run twice at a time" 0 "$(twice stop-after)"
like "stop-after: the agent's log has the reason" 'had no contact with the resource manager for 12' \
    "$(on "$victim" journalctl --no-pager -u creel-nm)"
end stop-after
is "stop-after: none has run twice at a time, to the end" 0 "$(twice stop-after)"
finish
