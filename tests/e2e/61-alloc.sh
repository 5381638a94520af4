#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel alloc: containers for a shell of this host, which creel run uses, and creel attach.
on_a_terminal=$(cd "$(dirname "$0")" && pwd)/on-a-terminal.py
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.am.liveness-monitor.expiry-interval-ms</name><value>15000</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"
mkdir "$T/here"
cd "$T/here" || exit 1
unset CREEL_ALLOC_DIR CREEL_APP_ID
export XDG_RUNTIME_DIR="$T"        # a killed client leaves its directory there
export T
on_a_terminal() { timeout 120 "$on_a_terminal" "$@"; }
last_app() { creel app list --json | jq -r '.items[-1].id'; }
never_is_submitted() { value_is .state SUBMITTED status "$(named never)"; }
named() { creel app list --json | jq -r --arg n "$1" '[.items[] | select(.name == $n)][-1].id'; }
named_runs() { [ "$(running_containers "$(named "$1")" 2>/dev/null)" = "$2" ]; }
lines_are() { [ "$(sort "$1" 2>/dev/null | paste -sd' ')" = "$2" ]; }

# --- the command and its containers
text=$(creel alloc -N 3 -m 32M -- sh -c 'creel container list --app $CREEL_APP_ID --json | jq -r "[.items[] | select(.state == \"RUNNING\")] | length"
    creel status $CREEL_APP_ID --json | jq -r "(.items[0] // .) | \"\(.state) \(.unmanaged) \(.maxAttempts)\""; echo "count $CREEL_ALLOC_COUNT on $CREEL_NODELIST"; exit 5' 2>"$T/said")
is "creel alloc exits with the exit status of its command" 5 $?
is "the containers of an allocation run while the command runs, and its application is unmanaged" $'3\nRUNNING true 1\ncount 3 on 127.0.0.1' "$text"
like "creel alloc prints the number of its containers and their node" 'has 3 containers on 127.0.0.1' "$(cat "$T/said")"
is "the application of the allocation has the exit status of the command" "FINISHED FAILED 5" "$(value '| "\(.state) \(.finalStatus) \(.exitStatus)"' status "$(last_app)")"
becomes "no container of an allocation runs after its command has ended" 30 running_is "$(last_app)" 0

# --- creel run in it
cat >"$T/steps.sh" <<'S'
creel run -- sh -c 'echo "one in $PWD"'
creel run -N 3 -e X=y -- sh -c 'echo "$CREEL_TASK_INDEX of $CREEL_TASK_COUNT $X"; exit $CREEL_TASK_INDEX' >"$T/three"
echo "status $?"
printf 'a\nb\n' | creel run -N 2 --stdin 1 -- wc -l >"$T/input"
creel run -- sh -c 'kill -9 $$'; echo "killed $?"
creel run -N 4 -- true; echo "too many $?"
creel run -m 1g -- true; echo "size $?"
creel alloc -- true; echo "again $?"
S
text=$(creel alloc -N 3 -m 32M -- sh "$T/steps.sh" 2>"$T/said")
is "creel run in an allocation runs steps in its containers, and exits with their exit status" "one in $T/here
status 2
killed 137
too many 1
size 2
again 2" "$text"
becomes "each line of a step of three tasks has the number of its task" 1 lines_are "$T/three" "[c00] 0 of 3 y [c01] 1 of 3 y [c02] 2 of 3 y"
becomes "creel run --stdin 1 sends standard input to one task only" 1 lines_are "$T/input" "[c00] 0 [c01] 2"
like "the error for a step of too many tasks names the number of containers" '--count 4: .* has 3 containers' "$(cat "$T/said")"

# --- standard input of steps
head -c 3000000 /dev/urandom >"$T/bytes"
cat >"$T/inputs.sh" <<'S'
creel run -N 3 --stdin all -- sha256sum <"$T/bytes" | sed 's/.*] //'
yes | creel run -N 2 --stdin all -- sh -c 'head -c 10 >/dev/null; exit 4'; echo "endless $?"
seq 4 | creel run --stdin all -- wc -l
seq 4 | creel run -N 2 --stdin none -- wc -l | sed 's/.*] //'
seq 4 | creel run --stdin none -- wc -l
seq 4 | creel run -N 2 --stdin 2 -- wc -l; echo "no such task $?"
S
hash=$(sha256sum <"$T/bytes")
is "creel run --stdin in an allocation passes standard input to all tasks, one or none" "$hash
$hash
$hash
endless 4
4
0
0
0
no such task 2" "$(timeout 100 creel alloc -N 3 -m 32M -- sh "$T/inputs.sh" 2>"$T/said")"

# --- busy containers
cat >"$T/busy.sh" <<'S'
creel run -e T -N 2 -- sh -c 'touch "$T/busy.$CREEL_TASK_INDEX"; while [ ! -e "$T/go" ]; do sleep 0.1; done; echo first >>"$T/order"' &
while [ ! -e "$T/busy.0" ] || [ ! -e "$T/busy.1" ]; do sleep 0.1; done
creel run --overlap -e T -- sh -c 'echo overlap >>"$T/order"'
creel run -e T -- sh -c 'echo waited >>"$T/order"' 2>"$T/waits" &
while ! grep -q 'waits until 1 container' "$T/waits"; do sleep 0.1; done
touch "$T/go"
wait
S
exits "a step waits for a container that another step uses" 0 timeout 60 creel alloc -N 2 -m 32M -- sh "$T/busy.sh"
is "a step with --overlap does not wait" "overlap first first waited" "$(paste -sd' ' "$T/order")"

# --- a shell on a terminal
text=$(on_a_terminal 'see=[#$] ' 'press=creel run -- sh -c "echo begins; exec sleep 1000"\n' 'see=begins\n' 'press=\x03' 'see=[#$] ' \
    'press=echo status $?\n' 'see=status 130' 'press=creel run -it -- sh -c "test -t 0 && echo x$((1+1))y"\n' 'see=x2y' 'see=[#$] ' 'press=exit 7\n' -- creel alloc -m 32M -- bash --norc)
is "Ctrl-C ends a step and not the shell of the allocation" 7 $?
like "a step of creel run -it has a terminal" 'x2y' "$text"

on_a_terminal 'see=[#$] ' 'press=kill -TERM $PPID\n' -- creel alloc -n term -m 32M -- bash --norc >/dev/null
is "SIGTERM ends creel alloc and its shell" "129 FINISHED 129" "$? $(value '| "\(.state) \(.exitStatus)"' status "$(named term)")"
# The command counts signals; with a timer for each SIGTERM, four SIGHUP would arrive within about a second.
cat >"$T/hups.sh" <<'S'
trap 'date +%s%N >>"$T/hups"' HUP
await() { while [ "$(wc -l <"$T/hups")" -lt "$1" ]; do sleep 0.05; done; }
for _ in 1 2 3; do : >"$T/hups"; kill -TERM $PPID; await 1; done
: >"$T/hups"; await 4
S
on_a_terminal -- creel alloc -n hups -m 32M -- bash "$T/hups.sh" >/dev/null
check "SIGTERM sent several times repeats SIGHUP once a second" test "$(awk 'NR == 1 { first = $1 } END { print int(($1 - first) / 1e6) }' "$T/hups")" -ge 2000
on_a_terminal 'see=[#$] ' 'press=kill -HUP $PPID\n' -- creel alloc -n line -m 32M -- bash --norc >/dev/null
is "creel alloc ends when its terminal is closed, and the allocation continues to run" "129 RUNNING 1" "$? $(state "$(named line)") $(running_containers "$(named line)")"
exits "creel attach runs a step in an allocation whose terminal was closed" 0 creel attach "$(named line)" -- creel run -- true

# --- waiting, and ends
for node in $(creel node list -o id); do creel node drain "$node" --reason test >/dev/null; done
on_a_terminal 'until=creel app list --json | jq -e ".items[-1].name == \"waits\" and .items[-1].state == \"RUNNING\""' 'press=\x03' -- creel alloc -n waits >"$T/said"
is "creel alloc exits with 130 on Ctrl-C while it waits for containers" 130 $?
becomes "Ctrl-C kills an allocation that waits for containers" 30 state_is "$(named waits)" KILLED
creel alloc -n never --begin now+1h >"$T/said" 2>&1 & client=$!
becomes "an allocation with a begin time is SUBMITTED before that time" 30 never_is_submitted
kill -TERM $client
ends "SIGTERM ends creel alloc before the begin time" 143 $client
for node in $(creel node list -o id); do creel node undrain "$node" >/dev/null; done
creel alloc -N 2 -m 32M -n victim -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "an allocation runs that creel kill will end" 30 named_runs victim 2
creel kill "$(named victim)" >/dev/null
ends "creel alloc exits with 143 when its application is killed" 143 $client
becomes "no container of the killed allocation runs" 30 running_is "$(named victim)" 0

# --- a restart of the resource manager
creel alloc -N 2 -m 32M -n restart -- sh -c 'while [ ! -e "$T/restarted" ]; do sleep 0.1; done; creel run -N 2 -- echo here' >"$T/after" 2>"$T/said" & client=$!
becomes "an allocation runs before the restart of the resource manager" 30 named_runs restart 2
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null
becomes "the containers of the allocation run after kill -9 and restart of the resource manager" 60 named_runs restart 2
touch "$T/restarted"
ends "the command of the allocation succeeds after the restart of the resource manager" 0 $client
is "a step after the restart of the resource manager runs in both containers" "[c00] here [c01] here" "$(sort "$T/after" | paste -sd' ')"
becomes "the application of the allocation is SUCCEEDED after the restart of the resource manager" 30 value_is .finalStatus SUCCEEDED status "$(named restart)"

# --- a killed client
creel alloc -N 2 -m 32M -n lost -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "an allocation runs whose client will be killed" 30 named_runs lost 2
before=$(creel container list --app "$(named lost)" -o id | sort | paste -sd' ')
kill_nine $client
text=$(creel attach "$(named lost)" -- sh -c 'creel run -N 2 -- sh -c "echo \$CREEL_CONTAINER_ID"; exit 3' 2>"$T/said")
is "creel attach to the allocation of a killed client exits with the exit status of its own command" 3 $?
is "creel attach uses the same containers as the killed client" "$before" "$(cut -d' ' -f2 <<<"$text" | sort | paste -sd' ')"
is "the application has the exit status of the command of creel attach" "FINISHED 3" "$(value '| "\(.state) \(.exitStatus)"' status "$(named lost)")"

# --- a killed client, and a resource manager that has just been restarted
creel alloc -N 2 -m 32M -n early -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "an allocation runs whose client and resource manager will be killed" 30 named_runs early 2
early=$(named early)
before=$(creel container list --app "$early" -o id | sort | paste -sd' ')
mapfile -t agents < <(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "agent") | .pid')
kill_nine $client
kill -STOP "${agents[@]}"          # they do not report their containers yet
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null & up=$!
becomes "the resource manager answers again" 60 creel status "$early"
creel attach "$early" -- creel run -N 2 -- sh -c 'echo "$CREEL_CONTAINER_ID"' >"$T/after" 2>"$T/said" & client=$!
attached() { [ "$(grep -c "appattempt_${early#*_}_.*: application master registered" "$T/dev/rm/log")" -ge 2 ]; }
becomes "creel attach registers while no node has reported the containers" 30 attached
kill -CONT "${agents[@]}"
ends "creel attach succeeds when the nodes have reported the containers" 0 $client "$T/said"
is "creel attach uses the containers that ran all the time" "$before" "$(cut -d' ' -f2 "$T/after" | sort | paste -sd' ')"
wait $up

# --- a client that still runs
creel alloc -N 1 -m 32M -n taken -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "an allocation runs whose client stays alive" 30 named_runs taken 1
exits "creel attach to an allocation whose client runs succeeds" 0 creel attach "$(named taken)" -- sh -c 'while kill -0 '$client' 2>/dev/null; do sleep 0.1; done; creel run -- true'
ends "the earlier client exits with 125 when creel attach has replaced it" 125 $client
like "the earlier client reports that another process has replaced it" 'another process, on .*, has taken the application over' "$(cat "$T/said")"

# --- nobody comes
creel alloc -N 1 -m 32M -n nobody -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "an allocation runs to which no client will attach" 30 named_runs nobody 1
kill_nine $client
becomes "an allocation without a client is FAILED after the expiry interval of application masters" 60 state_is "$(named nobody)" FAILED
like "the diagnostics of the FAILED allocation name the reason" 'sent no request for' "$(value .diagnostics status "$(named nobody)")"
becomes "no container of the FAILED allocation runs" 30 running_is "$(named nobody)" 0

# --- refusals
id=$(creel submit --id -m 32M -- sleep 1000)
exits "creel attach to a job with an application master of its own is refused" 6 creel attach "$id"
exits "creel attach to an allocation that has ended is refused" 6 creel attach "$(named nobody)"
exits "creel attach to an unknown application exits with 3" 3 creel attach 4711
exits "creel attach without an application is a usage error" 2 creel attach
exits "creel run --overlap outside of an allocation is a usage error" 2 creel run --overlap -- true
exits "creel alloc with more memory than the maximum allocation is refused" 8 creel alloc -m 900g -- true
creel kill "$id" >/dev/null
finish
