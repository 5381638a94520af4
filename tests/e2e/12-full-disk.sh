#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The disk with the state of the resource manager, and that of an agent, is full: requests are answered with the reason, no
# daemon ends, containers continue, and everything works again when there is space.
. "$(dirname "$0")/lib.sh"
rm_disk=$T/dev/rm/state
agent_disk=$T/dev/agent-1/state
trap 'umount -l "$rm_disk" "$agent_disk" 2>/dev/null; cleanup' EXIT
cluster_up -n 2

# small_disk DIR KILOBYTES: moves the content of DIR to a file system of that size.
small_disk() {
    cp -a "$1" "$T/moved"
    mount -t tmpfs -o "size=$2k,mode=0700" creel-e2e "$1"
    cp -a "$T/moved/." "$1"
    rm -r "$T/moved"
}
fill() { dd if=/dev/zero of="$1/fill" bs=1k count=65536 2>/dev/null; dd if=/dev/zero of="$1/fill2" bs=1 count=65536 2>/dev/null; df -k "$1" | grep -q '100%'; }
drain() { rm -f "$1/fill" "$1/fill2"; }
stop() { kill "$1" && wait_until 20 gone "$1"; }
waits="while [ ! -e $T/out/go ]; do sleep 0.1; done"

check "the resource manager and an agent stop" stop "$(pid_of rm)"
check "in order" stop "$(pid_of agent)"
small_disk "$rm_disk" 8192
small_disk "$agent_disk" 2048
check "and start on a small disk" creel dev up --dir "$T/dev" -n 2
rm=$(pid_of rm)
agent=$(pid_of agent)

# --- the disk of the resource manager
job=$(creel submit --id -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends")
becomes "a job runs" 60 running_is "$job" 5
check "the resource manager's disk fills up" fill "$rm_disk"
# SQLite has some space reserved already, which is used first.
refused() { ! creel submit --id -- sh -c "true $(head -c 40000 /dev/zero | tr '\0' x)" >"$T/refused" 2>&1; }
becomes "submissions are refused" 30 refused
exits "with the status of a request that failed" 1 creel submit -- true
like "the reason" '[Dd]isk|[Nn]o space' "$OUTPUT"
like "what to do" 'make room' "$OUTPUT"
like "and whose disk it is" 'resource manager|state.db' "$OUTPUT"
head -c 20000000 /dev/urandom >"$T/large"
exits "a file that has no room there is refused before it travels" 1 creel submit -f "$T/large" -- true
like "and the reason is reported" 'room|[Nn]o space|disk' "$OUTPUT"
exits "who asks for what is there is answered" 0 creel status "$job"
exits "lists are" 0 creel node list
is "the job runs on" 5 "$(running_containers "$job")"
touch "$T/out/go"
becomes "its tasks end, and their output can be read" 30 sh -c "[ \$(creel logs $job 2>/dev/null | grep -c ends) = 4 ]"
is "but what is not on disk has not happened" RUNNING "$(state "$job")"
is "the resource manager is the same" "$rm" "$(pid_of rm)"
check "its log reports what is wrong, and where" grep -q 'rm/state.*\(full\|space\)' "$T/dev/rm/log"
is "without repeating it all the time" "" "$(sed 's/^[^ ]* //' "$T/dev/rm/log" | sort | uniq -c | awk '$1 > 20')"
drain "$rm_disk"
becomes "with room again submissions are taken" 60 creel submit --id -- true
exits "the job that ended meanwhile has its result" 0 creel wait "$job" --timeout 60
is "which is good" FINISHED "$(state "$job")"
is "and has its output" 4 "$(creel logs "$job" 2>/dev/null | grep -c ends)"
exits "the next job runs" 0 creel run -N 4 -m 16M -- true
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
is "after a crash all of it is there" FINISHED "$(state "$job")"
exits "a crash with a full disk is survived" 0 sh -c "dd if=/dev/zero of='$rm_disk/fill' bs=1k count=65536 2>/dev/null; kill -9 $(pid_of rm)"
exits "the start on it either works or reports why" 0 sh -c "
    creel dev up --dir '$T/dev' -n 2 >'$T/up.log' 2>&1 || grep -E '[Dd]isk|[Nn]o space|room' '$T/up.log'"
drain "$rm_disk"
check "with room it starts" creel dev up --dir "$T/dev" -n 2
is "and still knows" FINISHED "$(state "$job")"
rm "$T/out/go"

# --- the disk of an agent
becomes "both agents are there" 60 nodes_running_is 2
is "an agent has not been restarted by any of this" "$agent" "$(pid_of agent)"
job=$(creel submit --id -N 8 -m 16M -- sh -c "echo begins; $waits; echo ends")
becomes "a job runs on both" 60 running_is "$job" 9
check "an agent's disk fills up" fill "$agent_disk"
exits "a job is accepted while the disk of an agent is full" 0 sh -c "
    creel submit --id -N 4 -m 16M --max-attempts 20 -- true >'$T/second'"
# (It ends on the other agent, or when the disk has room again.)
creel wait "$(cat "$T/second")" --timeout 20 >/dev/null 2>&1
touch "$T/out/go"
becomes "what ran ends, and its exit status is not lost" 30 sh -c "
    [ \$(creel container list --app $job --json | jq '[.items[] | select(.state == \"COMPLETE\" and .title != \"master\" and .exitStatus == 0)] | length') = 8 ]"
is "the agent is the same" "$agent" "$(pid_of agent)"
drain "$agent_disk"
exits "the job ends well" 0 creel wait "$job" --timeout 60
is "with all its output" 8 "$(creel logs "$job" 2>/dev/null | grep -c ends)"
exits "so does the one that came when the disk was full" 0 creel wait "$(cat "$T/second")" --timeout 60
is "well, too" FINISHED "$(state "$(cat "$T/second")")"
exits "the next one runs" 0 creel run -N 8 -m 16M -- true
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
