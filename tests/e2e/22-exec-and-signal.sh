#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Running containers: signals to them, commands and terminals inside them, and access rights.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cluster_up -n 1
on_a_terminal() { timeout 120 "$(dirname "$0")/on-a-terminal.py" "$@"; }
enter() { timeout 60 creel container exec "$@"; }
stdout_of() { creel logs "$1" --stdout 2>/dev/null; }
has_said() { stdout_of "$1" | grep -qx "$2"; }
# processes with this word in their command line
named() { pgrep -f -- "$1" | while read -r pid; do tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q 'creel container exec\|pgrep' || echo "$pid"; done; }
none_named() { [ -z "$(named "$1")" ]; }
some_named() { [ -n "$(named "$1")" ]; }
word=$(unlike_others)

# shellcheck disable=SC2016 # for the job's shell
id=$(creel submit --id --scratch -m 128M -e COLOUR=blue -- bash -c 'trap "echo usr1" USR1; trap "echo winch" WINCH; trap "" HUP
    (trap "echo child usr1" USR1; exec 3<>/dev/null; while :; do read -rt 0.05 <> <(:); done) &
    setsid bash -c "trap \"echo far usr1\" USR1; while :; do read -rt 0.05 <> <(:); done" &
    echo up; while :; do read -rt 0.05 <> <(:); done')
becomes "a container runs" 60 has_said "$id" up
c=$(first_container "$id")

# --- signals ---
exits "it is sent a signal by name" 0 creel container signal "$c" usr1
becomes "which its command hears" 20 has_said "$id" usr1
becomes "and the rest of its process group" 20 has_said "$id" "child usr1"
is "and nobody else of the container" 0 "$(stdout_of "$id" | grep -c 'far usr1')"
exits "by number, to the command alone" 0 creel container signal --main "$c" 28
becomes "that hears it" 20 has_said "$id" winch
exits "to every process" 0 creel container signal "$c" SIGUSR1 --all
becomes "that of another session, too" 20 has_said "$id" "far usr1"
exits "an unknown signal is refused" 2 creel container signal "$c" NOTHING
like "with what would be one" "NOTHING is no signal: expected a name, as TERM" "$OUTPUT"
exits "nor is 65 one" 2 creel container signal "$c" 65
exits "a container that was never there is not found" 3 creel container signal "${c%1}9" TERM

# --- plain commands ---
exits "a command in it ends with its own status" 7 enter "$c" -- sh -c 'exit 7'
exits "128 and the signal that killed it" 137 enter "$c" -- sh -c 'kill -9 $$'
exits "127 if there is no such command" 127 enter "$c" -- no-such-command
like "this is reported" "command not found: .no-such-command" "$OUTPUT"
exits "126 if it is none" 126 enter "$c" -- /etc
is "its output and errors are two things" "out:err" "$(enter "$c" -- sh -c 'echo out; echo err >&2' 2>"$T/err"):$(cat "$T/err")"
is "it has the container's environment" blue "$(enter "$c" -- sh -c 'echo $COLOUR')"
is "its id" "$c" "$(enter "$c" -- sh -c 'echo $CONTAINER_ID')"
like "its directory" "appcache/.*/$c\$" "$(enter "$c" -- pwd)"
is "its control groups" "$(enter "$c" -- grep -c "$c" /proc/self/cgroup)" "$(grep -c "$c" "/proc/$(named 'trap .echo usr1' | head -1)/cgroup")"
is "no input, unless it is asked for" 0 "$(echo something | enter "$c" -- wc -c)"
is "else what is piped in" 10 "$(echo something | enter -i "$c" -- wc -c)"
is "the id may be cut short, and -- left out" here "$(enter "${c#container_*_}" echo here)"

# --- much input and output ---
head -c 30000000 /dev/urandom >"$T/noise"
sum=$(sha1sum <"$T/noise")
is "30 MB out of it, nothing lost" "$sum" "$(enter "$c" -- cat "$T/noise" | sha1sum)"
is "30 MB into it" "$sum" "$(enter -i "$c" -- sha1sum <"$T/noise")"
is "both ways at once" "$sum" "$(enter -i "$c" -- cat <"$T/noise" | sha1sum)"
exits "who reads no further ends it" 141 bash -o pipefail -c "creel container exec $c -- cat /dev/zero | head -c 100000 >$T/head"
is "having had what he wanted" 100000 "$(stat -c %s "$T/head")"
enter "$c" -- sh -c 'head -c 3000000 /dev/zero; sleep 1; head -c 1000000 /dev/zero' | (read -rt 2 <> <(:); wc -c >"$T/slow")
is "a slow reader gets everything, too" 4000000 "$(cat "$T/slow")"
for i in $(seq 12); do enter "$c" -- sh -c "head -c 1000000 /dev/zero | tr '\\0' $((i % 10))" >"$T/many.$i" & pids[i]=$!; done
wait "${pids[@]}"
is "twelve at once do not mix" 12 "$(for i in $(seq 12); do tr -d "$((i % 10))" <"$T/many.$i" | wc -c; stat -c %s "$T/many.$i"; done | sort | uniq -c | grep -c '12 \(0\|1000000\)$' | sed 's/2/12/')"

# --- terminals ---
exits "on a terminal it is one" 0 enter -t "$c" -- test -t 0 -a -t 1 -a -t 2
exits "without, it is none" 1 enter "$c" -- test -t 1
exits "what is piped in needs none" 2 sh -c "echo | creel container exec -it $c -- cat"
like "this is reported" "standard input is no terminal" "$OUTPUT"
# shellcheck disable=SC2016 # typed there
text=$(on_a_terminal 'see=\$ ' 'press=echo x$((1+1))y\n' 'see=x2y' 'see=\$ ' "press=sleep $word\\n" \
    "until=pgrep -fx 'sleep $word'" 'press=\x03' 'see=\$ ' 'press=echo $?\n' 'see=130' 'press=stty size\n' 'see=24 80' \
    "until=stty -F \$(cat $T/tty) rows 33 cols 111" \
    'press=until [ "$(stty size)" = "33 111" ]; do :; done; echo turn$((1+1))ed\n' 'see=turn2ed' 'press=exit 5\n' \
    -- sh -c "tty >$T/tty; stty rows 24 cols 80; creel container exec -it $c -- env 'PS1=\$ ' bash --norc" 2>&1)
status=$?
is "a shell on a terminal: Ctrl-C, a change of size, and its exit status" 5 $status
[ $status -eq 5 ] || printf '%s\n' "$text" | sed 's/^/# /'
# The agent is stopped with SIGSTOP while it handles a new size, and the size changes again meanwhile.
client_pid="pgrep -fn '^creel container exec -it $c'"
# shellcheck disable=SC2016 # typed there
text=$(on_a_terminal 'see=\$ ' "until=kill -STOP $(pid_of agent)" "until=stty -F \$(cat $T/tty) rows 30" \
    "until=grep -q '^ShdPnd:.*0000000000000000$' /proc/\$($client_pid)/status" \
    "until=stty -F \$(cat $T/tty) cols 99" \
    "until=grep -q '^ShdPnd:.*0000000000000000$' /proc/\$($client_pid)/status" "until=kill -CONT $(pid_of agent)" \
    'press=until [ "$(stty size)" = "30 99" ]; do :; done; exit 5\n' \
    -- sh -c "tty >$T/tty; stty rows 24 cols 80; creel container exec -it $c -- env 'PS1=\$ ' bash --norc" 2>&1)
status=$?
kill -CONT "$(pid_of agent)"
is "two changes of size, one after another: the last one counts" 5 $status
[ $status -eq 5 ] || printf '%s\n' "$text" | sed 's/^/# /'
like "it has the variable TERM" "^TERM=vt220" "$(TERM=vt220 enter -t "$c" -- env | tr -d '\r')"

# --- ends ---
word=$((word + 1))
timeout 100 creel container exec "$c" -- sh -c "trap '' HUP TERM; (setsid sh -c 'trap \"\" HUP TERM INT; sleep $word; sleep $word' &) ; sleep $word; sleep $word" >/dev/null 2>&1 &
becomes "a command runs in it" 20 some_named "sleep $word"
client=$(pgrep -fn "^creel container exec.*sleep $word")
kill -9 "$client"
becomes "its client is killed: it ends, and all that it began, whatever it ignores" 30 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sh -c "trap 'echo interrupted; exit 3' INT; echo begun; sleep $word" >"$T/int" 2>&1 &
client=$!
becomes "another one" 20 grep -qx begun "$T/int"
kill -INT "$client"
becomes "an interrupt goes to the command" 20 grep -qx interrupted "$T/int"
ends "which decides what comes of it" 3 "$client" "$T/int"
becomes "nothing of it is left" 20 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sleep "$word" >"$T/term" 2>&1 &
client=$!
becomes "a third one" 20 some_named "sleep $word"
kill -TERM "$client"
ends "ended by TERM" 130 "$client" "$T/term"
becomes "the command ends at once" 5 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sh -c "echo begun; sleep $word" >"$T/restart" 2>&1 &
client=$!
becomes "a fourth one" 20 grep -qx begun "$T/restart"
agent=$(pid_of agent)
kill_nine "$agent"
becomes "the agent is killed: the command ends" 20 none_named "sleep $word"
check "the agent is started again" creel dev up --dir "$T/dev" -n 1
ends "creel reports that the container was lost" 125 "$client" "$T/restart"
like "and why" "was restarted, and the command ended with it" "$(cat "$T/restart")"
becomes "the container goes on" 20 sh -c "creel container exec $c -- true"

# --- access rights ---
# (the command ignores SIGTERM: otherwise the container could end before all other processes received the signal)
job2=$(creel submit --id -m 64M -- sh -c 'trap "" TERM; exec sleep 1000')
becomes "another container runs" 60 state_is "$job2" RUNNING
creel keygen user --dir "$T/dev/keys" nobody >/dev/null 2>&1
mkdir -p "$T/nobody" && cp "$T/dev/keys/users/nobody"* "$T/nobody/" 2>/dev/null
c2=$(first_container "$job2")
if creel --as nobody cluster info >/dev/null 2>&1; then
    exits "a stranger may not signal it" 4 creel --as nobody container signal "$c2" TERM
    exits "nor enter it" 4 creel --as nobody container exec "$c2" -- true
    like "and hears whose it is" "belongs to .*may not signal or enter" "$OUTPUT"
fi
timeout 100 creel container exec "$c2" -- sh -c 'echo begun; exec sleep 1000' >"$T/gone" 2>&1 &
client=$!
becomes "somebody is in it" 20 grep -qx begun "$T/gone"
exits "it is killed" 0 creel kill "$job2"
ends "who is in it ends with it" 143 "$client" "$T/gone"
becomes "it is over" 20 state_is "$job2" KILLED
becomes "its container, too" 20 sh -c "creel container list --app $job2 --json | jq -e '[.items[] | select(.state != \"COMPLETE\")] | length == 0'"
exits "what is over cannot be entered" 6 creel container exec "$c2" -- true
exits "nor signalled" 6 creel container signal "$c2" TERM
exits "a signal that ends it" 0 creel container signal "$c" KILL
becomes "ends it" 20 state_is "$id" FAILED
is "with that as its status" 137 "$(creel status "$id" --json | jq .items[0].exitStatus)"

becomes "no shim is left" 20 sh -c "! pgrep -f 'creel-(shim|exec) .*$T' ; ! pgrep -P $(pid_of agent) creel-shim"
becomes "no control group is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
