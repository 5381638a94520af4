#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that save their work when their container is stopped: below bash and sh, as tasks, steps and commands in a
# container; by creel kill, a time limit, its signal, a drain, a preemption, and across a restart of the agent.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
site() {
    {
        echo '<configuration>'
        property yarn.nodemanager.sleep-delay-before-sigkill.ms "$1"
        property creel.resourcemanager.drain-notice-ms 500
        property yarn.nodemanager.resource.memory-mb 1024
        property yarn.resourcemanager.scheduler.monitor.enable true
        property yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval 500
        property yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill 1000
        property yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round 1.0
        property yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor 1.0
        echo '</configuration>'
    } >"$T/conf/yarn-site.xml"
}
{
    echo '<configuration>'
    property yarn.scheduler.capacity.root.queues a,b
    property yarn.scheduler.capacity.maximum-am-resource-percent 0.9
    for queue in a b; do
        property "yarn.scheduler.capacity.root.$queue.capacity" 50
        property "yarn.scheduler.capacity.root.$queue.user-limit-factor" 10
    done
    echo '</configuration>'
} >"$T/conf/capacity-scheduler.xml"
# The kill delay is ten minutes: a container that ends within this test did not wait for its end.
site 600000
cluster_up -n 1 --conf "$T/conf"
restart_agent() { kill_nine "$(pid_of agent)"; creel dev up --dir "$T/dev" -n 1 --conf "$T/conf" >"$T/up.log" 2>&1; }
export XDG_RUNTIME_DIR="$T"
node=$(value .nodeId node list)

# saver SIGNAL NAME: needs two seconds after the signal to save its work. (A child that is not its sleep yet has the same trap.)
cat >"$T/saver" <<S
#!/bin/bash
out=$T/out/\$2
save() { [ \$BASHPID = \$\$ ] || exit 0; echo \$1 >>\$out.signals; sleep 2; echo work >\$out.saved; exit 0; }
trap 'save \$1' \$1
[ \$1 = TERM ] || trap 'save TERM' TERM
echo \$\$ >\$out.pid
while :; do sleep 0.1; done
S
chmod 0755 "$T/saver"
saver=$T/saver
begins() { wait_until 60 test -s "$T/out/$1.pid" || fail "the program of $1 starts"; }
saves() { becomes "$1: the program saves its work" 60 test -s "$T/out/$2.saved"; }
# stops NAME FILE SIGNAL: the program saved its work, and got one signal for it.
stops() {
    saves "$1" "$2"
    is "$1: the program gets the signal once" "${3:-TERM}" "$(cat "$T/out/$2.signals")"
}
complete() { [ "$(creel container list --app "$1" --json | jq '[.items[] | select(.state != "COMPLETE")] | length')" = 0 ]; }
is_over() { becomes "$1: the containers end with the program, not at the end of the kill delay" 60 complete "$2"; }
diagnostics() { creel container list --app "$1" --json | jq -r '.items[].diagnostics'; }

# --- creel kill ---
bash=$(creel submit --id -q a -m 32M -- bash -c "$saver TERM bash; echo after")
sh=$(creel submit --id -q a -m 32M -- sh -c "$saver TERM sh; echo after")
direct=$(creel submit --id -q a -m 32M -- "$saver" TERM direct)
# shellcheck disable=SC2016 # for the task's shell
tasks=$(creel submit --id -q a -m 32M -N 2 -- bash -c "$saver"' TERM task.$CREEL_TASK_INDEX; echo after')
# shellcheck disable=SC2016
array=$(creel submit --id -q a -m 32M --array 0-1 -- bash -c "$saver"' TERM array.$CREEL_ARRAY_TASK_ID; echo after')
creel alloc -q a -m 32M --name steps -- creel run -- bash -c "$saver TERM step; echo after" >"$T/alloc.log" 2>&1 &
host=$(creel submit --id -q a -m 32M -- sleep 1000)
becomes "a job for a command inside a container runs" 60 state_is "$host" RUNNING
creel container exec "$(first_container "$host")" -- bash -c "$saver TERM exec; echo after" >"$T/exec.log" 2>&1 &
for name in bash sh direct task.0 task.1 array.0 array.1 step exec; do begins "$name"; done
alloc=$(creel app list --json | jq -r '[.items[] | select(.name == "steps")][-1].id')
check "creel kill accepts all jobs" creel kill --yes "$bash" "$sh" "$direct" "$tasks" "$array" "$alloc" "$host"
is "a killed job is KILLED at once, while its program saves its work" KILLED "$(state "$bash")"
for name in bash sh direct task.0 task.1 array.0 array.1 step exec; do stops "creel kill, $name" "$name"; done
for id in "$bash" "$sh" "$direct" "$tasks" "$alloc" "$host"; do is_over "creel kill" "$id"; done
like "the container has the reason of the stop and the exit status of its program" 'exit status 0' "$(diagnostics "$direct")"
is "a container whose program exits with 0 after creel kill counts as stopped" -106 "$(value .exitStatus container show "$(first_container "$direct")")"
like "a container whose shell is ended by SIGTERM has the reason and its exit status" 'exit status 143' "$(diagnostics "$bash")"

