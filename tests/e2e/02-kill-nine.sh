#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kills the resource manager and an agent with SIGKILL while 50 tasks run on three agents: each
# task runs to its end exactly once, the result is correct, and no process or file is left.
. "$(dirname "$0")/lib.sh"
cluster_up -n 3

cat >"$T/task.sh" <<'S'
#!/bin/sh
# Appends to its own file when it starts and when it ends.
echo "start $CREEL_CONTAINER_ID" >>"$1/$CREEL_TASK_INDEX"
n=0
while [ ! -e "$1/go" ] && [ $n -lt 1200 ]; do n=$((n + 1)); sleep 0.1; done
echo "end $CREEL_CONTAINER_ID" >>"$1/$CREEL_TASK_INDEX"
S
chmod +x "$T/task.sh"

id=$(creel submit --id -N 50 -m 16M -n fifty -- "$T/task.sh" "$T/out")
becomes "ten tasks are running" 90 running_at_least "$id" 10

rm_pid=$(pid_of rm)
kill_nine "$rm_pid"
agent_pid=$(pid_of agent 1)
kill_nine "$agent_pid"
exits "creel ps exits with 5 while the resource manager is down" 5 creel ps --timeout 2
exits "creel dev up starts the killed daemons" 0 creel dev up --dir "$T/dev" -n 3
becomes "all agents register again" 60 nodes_running_is 3
like "the resource manager still has the application" '^(ACCEPTED|RUNNING)$' "$(state "$id")"
kill_nine "$(pid_of agent 0)"
creel dev up --dir "$T/dev" -n 3 >/dev/null 2>&1
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" -n 3 >/dev/null 2>&1
becomes "all agents register again after the second kill" 60 nodes_running_is 3
touch "$T/out/go"
exits "the job ends" 0 creel wait "$id" --timeout 240
is "the state of the job is FINISHED" FINISHED "$(state "$id")"
is "every task ran" 50 "$(find "$T/out" -name '[0-9]*' | wc -l)"
is "each task started and ended exactly once" 0 "$(for f in "$T"/out/[0-9]*; do
    [ "$(grep -c ^start "$f")/$(grep -c ^end "$f")" = 1/1 ] || echo "$f: $(cat "$f")"; done | wc -l)"
is "the job needed one attempt" 1 "$(value .attempt status "$id")"

# Pending and ended applications survive too.
done_id=$(creel submit --id --wait -- true 2>/dev/null)
big=$(creel submit --id -N 1 -m 16M -- sleep 600)
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" -n 3 >/dev/null 2>&1
is "an application that had ended is still FINISHED" FINISHED "$(state "$done_id")"
becomes "the running application is RUNNING after the restart" 60 state_is "$big" RUNNING
check "creel kill accepts the running application" creel kill "$big"
becomes "the killed application is KILLED" 60 state_is "$big" KILLED

creel dev down --dir "$T/dev" >"$T/down.log" 2>&1
is "creel dev down exits with 0" 0 $?
is "creel dev down leaves no control group" "" "$(cgroups_of_cluster)"
is "creel dev down leaves no process" "" "$(processes_of_cluster)"
check "creel dev down removes the directory" test ! -e "$T/dev"
finish
