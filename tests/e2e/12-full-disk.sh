#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The disk with the state of the resource manager, and that of an agent, is full: requests are answered with the reason, no
# daemon ends, containers continue, and everything works again when there is space.
. "$(dirname "$0")/lib.sh"
rm_disk=$T/dev/rm/state
agent_disk=$T/dev/agent-1/state
trap 'umount -l "$rm_disk" "$agent_disk" 2>/dev/null; cleanup' EXIT
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.resourcemanager.free-space-min</name><value>1m</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"
check_of() { creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c) | .result + " " + .text'; }
check_begins() { [[ $(check_of "$1") == "$2"* ]]; }

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

check "the resource manager stops on SIGTERM" stop "$(pid_of rm)"
check "an agent stops on SIGTERM" stop "$(pid_of agent)"
small_disk "$rm_disk" 8192
small_disk "$agent_disk" 2048
check "both start with their state on a small disk" creel dev up --dir "$T/dev" --conf "$T/conf" -n 2
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
metric_is() { curl -s "$web/metrics" | grep -qxF "$1 $2"; }
rm=$(pid_of rm)
agent=$(pid_of agent)
node=127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '[.items[] | select(.role == "agent").ports.agent][0]')

# --- the disk of the resource manager
job=$(creel submit --id -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends")
becomes "a job of four tasks runs" 60 running_is "$job" 5
victim=$(creel submit --id -- sleep 600)
becomes "another job runs" 60 running_is "$victim" 1
is "creel cluster health finds enough free space" "ok state, history and uploads: at least 1M is free" "$(check_of free-space)"
exits "creel cluster health exits with 0 before the disk is full" 0 creel cluster health
check "the disk of the resource manager is full" fill "$rm_disk"
becomes "creel cluster health fails: uploads need more than the reserve for the state" 30 check_begins free-space "failed 0 is free where the uploads are"
like "... and names both directories" \
    "reserved for the state \\($rm_disk/blobs\\): submissions with files are refused; less than 1M is free: state 0 \\($rm_disk\\)" "$(check_of free-space)"
# SQLite has some space reserved already, which is used first.
refused() { ! creel submit --id -- sh -c "true $(head -c 40000 /dev/zero | tr '\0' x)" >"$T/refused" 2>&1; }
becomes "submissions are refused while the disk is full" 30 refused
exits "creel submit exits with 1 while the disk is full" 1 creel submit -- true
like "the error of creel submit on a full disk names the disk" '[Dd]isk|[Nn]o space' "$OUTPUT"
like "the error of creel submit on a full disk suggests to make room" 'make room' "$OUTPUT"
like "the error of creel submit on a full disk names the resource manager or its database" \
    'resource manager|state.db' "$OUTPUT"
audit_of() { grep -E -c "audit .*OPERATION=Submit Application Request.*TARGET=$1.RESULT=$2" "$T/dev/rm/log"; }
exits "a submission with a name is refused, too" 1 creel submit --name unstored -- true
is "the audit line of a refused submission is a failure" "0 1" \
    "$(audit_of unstored SUCCESS) $(audit_of unstored FAILURE)"
is "... without the id of an application" "" "$(grep 'TARGET=unstored.*APPID=' "$T/dev/rm/log")"
becomes "creel cluster health finds that the state is not written" 30 check_begins state-store "failed for "
like "... with the cause" 'submissions are refused: .*(full|space)' "$(check_of state-store)"
exits "creel cluster health exits with 9" 9 creel cluster health
like "... and names what to do" 'state-store +failed .*make room' "$(creel cluster health -o wide)"
like "creel cluster info warns, too" 'Warning: +the state is not written, submissions are refused' "$(creel cluster info)"
becomes "so do the metrics" 30 metric_is 'creel_health_check{check="state-store"}' 2
like "the overview says it" 'state-store: the state is not written' "$(curl -s "$web/cluster" | tr -d '\n')"
head -c 20000000 /dev/urandom >"$T/large"
exits "a file larger than the free space is refused" 1 creel submit -f "$T/large" -- true
like "the error for a file larger than the free space names the lack of space" \
    'room|[Nn]o space|disk' "$OUTPUT"
exits "creel status works while the disk is full" 0 creel status "$job"
exits "creel node list works while the disk is full" 0 creel node list
is "the job still runs while the disk is full" 5 "$(running_containers "$job")"
exits "an administrator drains a node, and is answered at once" 1 creel node drain "$node" --reason full
later='this is stored when the resource manager can write its state: .*(full|space)'
like "... that this is stored later" "node $node is changed; $later" "$OUTPUT"
exits "one who creates a join token is refused at once" 1 creel token create --join
like "... with the reason" 'nothing was changed, because .*(full|space).*no token can be created' "$OUTPUT"
exits "the list of join tokens does not wait" 0 creel token list --join
is "... and has no token" 0 "$(count token list --join)"
exits "a user who creates an access token is refused at once" 1 creel token create
like "... with the reason" 'nothing was changed, because .*(full|space)' "$OUTPUT"
exits "a job is killed, and the answer comes at once" 1 creel kill "$victim"
like "... that this is stored later, too" "_0002 is being killed; $later" "$OUTPUT"
touch "$T/out/go"
becomes "the tasks end, and creel logs prints their output" 30 sh -c "[ \$(creel logs $job 2>/dev/null | grep -c ends) = 4 ]"
is "the job stays RUNNING until its end can be stored" RUNNING "$(state "$job")"
is "the resource manager was not restarted" "$rm" "$(pid_of rm)"
check "the log of the resource manager names the full disk and the directory" \
    grep -q 'rm/state.*\(full\|space\)' "$T/dev/rm/log"
is "no message is logged more than 20 times" "" "$(sed 's/^[^ ]* //' "$T/dev/rm/log" | sort | uniq -c | awk '$1 > 20')"
drain "$rm_disk"
becomes "submissions are accepted when there is free space again" 60 creel submit --id -- true
becomes "creel cluster health exits with 0 again" 30 creel cluster health
exits "the drain is stored, and can be ended" 0 creel node undrain "$node"
becomes "the kill is stored" 30 state_is "$victim" KILLED
kills_are() { [ "$(grep -E "audit .*OPERATION=Kill Application Request.*$victim" "$T/dev/rm/log" | grep -o 'RESULT=[A-Z]*')" = "$1" ]; }
becomes "its audit line is written then, and is no failure" 20 kills_are RESULT=SUCCESS
becomes "the metrics agree" 30 metric_is 'creel_health_check{check="state-store"}' 0
exits "the job whose tasks ended while the disk was full ends" 0 creel wait "$job" --timeout 60
is "the job that ran while the disk of the resource manager was full is FINISHED" FINISHED "$(state "$job")"
is "the logs of the job that ran while the disk was full are complete" \
    4 "$(creel logs "$job" 2>/dev/null | grep -c ends)"
exits "a new job succeeds when there is free space again" 0 creel run -N 4 -m 16M -- true
# --- a file of the state in whose place there is something else
mv "$rm_disk/head" "$T/head" && mkfifo "$rm_disk/head"
becomes "creel cluster health fails before a job is submitted, if head is a FIFO" 20 check_begins state-store \
    "failed for "
like "... with the file and the remedy" \
    "submissions are refused: $rm_disk/head: is a FIFO in place of a file: move it away" "$(check_of state-store)"
exits "a submission is refused then" 1 creel submit -- true
mv "$rm_disk/head" "$T/fifo" && mv "$T/head" "$rm_disk/head"
becomes "submissions are accepted when head is back" 20 creel submit --id -- true
becomes "creel cluster health is ok again" 20 check_begins state-store "ok "
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" --conf "$T/conf" -n 2 >/dev/null 2>&1
is "an ended job is still FINISHED after a kill of the resource manager" FINISHED "$(state "$job")"
# --- a directory that cannot be written
mount --bind "$rm_disk/blobs" "$rm_disk/blobs" && mount -o remount,ro,bind "$rm_disk/blobs"
becomes "creel cluster health fails if the uploads are read-only" 30 \
    check_begins free-space "failed uploads cannot be written ($rm_disk/blobs: Read-only file system)"
metric_of_space() { metric_is 'creel_health_check{check="free-space"}' "$1"; }
becomes "the metric has it" 30 metric_of_space 2
umount "$rm_disk/blobs"
becomes "the check is ok when they can be written again" 30 check_begins free-space ok

exits "the resource manager is killed while its disk is full" 0 sh -c "dd if=/dev/zero of='$rm_disk/fill' bs=1k count=65536 2>/dev/null; kill -9 $(pid_of rm)"
exits "creel dev up on a full disk succeeds or names the reason" 0 sh -c "
    creel dev up --dir '$T/dev' --conf '$T/conf' -n 2 >'$T/up.log' 2>&1 || grep -E '[Dd]isk|[Nn]o space|room' '$T/up.log'"
drain "$rm_disk"
check "the resource manager starts when there is free space again" creel dev up --dir "$T/dev" --conf "$T/conf" -n 2
is "an ended job is still FINISHED after the start with free space" FINISHED "$(state "$job")"
rm "$T/out/go"

# --- the disk of an agent
becomes "both nodes are RUNNING" 60 nodes_running_is 2
is "the agent was not restarted while the disk of the resource manager was full" "$agent" "$(pid_of agent)"
job=$(creel submit --id -N 8 -m 16M -- sh -c "echo begins; $waits; echo ends")
becomes "a job of eight tasks runs" 60 running_is "$job" 9
check "the disk of an agent is full" fill "$agent_disk"
becomes "creel cluster health names the node, with the report of its agent" 30 \
    check_begins unhealthy-nodes "warning 1 node is unhealthy: $node ($agent_disk: the disk is "
exits "a job is accepted while the disk of an agent is full" 0 sh -c "
    creel submit --id -N 4 -m 16M --max-attempts 20 -- true >'$T/second'"
# (It ends on the other agent, or when the disk has room again.)
creel wait "$(cat "$T/second")" --timeout 20 >/dev/null 2>&1
touch "$T/out/go"
becomes "the exit status 0 of all eight tasks is kept while the disk is full" 30 sh -c "
    [ \$(creel container list --app $job --json | jq '[.items[] | select(.state == \"COMPLETE\" and .title != \"master\" and .exitStatus == 0)] | length') = 8 ]"
is "the agent with the full disk was not restarted" "$agent" "$(pid_of agent)"
drain "$agent_disk"
exits "the job that ran while the disk was full ends" 0 creel wait "$job" --timeout 60
is "the logs of the job that ran while the disk of an agent was full are complete" \
    8 "$(creel logs "$job" 2>/dev/null | grep -c ends)"
exits "the job that was submitted while the disk was full ends" 0 creel wait "$(cat "$T/second")" --timeout 60
is "the job that was submitted while the disk was full is FINISHED" FINISHED "$(state "$(cat "$T/second")")"
exits "a job of eight tasks succeeds when the disk of the agent has free space again" 0 \
    creel run -N 8 -m 16M -- true
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