# --- a stopped process, an early SIGTERM ---
id=$(creel submit --id -q a -m 32M -- "$saver" TERM stopped)
begins stopped
kill -STOP "$(cat "$T/out/stopped.pid")"
check "creel kill accepts a job with a stopped process" creel kill --yes "$id"
stops "creel kill, stopped" stopped
# The shell ends at the early signal; its program needs more than the time to the limit.
cat >"$T/slow" <<S
#!/bin/bash
trap 'sleep 6; echo work >$T/out/slow.saved; exit 0' TERM
echo >$T/out/slow.pid
while :; do sleep 0.1; done
S
chmod 0755 "$T/slow"
id=$(creel submit --id -q a -m 32M -t 6s --signal TERM@4 -- bash -c "$T/slow; :")
begins slow
saves "an early SIGTERM, after which the shell has ended" slow

# --- the agent is killed during the grace ---
id=$(creel submit --id -q a -m 32M -- bash -c "$saver TERM restart; echo after")
begins restart
check "creel kill accepts the job" creel kill --yes "$id"
becomes "the program begins to save its work" 20 test -s "$T/out/restart.signals"
check "the agent starts again after SIGKILL" restart_agent
stops "a restart of the agent" restart
is_over "a restart of the agent" "$id"

# --- steps whose client ends, while their container runs on ---
saves_once() { stops "$1" "$2" "${3:-TERM}"; }
cat >"$T/steps.sh" <<S
begin() { creel run -- sh -c "\$2; $saver TERM \$1; :" & client=\$!; until [ -s $T/out/\$1.pid ]; do sleep 0.05; done; }
end() { until [ -s $T/out/\$1.saved ]; do sleep 0.05; done; }
begin step-term :
kill -TERM \$client
wait \$client
echo "SIGTERM \$?"
end step-term
begin step-int "trap '' INT"
while kill -INT \$client 2>/dev/null; do sleep 0.1; done
wait \$client
echo "SIGINT \$?"
end step-int
begin step-kill :
kill -KILL \$client
end step-kill
begin step-last :
kill -TERM \$client
S
exits "creel alloc with steps whose clients end exits with 0" 0 timeout 100 creel alloc -q a -m 32M --name ends -- sh "$T/steps.sh"
like "creel run exits with 130 on SIGTERM" '^SIGTERM 130' "$OUTPUT"
like "creel run exits with 130 on a second Ctrl-C" 'SIGINT 130' "$OUTPUT"
saves_once "SIGTERM to creel run" step-term
saves_once "a second Ctrl-C to creel run" step-int
saves_once "creel run is killed" step-kill
saves_once "SIGTERM to creel run, and the end of its allocation just after it" step-last
is_over "the end of an allocation" "$(creel app list --json | jq -r '[.items[] | select(.name == "ends")][-1].id')"

host=$(creel submit --id -q a -m 32M -- sleep 1000)
becomes "a job for commands inside a container runs" 60 state_is "$host" RUNNING
container=$(first_container "$host")
creel container exec -t "$container" -- bash -c "trap 'sleep 0.5; exit' HUP; $saver HUP tty & wait" >/dev/null 2>&1 & client=$!
begins tty
kill -HUP $client
saves "the terminal of a command is closed" tty
is "the first signal of a command whose terminal is closed is SIGHUP" HUP "$(head -1 "$T/out/tty.signals")"
creel container exec "$container" -- sh -c "$saver TERM upgrade; :" >"$T/exec.log" 2>&1 & client=$!
begins upgrade
agent=$(pid_of agent)
kill -TERM "$agent"
agent_is_gone() { ! kill -0 "$agent" 2>/dev/null; }
becomes "the agent ends" 30 agent_is_gone
check "the agent starts again after SIGTERM" creel dev up --dir "$T/dev" -n 1 --conf "$T/conf"
ends "creel container exec exits with 125 when the agent was restarted" 125 $client "$T/exec.log"
saves_once "a restart of the agent, command inside a container" upgrade
is "the container runs after the restart of the agent" "RUNNING 1" "$(state "$host") $(running_containers "$host")"
check "creel kill accepts the job" creel kill --yes --force "$host"

