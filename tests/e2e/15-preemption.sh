#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Preemption of borrowed resources: containers get a notice, save their state or are killed, and run again.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
interval_ms=1000
wait_ms=3000

property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
# queues LAZY: writes the queues a and b, with half of the cluster each.
queues() {
    {
        echo '<configuration>'
        property yarn.scheduler.capacity.root.queues a,b
        property yarn.scheduler.capacity.maximum-am-resource-percent 0.5
        property yarn.scheduler.capacity.lazy-preemption-enabled "$1"
        for queue in a b; do
            property "yarn.scheduler.capacity.root.$queue.capacity" 50
            property "yarn.scheduler.capacity.root.$queue.user-limit-factor" 10
        done
        echo '</configuration>'
    } >"$T/conf/capacity-scheduler.xml"
}
# site OBSERVE-ONLY: writes a configuration with two nodes for 8 containers each.
site() {
    {
        echo '<configuration>'
        property yarn.resourcemanager.scheduler.class org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler
        property yarn.nodemanager.resource.memory-mb 512
        property yarn.scheduler.maximum-allocation-mb 512
        property yarn.nodemanager.resource.cpu-vcores 64
        property yarn.resourcemanager.scheduler.monitor.enable true
        property yarn.resourcemanager.monitor.capacity.preemption.observe_only "$1"
        property yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval $interval_ms
        property yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill $wait_ms
        property yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round 1.0
        property yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor 1.0
        echo '</configuration>'
    } >"$T/conf/yarn-site.xml"
}
here=$(cd "$(dirname "$0")" && pwd)
queues false
site true
cluster_up -n 2 --conf "$T/conf"

ended() { creel container list --app "$1" --json | jq -c "[.items[] | select($2)]"; }
preempted='.exitStatus == -102'
guarantee_is_used() { [ "$(creel queue show "$1" --json | jq '.items[0].usedCapacity >= 0.99')" = true ]; }
notices() { find "$T/dev" -name preempt.json; }
saved_notices() { cat "$T"/out/notice.* "$T"/out/seen.* | jq -s "$1"; }
all_run() { for id in "$@"; do state_is "$id" RUNNING || return 1; done; }

# Tasks with odd numbers save their state when they get notice, the others ignore it.
cat >"$T/task" <<S
#!/bin/bash
out=$T/out
index=\$CREEL_TASK_INDEX
[ -e \$out/saved.\$index ] && cp \$out/saved.\$index \$out/found.\$index
save() {
    cp "\$CREEL_PREEMPT_FILE" \$out/notice.\$index
    echo "\$CONTAINER_ID got this far" >\$out/saved.\$index
    exit \$((index % 4 == 1 ? 0 : 9))
}
if [ \$((index % 2)) = 1 ]; then trap save USR1; else trap '' USR1 TERM; fi
echo "\$CONTAINER_ID" >>\$out/ran.\$index
while [ ! -e \$out/a ]; do
    [ -e "\$CREEL_PREEMPT_FILE" ] && [ ! -e \$out/seen.\$index ] && cp "\$CREEL_PREEMPT_FILE" \$out/new.\$index &&
        mv \$out/new.\$index \$out/seen.\$index
    read -rt 0.1 <> <(:)
done
exit 0
S
a=$(creel submit --id -q a -N 15 -m 64M --preempt-signal USR1 -- "$T/task")
becomes "a job of queue a uses the whole cluster" 60 running_is "$a" 16
becomes "all 15 tasks of the job have started" 60 sh -c "[ \$(ls $T/out/ran.* | wc -l) = 15 ]"
b=()
for _ in 1 2 3 4 5 6 7 8; do
    b+=("$(creel submit --id -q b -m 64M -- sh -c "while [ ! -e $T/out/b ]; do sleep 0.1; done")")
done

# A lifetime is measured by the resource manager's clock: at its end three rounds of preemption have passed.
witness=$(creel submit --id -q b -m 64M --lifetime 4s -- true)
becomes "a job is KILLED at its lifetime of 4 s, which lasts three rounds of preemption" 60 \
    state_is "$witness" KILLED
is "with observe_only no container gets a preemption notice" "" "$(notices)"
is "with observe_only no container is preempted" '[]' "$(ended "$a" "$preempted")"
is "with observe_only the queue with pending jobs gets no memory" \
    0 "$(creel queue show b --json | jq .items[0].used.memoryMb)"
is "the pending job waits with reason ClusterFull" ClusterFull "$(reason_of "${b[0]}")"

is "... and creel why names no containers that make room" "" "$(creel why "${b[0]}" | grep MakingRoom)"

site false
exits "a refresh switches observe_only off" 0 creel admin refresh queues
mkdir "$T/json"
room_is_made() {
    creel why "$1" >"$T/why" && creel why "$1" --json >"$T/json/why.json" && creel why "$1" -o jsonl >"$T/json/why.jsonl" &&
        grep -q MakingRoom "$T/why" && grep -q MakingRoom "$T/json/why.json"
}
becomes "creel why of a pending job names the containers that are preempted for its queue" 30 room_is_made "${b[7]}"
is "its JSON has the queue that gets the room, and those that have the containers" true \
    "$(jq '.items[0].reasons[] | select(.code == "MakingRoom") | .queue == "root.b" and .containersOf == [{ queue: "root.a", containers: .containers }]' "$T/json/why.json")"
