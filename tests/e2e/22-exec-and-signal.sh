#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Running containers: signals to them, commands and terminals inside them, and access rights.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.sleep-delay-before-sigkill.ms</name><value>2000</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
on_a_terminal() { timeout 120 "$(dirname "$0")/on-a-terminal.py" "$@"; }
enter() { timeout 60 creel container exec "$@"; }
stdout_of() { creel logs "$1" --stdout 2>/dev/null; }
has_said() { stdout_of "$1" | grep -qx "$2"; }
said_times() { [ "$(stdout_of "$1" | grep -cx "$2")" = "$3" ]; }
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
exits "creel container signal accepts the name of a signal" 0 creel container signal "$c" usr1
becomes "the command receives the signal" 20 has_said "$id" usr1
becomes "the process group of the command receives the signal" 20 has_said "$id" "child usr1"
is "a process of another session does not receive the signal" 0 "$(stdout_of "$id" | grep -c 'far usr1')"
exits "creel container signal --main accepts the number of a signal" 0 creel container signal --main "$c" 28
becomes "the command receives the signal of --main" 20 has_said "$id" winch
exits "creel container signal --all exits with 0" 0 creel container signal "$c" SIGUSR1 --all
becomes "a process of another session receives the signal of --all" 20 has_said "$id" "far usr1"
exits "creel container signal --others exits with 0" 0 creel container signal "$c" USR1 --others
becomes "a child receives the signal of --others" 20 said_times "$id" "child usr1" 3
is "the command does not" 2 "$(stdout_of "$id" | grep -c '^usr1$')"
exits "one scope of a signal" 2 creel container signal "$c" USR1 --others --all
exits "an unknown signal is refused" 2 creel container signal "$c" NOTHING
like "the error for an unknown signal has an example of a signal" \
    "NOTHING is no signal: expected a name, as TERM" "$OUTPUT"
exits "signal 65 is refused" 2 creel container signal "$c" 65
exits "creel container signal of an unknown container exits with 3" 3 creel container signal "${c%1}9" TERM

# --- plain commands ---
exits "creel container exec exits with the exit status of the command" 7 enter "$c" -- sh -c 'exit 7'
exits "creel container exec exits with 137 for a command killed by SIGKILL" 137 \
    enter "$c" -- sh -c 'kill -9 $$'
exits "creel container exec exits with 127 for a command that does not exist" 127 \
    enter "$c" -- no-such-command
like "the error of creel container exec names the command that does not exist" \
    "command not found: .no-such-command" "$OUTPUT"
exits "creel container exec exits with 126 for a directory" 126 enter "$c" -- /etc
is "creel container exec separates standard output and standard error" "out:err" "$(enter "$c" -- sh -c 'echo out; echo err >&2' 2>"$T/err"):$(cat "$T/err")"
is "arguments of creel container exec may have any bytes" "61 ff 62 c3 a9" "$(enter "$c" -- printf %s $'a\xffb\xc3\xa9' | od -An -tx1 | xargs)"
is "an argument may have as many bytes as Linux allows" 131071 "$(enter "$c" -- sh -c 'printf %s ${#1}' sh "$(head -c 131071 /dev/zero | tr '\0' a)")"
exits "one that is longer in the message, with escapes, is refused" 1 enter "$c" -- true "$(head -c 40000 /dev/zero | tr '\0' '\351')"
like "the error has its number, the limit and a remedy" 'argument 1 \(the command is argument 0\) has 160000 bytes, at most 131071 are allowed: put it into a file' "$OUTPUT"
exits "creel container signal --steps is no error if nothing gets it" 0 creel container signal "$c" WINCH --steps
is "the command has the environment of the container" blue "$(enter "$c" -- sh -c 'echo $COLOUR')"
is "the command has the id of the container in CONTAINER_ID" \
    "$c" "$(enter "$c" -- sh -c 'echo $CONTAINER_ID')"