# --- the end of a container is that of its last process ---
# A millisecond of the test's clock, after the program has saved its work.
cat >"$T/late" <<S
#!/bin/bash
trap 'sleep 2; date +%s%3N >$T/out/late.saved; exit 0' USR1
echo >$T/out/late.pid
while :; do sleep 0.1; done
S
chmod 0755 "$T/late"
id=$(creel submit --id -q a -m 32M -t 1h --signal USR1@3597 -- bash -c "$T/late; :")
saves "an early signal that ends the shell" late
is_over "an early signal that ends the shell" "$id"
ended=$(value .finishedMs container show "$(first_container "$id")")
check "the container ends after its program has saved its work" test "$ended" -ge "$(cat "$T/out/late.saved")"

# --- creel app requeue ---
id=$(creel submit --id -q a -m 32M -- "$saver" TERM requeue)
begins requeue
container=$(first_container "$id")
check "creel app requeue accepts the job" creel app requeue "$id" --reason test
saves_once "creel app requeue" requeue
exit_status_is() { [ "$(value .exitStatus container show "$1")" = "$2" ]; }
becomes "a container whose program exits with 0 after creel app requeue counts as stopped" 30 exit_status_is "$container" -106
like "the container has the reason of the requeue and the exit status of its program" 'requeued by .*: test .exit status 0.' "$(value .diagnostics container show "$container")"
creel kill --force --yes "$id" >/dev/null

# --- what a command leaves has its grace: the outcome of the job is that of the command ---
id=$(creel submit --id -q a -m 32M -t 2s -- bash -c "$saver TERM left & while [ ! -s $T/out/left.pid ]; do sleep 0.05; done; exit 0")
begins left
container=$(first_container "$id")
becomes "a container whose command has ended is stopping" 20 sh -c "creel container list --app $id --json | jq -e '.items[] | select(.state == \"STOPPING\")'"
exits "creel kill does not change its outcome" 6 creel kill --yes "$id"
like "which the error says" "has ended with exit status 0" "$OUTPUT"
exits "creel app requeue does not change it, either" 6 creel app requeue "$id"
exits "an exec is refused" 6 creel container exec "$container" -- true
exits "a resize is refused" 6 creel container resize "$container" -m 64M
stops "a time limit after the end of the command" left
is_over "a time limit after the end of the command" "$id"
becomes "the job has succeeded" 20 sh -c "creel status $id --json | jq -e '.items[0].finalStatus == \"SUCCEEDED\"'"

