# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - functions of the end-to-end tests: TAP, a local cluster, deadlines
#
# A test sources this file, calls cluster_up, then check, is, ..., and ends with finish. BUILD is the build
# folder. All files of a test are below $T, and its cluster is in $T/dev; both are removed at exit, also after a
# failure or a signal.
set -u
: "${BUILD:?BUILD must name the build folder}"
BUILD=$(cd "$BUILD" && pwd)
export PATH="$BUILD:$PATH"
export NO_COLOR=1
unset CREEL_CONF_DIR YARN_CONF_DIR HADOOP_CONF_DIR CREEL_RM CREEL_APP_ID
T=$(mktemp -d /tmp/creel-e2e.XXXXXX)
chmod 0755 "$T"
mkdir -m 0777 "$T/out"
exec </dev/null         # creel run forwards standard input: a test that needs input redirects it
tests=0
failures=0

cleanup() {
    trap - EXIT INT TERM HUP
    if [ -d "$T/dev" ]; then
        if [ "$failures" -gt 0 ]; then
            for log in "$T"/dev/*/log "$T"/dev/*.log "$T"/dev/log/*; do
                [ -f "$log" ] && { echo "# --- $log"; tail -n 25 "$log" | sed 's/^/#   /'; }
            done
        fi
        creel dev down --dir "$T/dev" >"$T/down.log" 2>&1 || { echo "# dev down failed:"; sed 's/^/# /' "$T/down.log"; }
    fi
    rm -rf "$T"
}
trap cleanup EXIT
trap 'exit 129' HUP INT TERM

pass() { tests=$((tests + 1)); echo "ok $tests - $1"; }
fail() {
    tests=$((tests + 1)); failures=$((failures + 1))
    echo "not ok $tests - $1"
    [ $# -gt 1 ] && printf '%s\n' "$2" | head -40 | sed 's/^/# /'
    return 0
}

# check NAME COMMAND...: passes if the command succeeds.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "status $? of: $*
$output"; fi
}
# is NAME EXPECTED GOT: passes if both texts are equal.
is() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2
got:      $3"; fi; }
# like NAME REGEX TEXT: passes if TEXT matches.
like() { if grep -qE -- "$2" <<<"$3"; then pass "$1"; else fail "$1" "no match of: $2
in: $3"; fi; }
# unlike NAME REGEX TEXT: passes if TEXT does not match and is not empty: no text, as that of a page that is not there, proves nothing.
unlike() { if [ -n "$3" ] && ! grep -qE -- "$2" <<<"$3"; then pass "$1"; else fail "$1" "a match of: $2
in: $3"; fi; }
# exits NAME STATUS COMMAND...: passes if the command exits with STATUS; its output is in $OUTPUT.
exits() {
    local name=$1 want=$2 got=0
    shift 2
    OUTPUT=$("$@" 2>&1) || got=$?
    if [ "$got" = "$want" ]; then pass "$name"; else fail "$name" "expected status $want, got $got of: $*
$OUTPUT"; fi
}
# wait_until SECONDS COMMAND...: repeats the command until it succeeds; false after SECONDS.
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || return 1
        read -rt 0.05 <> <(:) || true
    done
}
# size SMALL FULL: prints how much a test does of something: SMALL, or FULL with E2E_FULL=1 (scripts/test --all).
size() { if [ "${E2E_FULL:-0}" = 1 ]; then echo "$2"; else echo "$1"; fi; }
# Prints a large random number. As an argument of sleep it identifies the processes of one test.
unlike_others() { echo $((400000000 + RANDOM * 10000 + RANDOM % 10000)); }
# gone PID: true if all threads of the process have ended, even if its parent has not waited for it yet. (A lock that it
# has is released by the last one.)
gone() { ! grep -qs '^State:.[^ZX]' "/proc/$1/task"/*/status; }
# kill_nine PID...: kills with SIGKILL and waits for the end, since creel dev up starts only daemons that have ended.
kill_nine() { local pid; kill -9 "$@"; for pid; do wait_until 20 gone "$pid"; done; }
# becomes NAME SECONDS COMMAND...: passes if the command succeeds within SECONDS.
becomes() {
    local name=$1 seconds=$2
    shift 2
    if wait_until "$seconds" "$@"; then pass "$name"; else fail "$name" "not within ${seconds}s: $*
$("$@" 2>&1)"; fi
}

