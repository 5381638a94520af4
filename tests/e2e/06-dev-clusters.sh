#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel dev: several local clusters at the same time, start after a kill, complete removal.
. "$(dirname "$0")/lib.sh"
second=$(mktemp -d /tmp/creel-e2e.XXXXXX)
rmdir "$second"
trap 'creel dev down --dir "$second" >/dev/null 2>&1; cleanup' EXIT

cluster_up -n 1
check "a second cluster comes up beside the first" creel dev up --dir "$second" -n 2
is "creel dev status lists the four daemons of the second cluster" 4 "$(count dev status --dir "$second")"
is "each daemon has role, pid, directory and ports, and is running" 4 "$(creel dev status --dir "$second" --json | jq '[.items[] | select(.role and .pid and .dir and .ports and .state == "running")] | length')"
is "no port is used by two daemons" "" "$( (creel dev status --dir "$second" --json; creel dev status --dir "$T/dev" --json) | jq -r '.items[].ports | .[]' | sort | uniq -d)"
exits "a job runs on the first cluster" 0 creel run -- true
exits "a job runs on the second cluster" 0 sh -c "eval \"\$(creel dev env --dir '$second')\" && creel run -N 2 -m 16M -- true"

agent=$(creel dev status --dir "$second" --json | jq -r '[.items[] | select(.role == "agent")][0].pid')
kill_nine "$agent"
becomes "creel dev status shows a killed daemon as stopped" 10 sh -c "creel dev status --dir '$second' --json | jq -e '[.items[] | select(.state == \"stopped\")] | length == 1'"
check "creel dev up starts the killed daemon again" creel dev up --dir "$second" -n 2
is "the restarted agent has a new pid" 1 "$(creel dev status --dir "$second" --json | jq --argjson old "$agent" '[.items[] | select(.state == "running" and .pid == $old)] | length | 1 - .')"

# --- a directory without a cluster
exits "creel dev env of a directory without a cluster exits with 3" 3 creel dev env --dir "$T/none"
exits "its output has that status, too" 3 sh -c "eval \"\$(creel dev env --dir '$T/none')\""
exits "creel does not use another cluster then" 7 sh -c "eval \"\$(creel dev env --dir '$T/none')\"; creel ps"
like "and names the directory" "$T/none/conf" "$OUTPUT"

