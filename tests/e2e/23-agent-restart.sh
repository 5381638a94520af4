#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The agent is killed, stopped and started while many containers run: they continue, and none is lost; after a
# reboot all of them are lost.
. "$(dirname "$0")/lib.sh"
count=${E2E_CONTAINERS:-100}
mkdir "$T/conf" "$T/out/beat"
chmod 0777 "$T/out/beat"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>100000</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>1000</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
agent_dir=$T/dev/agent-1
start_agent() { creel dev up --dir "$T/dev" -n 1 --conf "$T/conf" >"$T/up.log" 2>&1; }
kill_agent() { local pid; pid=$(pid_of agent); kill "-$1" "$pid"; wait_until 20 gone "$pid"; }
of_index() { creel container list --app "$id" --json | jq -c "[.items[] | select(.master | not)]"; }
statuses() { creel container list --app "$1" --json | jq -r '[.items[] | select(.master | not) | .exitStatus] | map(select(. != null and . != -1000)) | group_by(.) | map("\(.[0]):\(length)") | join(" ")'; }
statuses_are() { [ "$(statuses "$1")" = "$2" ]; }
payloads() { pgrep -f "^beat-of-$$ " | sort; }
payloads_are() { [ "$(payloads | wc -l)" = "$1" ]; }

# Each task waits, without child processes, and ends with its own status when its file appears.
cat >"$T/task" <<S
#!/bin/bash
exec -a "beat-of-$$ " bash -c 'trap "echo hup >>$T/out/hup" HUP
exec 3<> <(:)
while [ ! -e $T/out/end.\$CREEL_TASK_INDEX ]; do [ -e $T/out/all ] && exit 0; read -rt 0.5 -u 3; done
exit \$(cat $T/out/end.\$CREEL_TASK_INDEX)'
S
chmod 0755 "$T/task"
id=$(creel submit --id -N "$count" -m 16M --max-attempts 1 -- "$T/task")
becomes "$count containers run" 200 running_is "$id" $((count + 1))
becomes "each of the $count tasks is one process" 20 payloads_are "$count"

kill_agent KILL
for i in 0 1 2 3 4; do echo $((40 + i)) >"$T/out/end.$i.new"; mv "$T/out/end.$i.new" "$T/out/end.$i"; done
becomes "five tasks end while the agent is down" 30 payloads_are $((count - 5))
survivors=$(payloads)
check "the agent starts again after SIGKILL" start_agent
becomes "the exit statuses of tasks that ended without an agent are reported" 60 \
    statuses_are "$id" "40:1 41:1 42:1 43:1 44:1"
becomes "creel container list shows all containers as RUNNING after the restart of the agent" 60 \
    running_at_least "$id" $((count - 4))
is "the containers are the same processes after SIGKILL to the agent" \
    "$survivors" "$(comm -12 <(echo "$survivors") <(payloads))"
is "no container received SIGHUP from the restart of the agent" "" "$(cat "$T/out/hup" 2>/dev/null)"
becomes "the control groups of ended containers are removed" 30 sh -c "[ \$(find /sys/fs/cgroup/pids -type d -path '*/$cgroup-*/container_*' | wc -l) = \$(creel container list --app $id --live -o id | wc -l) ]"

# Files that identify the shims of two tasks are lost while the agent is down.
mapfile -t live < <(creel container list --app "$id" --live --json | jq -r '.items[] | select(.master | not) | .id')
started() { echo "$agent_dir/state/containers/$1/started"; }
kill_agent TERM
rm "$(started "${live[0]}")"
: >"$(started "${live[1]}")"
check "the agent starts again after SIGTERM" start_agent
for i in 0 1; do
    becomes "the file started of ${live[$i]} is made again" 20 test -s "$(started "${live[$i]}")"
    like "the log of the agent names it" "${live[$i]}: its file started in the state directory was removed or damaged" "$(cat "$agent_dir/log")"
    becomes "a command runs in that container" 30 creel container exec "${live[$i]}" -- true
    check "a signal reaches that container" creel container signal "${live[$i]}" HUP
    becomes "its command has handled the signal" 20 sh -c "[ \$(grep -c hup $T/out/hup) = $((i + 1)) ]"
done
is "the containers are the same processes after SIGTERM to the agent" \
    "$survivors" "$(comm -12 <(echo "$survivors") <(payloads))"
for round in 1 2 3 4 5; do
    kill_agent KILL
    start_agent || fail "the agent starts again, round $round" "$(cat "$T/up.log")"
done
is "the containers are the same processes after five more kills of the agent" \
    "$survivors" "$(comm -12 <(echo "$survivors") <(payloads))"
becomes "the resource manager still counts the containers as RUNNING" 60 running_at_least "$id" $((count - 4))

# Simulates a reboot: no processes, no control groups, and a state directory of an earlier boot.
kill_agent KILL
pgrep -f "creel-shim .*container_" >/dev/null
for pid in $(cat "$agent_dir"/state/containers/*/started 2>/dev/null | awk '{ print $1 }'); do
    [ -d "/proc/$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q container_ && kill -9 "$pid"
done
# shellcheck disable=SC2046 # a list of numbers
kill -9 $(cat $(find /sys/fs/cgroup/pids -path "*/$cgroup-*/container_*/cgroup.procs")) 2>/dev/null
becomes "no process of a container is left before the simulated reboot" 30 sh -c "[ -z \"\$(cat \$(find /sys/fs/cgroup/pids -path '*/$cgroup-*/container_*/cgroup.procs'))\" ]"
find /sys/fs/cgroup -depth -type d -path "*/$cgroup-*/container_*" -exec rmdir {} +
echo 00000000-0000-0000-0000-000000000000 >"$agent_dir/state/boot"
# Its records had not reached the disk.
rm -f "$agent_dir"/state/containers/*/started "$agent_dir"/state/containers/*/pid
check "the agent starts after the simulated reboot" start_agent
becomes "the containers from before the reboot end with exit status 154" 90 sh -c "creel container list --app $id --json | jq -e '[.items[] | select(.exitStatus == 154)] | length >= $((count - 4))'"
like "the diagnostics of containers lost at a reboot name the restart of the host" "its host was restarted" "$(creel container list --app "$id" --json | jq -r "[.items[] | select(.exitStatus == 154)][0].diagnostics")"
is "no container was started a second time after the reboot" "" "$(payloads)"
becomes "the job from before the reboot has ended" 60 sh -c "creel status $id --json | jq -e '.items[0].state | test(\"FAILED|FINISHED|KILLED\")'"
becomes "no working directory of a container is left" 30 sh -c "! find $T/dev -path '*appcache*' -name 'container_*' | grep -q ."
becomes "no control group of a container is left" 30 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' | grep -q ."
becomes "no stored state of a container is left" 30 sh -c "[ -z \"\$(ls $agent_dir/state/containers)\" ]"
is "a new job succeeds" 0 "$(creel run -m 16M -- true >/dev/null 2>&1; echo $?)"
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