# ends NAME STATUS PID [FILE...]: passes if the background process PID exits with STATUS within a minute; else prints
# the FILEs.
ends() {
    local name=$1 want=$2 pid=$3 got=0
    shift 3
    wait_until 60 gone "$pid" || kill "$pid"
    wait "$pid" || got=$?
    if [ "$got" = "$want" ]; then pass "$name"; else fail "$name" "expected status $want, got $got
$(cat /dev/null "$@")"; fi
}

# cluster_up [-n AGENTS] [--conf DIR]: starts the cluster, or ends the test.
cluster_up() {
    if ! creel dev up --dir "$T/dev" "$@" >"$T/up.log" 2>&1; then
        fail "the cluster comes up" "$(cat "$T/up.log")"
        finish
    fi
    eval "$(creel dev env --dir "$T/dev")"
    cgroup=$(sed -n 's|.*<value>/\(creel-dev-[0-9a-f]*\)-1</value>.*|\1|p' "$T/dev/agent-1/conf/creel-site.xml")
}

# state ID: prints the state of the application: RUNNING, FINISHED, ...
state() { creel status "$1" --json | jq -r '.items[0].state // .state'; }
state_is() { [ "$(state "$1")" = "$2" ]; }
running_containers() { creel container list --app "$1" --json | jq '[.items[] | select(.state == "RUNNING")] | length'; }
running_is() { [ "$(running_containers "$1")" = "$2" ]; }
running_at_least() { [ "$(running_containers "$1")" -ge "$2" ]; }
# value FIELD ARGUMENT...: prints .FIELD of the first item of "creel ARGUMENT... --json".
value() { local field=$1; shift; creel "$@" --json | jq -r ".items[0]$field"; }
# value_is FIELD EXPECTED ARGUMENT...: true if that value is EXPECTED.
value_is() { local field=$1 expected=$2; shift 2; [ "$(value "$field" "$@")" = "$expected" ]; }
# count ARGUMENT...: prints the number of items of "creel ARGUMENT... --json".
count() { creel "$@" --json | jq '.items | length'; }
count_is() { local expected=$1; shift; [ "$(count "$@")" = "$expected" ]; }
first_container() { value .id container list --app "$1"; }
queue_of() { value .queue status "$1"; }
reason_of() { value '.reasons[0].code' why "$1"; }
# pid_of ROLE INDEX: prints the pid of a daemon of the cluster, from creel dev status.
pid_of() { creel dev status --dir "$T/dev" --json | jq -r --arg r "$1" --argjson i "${2:-0}" '[.items[] | select(.role == $r)][$i].pid'; }
nodes_running() { creel node list --json | jq '[.items[] | select(.state == "RUNNING")] | length'; }
nodes_running_is() { [ "$(nodes_running)" = "$1" ]; }

# Print what a cluster in $T/dev must not leave behind: its control groups, its processes.
cgroups_of_cluster() { find /sys/fs/cgroup -type d -path "*/${cgroup:?}-*" 2>/dev/null; }
processes_of_cluster() { pgrep -af -- "$T/dev" | grep -v "pgrep\|bash" || true; }

finish() {
    local reports
    reports=$(grep -hE 'runtime error|ERROR: [A-Za-z]*Sanitizer' "$T"/dev/*/log 2>/dev/null) && fail "no sanitizer reports an error" "$reports"
    echo "1..$tests"
    [ "$failures" = 0 ]
    exit
}