# Tasks: the process that each command leaves ignores SIGTERM.
# shellcheck disable=SC2016 # for the task's shell
id=$(creel submit --id -q a -m 32M -N 2 -- bash -c 'file=$0/rest.$CREEL_TASK_INDEX
    (trap "" TERM; echo >"$file"; exec sleep 1000) & while [ ! -s "$file" ]; do sleep 0.05; done; exit 0' "$T/out")
stopping_are() { [ "$(creel container list --app "$1" --json | jq '[.items[] | select(.state == "STOPPING")] | length')" = "$2" ]; }
becomes "the containers of tasks whose commands have ended are stopping" 60 stopping_are "$id" 2
exits "creel kill does not change the outcome of tasks whose commands have ended" 6 creel kill --yes "$id"
like "the error names the tasks" "the commands of all tasks of $id have ended" "$OUTPUT"
exits "creel app requeue does not change it, either" 6 creel app requeue "$id"
check "creel kill --force ends what the commands left" creel kill --yes --force "$id"
is_over "creel kill --force" "$id"
becomes "the job of tasks has succeeded" 20 sh -c "creel status $id --json | jq -e '.items[0].finalStatus == \"SUCCEEDED\"'"

# --- a time limit, and the signal ahead of it ---
id=$(creel submit --id -q a -m 32M -t 2s -- bash -c "$saver TERM limit; echo after")
stops "a time limit" limit
is_over "a time limit" "$id"
is "the job is KILLED" KILLED "$(state "$id")"
like "creel status names the time limit" 'its time limit of 2 s is reached' "$(creel status "$id")"
id=$(creel submit --id -q a -m 32M -t 1h --signal USR1@3597 -- bash -c "$saver USR1 signal; echo after")
stops "the signal ahead of a time limit" signal USR1
is_over "the signal ahead of a time limit" "$id"
id=$(creel submit --id -q a -m 32M -- bash -c "$saver TERM user; echo after")
begins user
check "creel container signal accepts TERM" creel container signal "$(first_container "$id")" TERM
stops "creel container signal" user
is_over "creel container signal" "$id"

# --- what a job leaves behind ---
id=$(creel submit --id -q a -m 32M -- bash -c "$saver TERM left & while [ ! -s $T/out/left.pid ]; do sleep 0.1; done; exit 0")
stops "the end of a job" left
is_over "the end of a job" "$id"
is "the job whose rest saved its work is FINISHED" "FINISHED 0" "$(state "$id") $(value .exitStatus status "$id")"

# --- preemption: the tasks of queue a use the whole cluster until queue b needs its half ---
# shellcheck disable=SC2016
a=$(creel submit --id -q a -m 128M -N 7 -- bash -c "$saver"' TERM preempt.$CREEL_TASK_INDEX; echo after')
becomes "the tasks of a queue use the whole cluster" 60 running_is "$a" 8
for i in 0 1 2 3 4 5 6; do begins "preempt.$i"; done
b=$(creel submit --id -q b -m 128M -N 2 -- sleep 1000)
preempted() { creel container list --app "$a" --json | jq '[.items[] | select(.exitStatus == -102)] | length'; }
some_preempted() { [ "$(preempted)" -gt 0 ]; }
becomes "a task is preempted" 60 some_preempted
saved_all() { [ "$(cat "$T"/out/preempt.*.saved | wc -l)" -ge "$(preempted)" ]; }
becomes "each preempted task has saved its work" 60 saved_all
like "the preempted container has the exit status of its shell" 'preempted: .*exit status 143' "$(diagnostics "$a")"
creel kill --yes "$a" "$b" >/dev/null
is_over "creel kill" "$a"

# --- a drain with a deadline ---
id=$(creel submit --id -q a -m 32M -- bash -c "$saver TERM drain; echo after")
begins drain
exits "creel node drain accepts the node" 0 creel node drain "$node" --reason test --deadline 1s
like "creel node drain has the time of the notice and the time after which no container runs" \
    '1 container left, notice in 00:0[01], ended in 10:0[012] at the latest' "$OUTPUT"
like "creel node show has the time after which no container runs" 'Containers end: +in (10:0|09:5).* at the latest' "$(creel node show "$node")"
is "the time is the deadline, the notice, a heartbeat and the kill delay" 601500 \
    "$(creel node show "$node" --json | jq '.items[0].adminState | .containersEndMs - .deadlineMs')"
stops "a drain" drain
becomes "the node is drained when the program has ended" 60 value_is .state DRAINED node show "$node"
check "the node returns to service" creel node undrain "$node"
becomes "the job runs again" 60 state_is "$id" RUNNING
creel kill --force --yes "$id" >/dev/null
is_over "creel kill --force" "$id"

# --- a drain at once: the program ignores SIGTERM until the test ends it ---
id=$(creel submit --id -q a -m 32M -- bash -c "trap '' TERM; echo \$\$ >$T/out/deaf.pid; while :; do sleep 0.1; done")
begins deaf
exits "creel node drain --kill-now accepts the node" 0 creel node drain "$node" --reason test --kill-now
like "creel node drain --kill-now has the time after which no container runs" '1 container left, ended in (10:0[01]|09:5.) at the latest' "$OUTPUT"
like "creel node show has it, too" 'Containers end: +in (10:0|09:5).* at the latest' "$(creel node show "$node")"
like "creel node list -R has the column END" 'DEADLINE +END' "$(creel node list -R)"
like "creel node list -R has the time" "DRAINING +1 +(10:0|09:5)" "$(creel node list -R)"
creel kill --force --yes "$id" >/dev/null
becomes "the node is drained when the program was killed" 60 value_is .state DRAINED node show "$node"
check "the node returns to service again" creel node undrain "$node"

# --- a process that SIGKILL does not end: only the freezer of cgroup v1 makes one ---
stuck_in_freezer() {
    local group=/sys/fs/cgroup/freezer/creel-e2e-$$ pid
    id=$(creel submit --id -q a -m 32M -- "$saver" TERM frozen)
    begins frozen
    container=$(first_container "$id")
    creel events -f --since 10m >"$T/events" 2>&1 &
    becomes "creel events follows the node" 20 pgrep -P $$ -f "creel events -f"
    pid=$(cat "$T/out/frozen.pid")
    mkdir "$group"
    echo "$pid" >"$group/cgroup.procs"
    frozen() { echo FROZEN >"$group/freezer.state"; grep -q FROZEN "$group/freezer.state"; }
    becomes "the process is frozen" 20 frozen
    check "creel kill --force accepts the job" creel kill --force "$id"
    named() { creel node show "$node" | grep -qE "Does not end: +$container: .*process $pid .saver. is in state D"; }
    becomes "creel node show names the container and the process" 60 named
    exits "creel node drain --kill-now accepts the node" 0 creel node drain --kill-now --reason fire "$node"
    like "... and prints that the container cannot end, and why, without a time" \
        "DRAINING, 1 container left; 1 cannot end $node: $container: .*process $pid .saver. is in state D" "$(echo $OUTPUT)"
    like "creel node list -R has no end" "DRAINING +1 +stuck " "$(creel node list -R)"
    check "the node returns to service" creel node undrain "$node"
    exits "creel cluster health finds the process" 1 creel cluster health
    like "creel cluster health names node, container and process" "stuck-containers +warning +1 container does not end; on $node, $container: .*process $pid " "$(creel cluster health -o wide)"
    becomes "creel events has an event" 30 grep -qE "STUCK.*$container: .*process $pid " "$T/events"
    metric() { curl -sS -m 20 "http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')/metrics" | grep -qx "creel_containers_stuck $1"; }
    becomes "the metric counts the container" 30 metric 1
    thawed() { echo THAWED >"$group/freezer.state"; }
    becomes "the process is thawed" 20 thawed
    becomes "the container ends when the process does" 60 complete "$id"
    becomes "creel cluster health is well again" 30 creel cluster health
    becomes "the metric does not count it any more" 30 metric 0
    kill %?events
    removed() { rmdir "$group" 2>/dev/null; }
    becomes "its freezer group is removed" 20 removed
}
[ ! -w /sys/fs/cgroup/freezer/tasks ] || stuck_in_freezer

# --- the command ends by itself, and SIGKILL does not end a process that it left ---
leftover_in_freezer() {
    local group=/sys/fs/cgroup/freezer/creel-e2e-left-$$ pid
    site 500
    restart_agent
    # shellcheck disable=SC2016 # for the job's shell
    id=$(creel submit --id -q a -m 32M -- bash -c 'sleep 1000 & echo $! >"$0.pid"; until [ -e "$0.go" ]; do sleep 0.1; done' "$T/out/unended")
    begins unended
    container=$(first_container "$id")
    pid=$(cat "$T/out/unended.pid")
    mkdir "$group"
    echo "$pid" >"$group/cgroup.procs"
    frozen() { echo FROZEN >"$group/freezer.state"; grep -q FROZEN "$group/freezer.state"; }
    becomes "the process is frozen" 20 frozen
    touch "$T/out/unended.go"
    named() { creel node show "$node" | grep -qE "Does not end: +$container: .*process $pid .sleep. is in state D"; }
    becomes "creel node show names the process that the command left" 90 named
    like "creel why names the process that the command left" "$container: .*process $pid " "$(creel why "$id")"
    like "creel events has an event of the process that the command left" "STUCK.*$container: .*process $pid " "$(creel events --since 10m)"
    restart_agent
    becomes "creel node show names the process after a restart of the agent" 90 named
    exits "creel cluster health finds the process that the command left" 1 creel cluster health
    thawed() { echo THAWED >"$group/freezer.state"; }
    becomes "the process is thawed" 20 thawed
    becomes "the container ends when the process does" 60 complete "$id"
    is "the job succeeded, as its command did" SUCCEEDED "$(value .finalStatus status "$id")"
    removed() { rmdir "$group" 2>/dev/null; }
    becomes "its freezer group is removed" 20 removed
}
[ ! -w /sys/fs/cgroup/freezer/tasks ] || leftover_in_freezer
finish