like "its text has their number and their queue" \
    'MakingRoom +[1-8] containers? (is|are) being stopped to make room for b: [1-8] of a; the first (ends in at most [0-9]+s|is to end now)' \
    "$(cat "$T/why")"
check "the JSON output is valid under its schema" "$here/valid-json.py" "$BUILD/docs/schema" "$T/json"
becomes "the queue with pending jobs gets its guaranteed capacity" 60 guarantee_is_used b
becomes "all pending jobs of that queue run" 60 all_run "${b[@]}"
is "eight containers of the job are preempted" 8 "$(ended "$a" "$preempted" | jq length)"
port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
metric_has() { curl -sS -m 20 "http://127.0.0.1:$port/metrics" | grep -Eq "$1"; }
becomes "the metrics count them by both queues" 20 metric_has '^creel_preemption_containers_total[{]queue="root.b",victim_queue="root.a"[}] 8$'
check "and the time that they had run" metric_has '^creel_preemption_wasted_seconds_total [1-9]'
is "eight containers got a preemption notice" 8 "$(saved_notices length)"
is "the notices of the preempted containers have at most two deadlines" \
    true "$(saved_notices '[.[].deadlineMs] | unique | length <= 2')"
is "each notice has a reason and a deadline" true "$(saved_notices 'all(.[]; (.reason | startswith("preempted")) and (.deadlineAt | test("^20.*Z$")) and .deadlineMs > 0)')"
saved=$(find "$T/out" -name 'saved.*' | wc -l)
ignored=$(find "$T/out" -name 'seen.*' | wc -l)
check "some tasks handle the signal and save their state ($saved)" [ "$saved" -gt 0 ]
check "some tasks ignore the signal ($ignored)" [ "$ignored" -gt 0 ]
is "a task that exits after a notice counts as preempted, whatever its exit status" "$saved" "$(ended "$a" "$preempted and (.diagnostics | test(\"ended by itself before the deadline .exit status [09].\"))" | jq length)"
is "the tasks that ignore the signal are killed" "$ignored" "$(ended "$a" "$preempted and (.diagnostics | test(\"preempted: another queue\") and (contains(\"by itself\") | not))" | jq length)"
first_ms=$(saved_notices '[.[].deadlineMs] | min')
is "no task is killed before the deadline of its notice" 0 "$(ended "$a" "$preempted and (.diagnostics | contains(\"by itself\") | not) and .finishedMs < $first_ms" | jq length)"
is "the application master is not preempted" RUNNING "$(creel container list --app "$a" --json | jq -r '.items[] | select(.id | endswith("_01_000001")) | .state')"
is "the application is still in its first attempt" 1 "$(creel status "$a" --json | jq .items[0].attempt)"
is "the job has the guaranteed capacity of its queue" 8 "$(running_containers "$a")"
is "the preempted tasks are pending" 8 "$(creel status "$a" --json | jq .items[0].pendingContainers)"

touch "$T/out/b"
exits "the jobs of the other queue end" 0 creel wait "${b[@]}" --timeout 60
becomes "the preempted tasks run again when the other queue is empty" 60 running_is "$a" 16
becomes "each preempted task has started a second time" 60 sh -c "[ \$(cat $T/out/ran.* | wc -l) = 23 ]"
is "the restarted tasks find their saved state" "$saved" "$(find "$T/out" -name 'found.*' | wc -l)"
is "the saved state is unchanged" "$(cat "$T"/out/saved.*)" "$(cat "$T"/out/found.*)"
is "the saved state has the ids of the preempted containers" "$(ended "$a" "$preempted and (.diagnostics | contains(\"by itself\"))" | jq -r '.[].id' | sort)" \
    "$(awk '{ print $1 }' "$T"/out/saved.* | sort)"
touch "$T/out/a"
exits "the preempted job ends" 0 creel wait "$a" --timeout 60
is "the preempted job is FINISHED with exit status 0" '"FINISHED" 0' "$(creel status "$a" --json | jq -c '.items[0] | .state, .exitStatus' | xargs -d '\n')"

# The application master receives the ids and the deadline.
rm "$T/out/a" "$T/out/b"
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/notice-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "a job with its own application master uses the whole cluster" 60 running_is "$m" 16
one=$(creel submit --id -q b -m 64M -- sh -c "while [ ! -e $T/out/b ]; do sleep 0.1; done")
becomes "a job of the other queue gets one container" 60 state_is "$one" RUNNING
touch "$T/out/b" "$T/out/a"
exits "both jobs end" 0 creel wait "$m" "$one" --timeout 60
is "the job with its own application master and the other job are FINISHED" \
    "FINISHED FINISHED" "$(state "$m") $(state "$one")"
creel logs "$m" "${m#*_}_01_000001" --stdout >"$T/output" 2>/dev/null
lost=$(ended "$m" "$preempted" | jq -r '.[].id')
is "the application master gets a notice with the id of the preempted container" "$lost negotiable" "$(awk '/notice/ { print $2, $4 }' "$T/output")"
is "the application master gets the notice before the end of the container" \
    "notice ended" "$(grep -F "$lost" "$T/output" | awk '{ print $1 }' | xargs)"
like "the application master gets exit status -102 and the reason" \
    "ended $lost -102 preempted: " "$(cat "$T/output")"

# Lazy preemption stops a container only if another one can use its resources. A container that is not stopped after a
# notice gets a notice of that.
rm "$T/out/a" "$T/out/b"
queues true
exits "a refresh switches lazy preemption on" 0 creel admin refresh queues
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/notice-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "a job with its own application master uses the whole cluster again" 60 running_is "$m" 16
whole=$(creel submit --id -q b -m 512M -- true)     # does not fit if each node has half of its containers
becomes "some containers get a preemption notice" 30 \
    sh -c "[ \$(find '$T/dev' -name preempt.json | wc -l) -gt 0 ]"
# shellcheck disable=SC2046 # several files
until_ms=$(cat $(notices) | jq -s 'map(.deadlineMs) | max')
becomes "the deadlines of the notices and two rounds of preemption pass" 60 sh -c "[ \$(creel cluster info --json | jq .items[0].nowMs) -gt $((until_ms + 2 * interval_ms)) ]"
is "lazy preemption kills no container if the pending job cannot use its resources" \
    '[]' "$(ended "$m" "$preempted")"
warned=$(notices | wc -l)
check "some containers still have a notice ($warned)" [ "$warned" -gt 0 ]
creel kill "$whole" >/dev/null 2>&1
queues false
exits "a refresh switches lazy preemption off" 0 creel admin refresh queues
becomes "the preemption notices are removed" 30 sh -c "! find '$T/dev' -name preempt.json | grep ."
becomes "the application master gets a message for each removed notice" 30 sh -c "[ \$(creel logs '$m' '${m#*_}_01_000001' --stdout 2>/dev/null | grep -c '^spared') -ge $warned ]"
is "all 16 containers of the job run" 16 "$(running_containers "$m")"
touch "$T/out/a"
exits "the job with lazy preemption ends" 0 creel wait "$m" --timeout 60
is "the job with lazy preemption is FINISHED, and no container was preempted" \
    "FINISHED []" "$(state "$m") $(ended "$m" "$preempted")"

# Each round deals the room that is made to the queues that ask. No container is stopped meanwhile.
wait_ms=600000
site false
{
    echo '<configuration>'
    property yarn.scheduler.capacity.root.queues a,b,c
    property yarn.scheduler.capacity.maximum-am-resource-percent 1
    property yarn.scheduler.capacity.root.a.capacity 50
    property yarn.scheduler.capacity.root.a.user-limit-factor 10
    for queue in b c; do property "yarn.scheduler.capacity.root.$queue.capacity" 25; done
    echo '</configuration>'
} >"$T/conf/capacity-scheduler.xml"
exits "a refresh adds a third queue" 0 creel admin refresh queues
room() { creel why "$1" --json | jq '[.items[0].reasons[] | select(.code == "MakingRoom") | .containers] | add // 0'; }
rooms_are() { [ "$(room "$of_b") $(room "$of_c")" = "$1" ]; }
m=$(creel submit --id -q a -N 15 -m 64M -- sleep 600)
becomes "a job of queue a uses the whole cluster once more" 60 running_is "$m" 16
of_b=$(creel submit --id -q b -m 64M -- true)
more=()
for _ in 1 2 3; do more+=("$(creel submit --id -q b -m 64M -- true)"); done
becomes "four containers make room for the second queue" 30 sh -c "creel why $of_b | grep -q 'MakingRoom *4 containers are being stopped to make room for b: 4 of a'"
creel kill "${more[0]}" "${more[1]}" >/dev/null
of_c=$(creel submit --id -q c -m 64M -- true)
more+=("$(creel submit --id -q c -m 64M -- true)")
becomes "two of them make room for the third queue when it asks instead" 30 rooms_are "2 2"
pid=$(pid_of rm)
kill -KILL "$pid"
wait_until 20 gone "$pid"
check "the resource manager starts again" creel dev up --dir "$T/dev" -n 2 --conf "$T/conf"
becomes "creel why has the same after the first round" 60 rooms_are "2 2"
creel kill "$m" "$of_b" "$of_c" "${more[@]}" >/dev/null 2>&1
becomes "the job of queue a ends" 60 state_is "$m" KILLED

becomes "no control group of a container is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
becomes "no preemption notice and no working directory is left" 20 sh -c "! find '$T/dev' -name preempt.json -o -path '*appcache*' -name 'container_*' | grep ."
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
