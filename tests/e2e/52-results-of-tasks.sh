#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A second attempt of a job of tasks runs only the tasks that had not ended in the first one.
. "$(dirname "$0")/lib.sh"
# The kill delay is ten minutes: tasks that save their work are not killed within this test.
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'S'
<configuration>
  <property><name>yarn.nodemanager.sleep-delay-before-sigkill.ms</name><value>600000</value></property>
</configuration>
S
cluster_up -n 2 --conf "$T/conf"

runs() { cat "$T/out/$1" 2>/dev/null; }
runs_are() { [ "$(runs "$1" | sort | paste -sd' ')" = "$2" ]; }
tasks_are() { [ "$(value '.tasks | "\(.running) \(.succeeded) \(.failed)"' status "$1")" = "$2" ]; }
attempt_is() { [ "$(value .attempt status "$1")" = "$2" ]; }
# The process of the application master of ID, found by the container in its environment.
master_of() {
    local container
    container=$(creel container list --app "$1" --json | jq -r '[.items[] | select(.master and .state == "RUNNING")][0].id')
    grep -lz "^CREEL_CONTAINER_ID=$container\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
        while read -r pid; do tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q '__task-master' && echo "$pid"; done | tail -n 1
}
kill_master() { local pid; pid=$(master_of "$1"); [ -n "$pid" ] && kill -9 "$pid"; }

# Tasks 0 to 2 end at once, task 1 with exit status 7; the others wait for a file.
task='echo "$CREEL_TASK_INDEX" >>"$0"; [ "$CREEL_TASK_INDEX" -lt 3 ] && exit $((CREEL_TASK_INDEX == 1 ? 7 : 0)); while [ ! -e "$0.go" ]; do sleep 0.1; done'
id=$(creel submit --id -N 6 -m 32M -- sh -c "$task" "$T/out/one")
becomes "three tasks of a job end and three wait" 60 tasks_are "$id" "3 2 1"
check "the application master is killed" kill_master "$id"
becomes "the second attempt of the first job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs only the tasks that had not ended" 60 runs_are one "0 1 2 3 3 4 4 5 5"
becomes "the second attempt knows the results of the ended tasks" 60 tasks_are "$id" "3 2 1"
touch "$T/out/one.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "the exit status of the job is that of a task of the first attempt" 7 "$(value .exitStatus status "$id")"
is "a job of tasks that failed is FAILED" "FAILED FAILED" "$(value '| "\(.state) \(.finalStatus)"' status "$id")"
is "creel app list --state FAILED lists a job of tasks that failed" "$id" "$(creel app list --state FAILED -o id)"
is "no task of the first job that had ended ran again" "0 1 2 3 3 4 4 5 5" "$(runs one | sort | paste -sd' ')"
is "the tasks of both attempts are counted" \
    "5 1" "$(value '.tasks | "\(.succeeded) \(.failed)"' status "$id")"
like "the application master logs how many tasks had ended" '3 of 6 tasks ended in an attempt before this one' "$(creel logs "$id" 02_000001 2>&1)"

# The same when the resource manager is killed in between.
id=$(creel submit --id -N 6 -m 32M -- sh -c "$task" "$T/out/two")
becomes "three tasks of a second job end and three wait" 60 tasks_are "$id" "3 2 1"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null
becomes "the tasks of the second job continue after a restart of the resource manager" 60 \
    tasks_are "$id" "3 2 1"
becomes "the application master is killed" 30 kill_master "$id"
becomes "the second attempt of the job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs only the tasks that had not ended" 60 runs_are two "0 1 2 3 3 4 4 5 5"
touch "$T/out/two.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "the exit status of the second job is that of a task of the first attempt" \
    7 "$(value .exitStatus status "$id")"
is "no task of the second job that had ended ran again" \
    "0 1 2 3 3 4 4 5 5" "$(runs two | sort | paste -sd' ')"

# Tasks that save their work when they are stopped: the second attempt runs them when all of them have ended.
cat >"$T/saver" <<S
#!/bin/bash
out=$T/out/saver
save() { while [ ! -e \$out.go ]; do sleep 0.1; done; echo "ends \$CREEL_TASK_INDEX" >>\$out; exit 1; }
trap save TERM
echo "starts \$CREEL_TASK_INDEX" >>\$out
[ ! -e \$out.go ] || exit 0
echo \$CREEL_TASK_INDEX >>\$out.running
while :; do sleep 0.1; done
S
chmod 0755 "$T/saver"
reason_is() { [ "$(value .reasonCode status "$1")" = "$2" ]; }
id=$(creel submit --id -N 3 -m 32M -- "$T/saver")
becomes "three tasks that save their work run" 60 runs_are saver.running "0 1 2"
becomes "the application master of the job is killed" 30 kill_master "$id"
becomes "the second attempt waits for the tasks of the first one" 60 reason_is "$id" EarlierAttempt
like "creel status shows what it waits for" 'attempt 2 waits until 3 containers of earlier attempts have ended' "$(creel status "$id")"
like "creel why shows what it waits for" 'starts again: attempt 2 waits until 3 containers of earlier attempts have ended, the first on node' "$(creel why "$id")"
is "no task starts again while its container saves its work" "starts 0 starts 1 starts 2" "$(runs saver | sort | paste -sd' ')"
touch "$T/out/saver.go"
exits "the job of tasks that save their work ends" 0 creel wait "$id" --timeout 60
is "all tasks ended before one of them started again" "starts starts starts ends ends ends starts starts starts" "$(runs saver | cut -d' ' -f1 | paste -sd' ')"

# An application master of libcreel stores its own state.
id=$(creel submit --id --am -m 64M -- "$BUILD/tests/e2e/notice-master" 3 32 sh -c \
    "echo run >>$T/out/three; mkdir $T/out/w1 2>/dev/null && exit; mkdir $T/out/w2 2>/dev/null && exit; while [ ! -e $T/out/three.go ]; do sleep 0.1; done")
becomes "two of three workers of a libcreel application master end" 60 running_is "$id" 2
becomes "all three workers have run" 30 runs_are three "run run run"
pid=$(pgrep -f "notice-master 3 32 sh -c echo run >>$T/out/three" | head -n 1)
check "the libcreel application master is killed" kill -9 "$pid"
becomes "the second attempt of the job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs one worker" 60 runs_are three "run run run run"
touch "$T/out/three.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "no worker that had ended ran again" "run run run run" "$(runs three | paste -sd' ')"
like "the application master reads its stored state" 'continues after 2' "$(creel logs "$id" 02_000001 2>&1)"
finish
