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
is "the exit status of the command" 5 $?
is "its containers run, and it is unmanaged" $'3\nRUNNING true 1\ncount 3 on 127.0.0.1' "$text"
like "creel alloc says what it has" 'has 3 containers on 127.0.0.1' "$(cat "$T/said")"
is "the result is the application's" "FINISHED FAILED 5" "$(value '| "\(.state) \(.finalStatus) \(.exitStatus)"' status "$(last_app)")"
becomes "its containers are gone" 30 running_is "$(last_app)" 0

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
is "steps of creel run" "one in $T/here
status 2
killed 137
too many 1
size 2
again 2" "$text"
becomes "three tasks, each line with the number" 1 lines_are "$T/three" "[c00] 0 of 3 y [c01] 1 of 3 y [c02] 2 of 3 y"
becomes "standard input is that of one task" 1 lines_are "$T/input" "[c00] 0 [c01] 2"
like "creel run names what there is" '--count 4: .* has 3 containers' "$(cat "$T/said")"

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
exits "a step waits for a container that another one uses" 0 timeout 60 creel alloc -N 2 -m 32M -- sh "$T/busy.sh"
is "with --overlap it does not" "overlap first first waited" "$(paste -sd' ' "$T/order")"

# --- a shell on a terminal
text=$(on_a_terminal 'see=[#$] ' 'press=creel run -- sh -c "echo begins; exec sleep 1000"\n' 'see=begins\n' 'press=\x03' 'see=[#$] ' \
    'press=echo status $?\n' 'see=status 130' 'press=creel run -it -- sh -c "test -t 0 && echo x$((1+1))y"\n' 'see=x2y' 'see=[#$] ' 'press=exit 7\n' -- creel alloc -m 32M -- bash --norc)
is "a shell: Ctrl-C ends a step and not the shell" 7 $?
like "and creel run -it has a terminal" 'x2y' "$text"

on_a_terminal 'see=[#$] ' 'press=kill -TERM $PPID\n' -- creel alloc -n term -m 32M -- bash --norc >/dev/null
is "SIGTERM ends creel alloc and its shell" "129 FINISHED 129" "$? $(value '| "\(.state) \(.exitStatus)"' status "$(named term)")"
on_a_terminal 'see=[#$] ' 'press=kill -HUP $PPID\n' -- creel alloc -n line -m 32M -- bash --norc >/dev/null
is "without its terminal creel alloc ends, and the allocation stays" "129 RUNNING 1" "$? $(state "$(named line)") $(running_containers "$(named line)")"
exits "for creel attach" 0 creel attach "$(named line)" -- creel run -- true

# --- waiting, and ends
for node in $(creel node list -o id); do creel node drain "$node" --reason test >/dev/null; done
on_a_terminal 'until=creel app list --json | jq -e ".items[-1].name == \"waits\" and .items[-1].state == \"RUNNING\""' 'press=\x03' -- creel alloc -n waits >"$T/said"
is "Ctrl-C while it waits for containers" 130 $?
becomes "kills it" 30 state_is "$(named waits)" KILLED
creel alloc -n never --begin now+1h >"$T/said" 2>&1 & client=$!
becomes "an allocation that is not in its queue yet" 30 never_is_submitted
kill -TERM $client
ends "is cancelled by SIGTERM" 143 $client
for node in $(creel node list -o id); do creel node undrain "$node" >/dev/null; done
creel alloc -N 2 -m 32M -n victim -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "another one runs" 30 named_runs victim 2
creel kill "$(named victim)" >/dev/null
ends "creel kill ends creel alloc" 143 $client
becomes "and its containers" 30 running_is "$(named victim)" 0

# --- a restart of the resource manager
creel alloc -N 2 -m 32M -n restart -- sh -c 'while [ ! -e "$T/restarted" ]; do sleep 0.1; done; creel run -N 2 -- echo here' >"$T/after" 2>"$T/said" & client=$!
becomes "an allocation runs" 30 named_runs restart 2
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null
becomes "after kill -9 of the resource manager its containers run" 60 named_runs restart 2
touch "$T/restarted"
ends "and the shell goes on" 0 $client
is "with its containers" "[c00] here [c01] here" "$(sort "$T/after" | paste -sd' ')"
becomes "the result is stored" 30 value_is .finalStatus SUCCEEDED status "$(named restart)"

# --- a killed client
creel alloc -N 2 -m 32M -n lost -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "one more runs" 30 named_runs lost 2
before=$(creel container list --app "$(named lost)" -o id | sort | paste -sd' ')
kill_nine $client
text=$(creel attach "$(named lost)" -- sh -c 'creel run -N 2 -- sh -c "echo \$CREEL_CONTAINER_ID"; exit 3' 2>"$T/said")
is "creel attach takes the allocation of a killed client over" 3 $?
is "with the same containers" "$before" "$(cut -d' ' -f2 <<<"$text" | sort | paste -sd' ')"
is "the result is that of the new command" "FINISHED 3" "$(value '| "\(.state) \(.exitStatus)"' status "$(named lost)")"

# --- a client that still runs
creel alloc -N 1 -m 32M -n taken -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "the last but one runs" 30 named_runs taken 1
exits "creel attach takes it over from a client that runs" 0 creel attach "$(named taken)" -- sh -c 'while kill -0 '$client' 2>/dev/null; do sleep 0.1; done; creel run -- true'
ends "which ends" 125 $client
like "with the reason" 'another process, on .*, has taken the application over' "$(cat "$T/said")"

# --- nobody comes
creel alloc -N 1 -m 32M -n nobody -- sleep 1000 >"$T/said" 2>&1 & client=$!
becomes "the last one runs" 30 named_runs nobody 1
kill_nine $client
becomes "without its client it ends after the expiry of application masters" 60 state_is "$(named nobody)" FAILED
like "with the reason" 'was not heard of' "$(value .diagnostics status "$(named nobody)")"
becomes "and its containers" 30 running_is "$(named nobody)" 0

# --- refusals
id=$(creel submit --id -m 32M -- sleep 1000)
exits "a job has its own application master" 6 creel attach "$id"
exits "an allocation that has ended" 6 creel attach "$(named nobody)"
exits "none" 3 creel attach 4711
exits "which one?" 2 creel attach
exits "--overlap is for its shell" 2 creel run --overlap -- true
exits "too large" 8 creel alloc -m 900g -- true
creel kill "$id" >/dev/null
finish