# The cluster is killed, and another process uses its ports when it is started again.
on_second() { (eval "$(creel dev env --dir "$second")" && "$@"); }
job=$(on_second creel submit --id -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.1; done")
becomes "a long job runs on the second cluster" 30 on_second running_is "$job" 1
before=$(creel dev status --dir "$second" --json)
port=$(on_second creel container list --app "$job" --json | jq -r '.items[0].nodeId | sub(".*:"; "")')
idle=$(jq -c --argjson port "$port" '[.items[] | select(.role == "agent" and .ports.agent != $port)][0]' <<<"$before")
kill -9 "$(jq '.items[0].pid' <<<"$before")" "$(jq .pid <<<"$idle")"
taken="$(jq '.items[0].ports.client' <<<"$before") $(jq '.items[0].ports.agent' <<<"$before") $(jq .ports.agent <<<"$idle")"
# shellcheck disable=SC2086 # several ports
python3 -c '
import signal, socket, sys
held = [socket.create_server(("127.0.0.1", int(port))) for port in sys.argv[1:]]
print("ready", flush=True)
signal.pause()' $taken >"$T/holder" & holder=$!
becomes "another process listens on three ports of the second cluster" 20 grep -q ready "$T/holder"
exits "creel dev up starts the cluster although three of its ports are in use" 0 \
    creel dev up --dir "$second" -n 2
like "the warning names the process that uses a port of the resource manager" "port ${taken%% *} is in use by python3, process $holder: the resource manager uses [0-9]+" "$OUTPUT"
like "the warning names the used port of an agent" "port ${taken##* } is in use by .*: agent [12] uses [0-9]+, as a new node" "$OUTPUT"
is "no port is used by two daemons after the change of ports" "" "$( (creel dev status --dir "$second" --json; creel dev status --dir "$T/dev" --json) | jq -r '.items[].ports | .[]' | sort | uniq -d)"
becomes "both nodes of the second cluster are RUNNING" 30 on_second nodes_running_is 2
exits "a job runs on the second cluster after the change of ports" 0 on_second creel run -N 4 -m 16M -- true
touch "$T/out/go"
exits "the job from before the kill ends" 0 on_second creel wait "$job" --timeout 60
is "the job from before the kill is FINISHED" FINISHED "$(on_second state "$job")"
kill "$holder"
exits "creel dev up with free ports exits with 0" 0 creel dev up --dir "$second" -n 2
is "creel dev up reports no used port when all ports are free" "" "$(grep "in use" <<<"$OUTPUT")"

(eval "$(creel dev env --dir "$second")" && creel submit --id -N 2 -m 16M -- sleep 1000) >/dev/null
(eval "$(creel dev env --dir "$second")" && wait_until 30 sh -c 'creel container list --app 3 --json | jq -e ".items | length > 1" || creel ps --json | jq -e ".items[0].state == \"RUNNING\""')
running=$(on_second creel submit --id -m 16M -- sh -c "trap 'touch $T/out/ended; exit' TERM; touch $T/out/runs; while :; do sleep 0.1; done")
waiting=$(on_second creel submit --id -m 16M -d "any:$running" -- touch "$T/out/started")
becomes "a job runs for which another one waits" 30 test -e "$T/out/runs"
exits "creel dev down ends a cluster with running jobs" 0 creel dev down -v --dir "$second"
like "creel dev down kills the job that runs" "killed $running" "$OUTPUT"
is "creel dev down does not kill the job that waits" "" "$(grep -- "$waiting" <<<"$OUTPUT")"
check "the job that runs gets SIGTERM" test -e "$T/out/ended"
check "the job that waits for its end does not start" test ! -e "$T/out/started"
check "creel dev down removes the directory of the cluster" test ! -e "$second"
is "creel dev down leaves no process of the cluster" "" "$(pgrep -af -- "$second" || true)"
exits "creel dev down of a removed cluster exits with 0" 0 creel dev down --dir "$second"

# Two commands at the same time in one directory.
creel dev up --dir "$second" -n 2 >"$T/first-up.log" 2>&1 & first_up=$!
becomes "a command that makes a cluster locks its directory" 30 sh -c "grep -qx $first_up /run/creel-dev-*.lock"
kill -STOP "$first_up"
exits "a second dev up is refused" 1 creel dev up --dir "$second" -n 3
like "with the process that has the lock" "$second: another creel dev up or creel dev down \(process $first_up\) works there" "$OUTPUT"
if [ -e "$second/creel-dev" ]; then
    exits "dev down, too" 1 creel dev down --dir "$second"
fi
kill -CONT "$first_up"
wait "$first_up" && status=0 || status=$?
is "the first one continues" 0 "$status"
is "and makes what it was asked for" 2 "$(creel dev status --dir "$second" --json | jq '[.items[] | select(.role == "agent")] | length')"
exits "then another one may work there" 0 creel dev down --dir "$second"
exits "the first cluster still runs a job" 0 creel run -- true
mkdir "$T/bad"
echo '<configuration><property><name>creel.nope</name><value>1</value></property></configuration>' >"$T/bad/creel-site.xml"
exits "a configuration with a mistake is refused" 7 creel dev up --dir "$second" --conf "$T/bad" -n 1
check "... and leaves no directory" test ! -e "$second"
exits "a command ends at once if no resource manager listens" 5 creel --rm 127.0.0.1:1 ps
like "... and names the address and the reason" '127.0.0.1:1: Connection refused' "$OUTPUT"

# Files that another user has prepared must not make root run a program or kill a process.
is "other users cannot read the daemons' logs" "" "$(find "$T/dev" -name log -perm /077)"
is "other users cannot read secret keys and state.db" "" "$(find "$T/dev" \( -name '*_secret' -o -name state.db \) -readable -exec sh -c 'setpriv --reuid 65534 --regid 65534 --clear-groups test ! -r "$1" || echo "$1"' sh {} \;)"
mkdir -p "$second/conf" "$second/rm"
echo made >"$second/creel-dev"
sleep 1000 &
victim=$!
echo "$victim $(awk '{ print $22 }' /proc/$victim/stat)" >"$second/rm/pid"
chown -R nobody "$second"
exits "creel dev down refuses the directory of another user" 4 creel dev down --dir "$second"
like "creel dev down names the owner of the directory" "belongs to user id 65534" "$OUTPUT"
check "creel dev down did not kill the process named in that directory" kill -0 "$victim"
exits "creel dev up refuses the directory of another user" 1 creel dev up --dir "$second" -n 1
kill "$victim"
rm -r "$second"
finish