like "the command runs in the working directory of the container" "appcache/.*/$c\$" "$(enter "$c" -- pwd)"
is "the command runs in the control groups of the container" "$(enter "$c" -- grep -c "$c" /proc/self/cgroup)" "$(grep -c "$c" "/proc/$(named 'trap .echo usr1' | head -1)/cgroup")"
is "without -i the command gets no standard input" 0 "$(echo something | enter "$c" -- wc -c)"
is "with -i the command gets standard input" 10 "$(echo something | enter -i "$c" -- wc -c)"
is "the last part of a container id is accepted, and -- may be omitted" \
    here "$(enter "${c#container_*_}" echo here)"

# --- much input and output ---
head -c 30000000 /dev/urandom >"$T/noise"
sum=$(sha1sum <"$T/noise")
is "30 MB of output arrive complete" "$sum" "$(enter "$c" -- cat "$T/noise" | sha1sum)"
is "30 MB of input arrive complete" "$sum" "$(enter -i "$c" -- sha1sum <"$T/noise")"
is "30 MB of input and output at the same time arrive complete" \
    "$sum" "$(enter -i "$c" -- cat <"$T/noise" | sha1sum)"
exits "creel container exec exits with 141 when the reader of its output ends" 141 bash -o pipefail -c "creel container exec $c -- cat /dev/zero | head -c 100000 >$T/head"
is "a reader that ends early has received all bytes that it read" 100000 "$(stat -c %s "$T/head")"
enter "$c" -- sh -c 'head -c 3000000 /dev/zero; sleep 1; head -c 1000000 /dev/zero' | (read -rt 2 <> <(:); wc -c >"$T/slow")
is "a slow reader of creel container exec receives all output" 4000000 "$(cat "$T/slow")"
for i in $(seq 12); do enter "$c" -- sh -c "head -c 1000000 /dev/zero | tr '\\0' $((i % 10))" >"$T/many.$i" & pids[i]=$!; done
wait "${pids[@]}"
is "the output of twelve commands at the same time is not mixed" 12 "$(for i in $(seq 12); do tr -d "$((i % 10))" <"$T/many.$i" | wc -c; stat -c %s "$T/many.$i"; done | sort | uniq -c | grep -c '12 \(0\|1000000\)$' | sed 's/2/12/')"

# --- terminals ---
exits "with -t the command has a terminal" 0 enter -t "$c" -- test -t 0 -a -t 1 -a -t 2
exits "without -t the command has no terminal" 1 enter "$c" -- test -t 1
exits "-it with standard input from a pipe is a usage error" 2 \
    sh -c "echo | creel container exec -it $c -- cat"
like "the error of creel container exec -it reports that standard input is no terminal" \
    "standard input is no terminal" "$OUTPUT"
# shellcheck disable=SC2016 # typed there
text=$(on_a_terminal 'see=\$ ' 'press=echo x$((1+1))y\n' 'see=x2y' 'see=\$ ' "press=sleep $word\\n" \
    "until=pgrep -fx 'sleep $word'" 'press=\x03' 'see=\$ ' 'press=echo $?\n' 'see=130' 'press=stty size\n' 'see=24 80' \
    "until=stty -F \$(cat $T/tty) rows 33 cols 111" \
    'press=until [ "$(stty size)" = "33 111" ]; do :; done; echo turn$((1+1))ed\n' 'see=turn2ed' 'press=exit 5\n' \
    -- sh -c "tty >$T/tty; stty rows 24 cols 80; creel container exec -it $c -- env 'PS1=\$ ' bash --norc" 2>&1)
status=$?
is "a shell on a terminal gets Ctrl-C and a new size; its exit status is returned" 5 $status
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
is "after two changes of the terminal size the command has the last one" 5 $status
[ $status -eq 5 ] || printf '%s\n' "$text" | sed 's/^/# /'
like "with -t the command has the variable TERM" \
    "^TERM=vt220" "$(TERM=vt220 enter -t "$c" -- env | tr -d '\r')"

# --- the share of a user ---
word=$((word + 1))
for i in $(seq 32); do timeout 120 creel container exec "$c" -- sh -c "echo begun; exec sleep $word" >"$T/held.$i" 2>&1 & pids[i]=$!; done
all_begun() { [ "$(cat "$T"/held.* | grep -cx begun)" = 32 ]; }
becomes "32 commands of a user run in containers of the node" 60 all_begun
exits "a further command of this user is refused" 1 timeout 60 creel container exec "$c" -- true
like "the error names the user and the limit" "user root runs 32 commands inside containers of this node, the most for one user: end one of them, or try again when one has ended" "$OUTPUT"
exits "a job of another user gets its input" 0 sh -c "echo data | timeout 60 creel --as nobody run -m 32M -- cat"
echo data | timeout 100 creel run -m 32M -- cat >"$T/input" 2>&1 &
job_with_input=$!
becomes "creel run of the same user names the reason why its input waits" 30 \
    grep -q 'standard input waits: .*user root runs 32 commands inside containers of this node' "$T/input"
kill "${pids[@]}"
becomes "the input arrives when commands of the user have ended" 60 grep -qx data "$T/input"
ends "that job succeeds" 0 "$job_with_input" "$T/input"
becomes "the commands have ended" 20 none_named "sleep $word"

# --- ends ---
word=$((word + 1))
timeout 100 creel container exec "$c" -- sh -c "trap '' HUP TERM; (setsid sh -c 'trap \"\" HUP TERM INT; sleep $word; sleep $word' &) ; sleep $word; sleep $word" >/dev/null 2>&1 &
becomes "a command that ignores SIGHUP and SIGTERM runs in the container" 20 some_named "sleep $word"
client=$(pgrep -fn "^creel container exec.*sleep $word")
kill -9 "$client"
becomes "all processes of a command end when its client is killed" 30 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sh -c "trap 'echo interrupted; exit 3' INT; echo begun; sleep $word" >"$T/int" 2>&1 &
client=$!
becomes "a command that handles SIGINT runs in the container" 20 grep -qx begun "$T/int"
kill -INT "$client"
becomes "SIGINT to the client is sent to the command" 20 grep -qx interrupted "$T/int"
ends "the client exits with the exit status of the command that got SIGINT" 3 "$client" "$T/int"
becomes "no process of the command that got SIGINT is left" 20 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sleep "$word" >"$T/term" 2>&1 &
client=$!
becomes "a command for SIGTERM runs in the container" 20 some_named "sleep $word"
kill -TERM "$client"
ends "the client exits with 130 on SIGTERM" 130 "$client" "$T/term"
becomes "the command ends when its client gets SIGTERM" 5 none_named "sleep $word"
word=$((word + 1))
creel container exec "$c" -- sh -c "echo begun; sleep $word" >"$T/restart" 2>&1 &
client=$!
becomes "a command for the restart of the agent runs in the container" 20 grep -qx begun "$T/restart"
agent=$(pid_of agent)
kill_nine "$agent"
becomes "the command ends when the agent is killed" 20 none_named "sleep $word"
check "the agent starts again" creel dev up --dir "$T/dev" -n 1
ends "the client exits with 125 when the agent was killed" 125 "$client" "$T/restart"
like "the client names the restart of the agent" \
    "was restarted, and the command ended with it" "$(cat "$T/restart")"
becomes "the container runs after the restart of the agent" 20 sh -c "creel container exec $c -- true"

# --- access rights ---
# (the command ignores SIGTERM: otherwise the container could end before all other processes received the signal)
job2=$(creel submit --id -m 64M -- sh -c 'trap "" TERM; exec sleep 1000')
becomes "a second job runs" 60 state_is "$job2" RUNNING
creel keygen user --dir "$T/dev/keys" nobody >/dev/null 2>&1
mkdir -p "$T/nobody" && cp "$T/dev/keys/users/nobody"* "$T/nobody/" 2>/dev/null
c2=$(first_container "$job2")
if creel --as nobody cluster info >/dev/null 2>&1; then
    exits "another user may not send a signal to a container" 4 creel --as nobody container signal "$c2" TERM
    exits "another user may not run a command in a container" 4 creel --as nobody container exec "$c2" -- true
    like "the error for another user names the owner of the container" \
        "belongs to .*may not signal or enter" "$OUTPUT"
fi
timeout 100 creel container exec "$c2" -- sh -c 'echo begun; exec sleep 1000' >"$T/gone" 2>&1 &
client=$!
becomes "a command runs in the container of the second job" 20 grep -qx begun "$T/gone"
exits "creel kill accepts the second job" 0 creel kill "$job2"
ends "the client exits with 143 when the container is killed" 143 "$client" "$T/gone"
becomes "the second job is KILLED" 20 state_is "$job2" KILLED
becomes "all containers of the second job are COMPLETE" 20 sh -c "creel container list --app $job2 --json | jq -e '[.items[] | select(.state != \"COMPLETE\")] | length == 0'"
exits "creel container exec in an ended container is refused" 6 creel container exec "$c2" -- true
exits "creel container signal to an ended container is refused" 6 creel container signal "$c2" TERM
exits "creel container signal accepts KILL" 0 creel container signal "$c" KILL
becomes "the job whose container got SIGKILL is FAILED" 20 state_is "$id" FAILED
is "the exit status of that job is 137" 137 "$(creel status "$id" --json | jq .items[0].exitStatus)"

tab=$(printf '\t')
like "a signal is an audit line of the agent" "audit USER=root${tab}IP=127.0.0.1${tab}OPERATION=Signal Container Request${tab}TARGET=$c${tab}RESULT=SUCCESS${tab}APPID=$id" "$(cat "$T"/dev/agent-*/log)"
like "a command in a container is an audit line of the agent" "audit USER=root${tab}IP=127.0.0.1${tab}OPERATION=Run Command Request${tab}TARGET=$c2${tab}RESULT=SUCCESS${tab}APPID=$job2" "$(cat "$T"/dev/agent-*/log)"

becomes "no creel-shim is left" 20 sh -c "! pgrep -f 'creel-(shim|exec) .*$T' && ! pgrep -P $(pid_of agent) creel-shim"
becomes "no control group of a container is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
