#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Preemption of borrowed resources: containers get notice, save their state or are stopped, and run again.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
interval_ms=1000
wait_ms=3000
grace_ms=10000                          # enough for a machine under load

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
becomes "a job of one queue takes the whole cluster" 60 running_is "$a" 16
becomes "all its tasks are at work" 60 sh -c "[ \$(ls $T/out/ran.* | wc -l) = 15 ]"
b=()
for _ in 1 2 3 4 5 6 7 8; do
    b+=("$(creel submit --id -q b -m 64M -- sh -c "while [ ! -e $T/out/b ]; do sleep 0.1; done")")
done

# A lifetime is measured by the resource manager's clock: at its end three rounds of preemption have passed.
witness=$(creel submit --id -q b -m 64M --lifetime 4s -- true)
becomes "some rounds go by" 60 state_is "$witness" KILLED
is "with observe-only nobody is notified" "" "$(notices)"
is "and nobody is stopped" '[]' "$(ended "$a" "$preempted")"
is "who waits goes on waiting" 0 "$(creel queue show b --json | jq .items[0].used.memoryMb)"
is "for room" ClusterFull "$(reason_of "${b[0]}")"

site false
refreshed_ms=$(date +%s%3N)
exits "they are to act from now on" 0 creel admin refresh queues
becomes "the starved queue gets what it is guaranteed" 60 guarantee_is_used b
becomes "all that waited in it run" 60 all_run "${b[@]}"
started_ms=$(for id in "${b[@]}"; do creel status "$id" --json | jq .items[0].startedMs; done | sort -n | tail -1)
took=$((started_ms - refreshed_ms))
check "in two rounds and the wait ($took ms)" [ "$took" -le $((2 * interval_ms + wait_ms + grace_ms)) ]
is "eight containers were preempted for it" 8 "$(ended "$a" "$preempted" | jq length)"
is "only the containers that had to end were notified" 8 "$(saved_notices length)"
is "all in two rounds" true "$(saved_notices '[.[].deadlineMs] | unique | length <= 2')"
is "with a reason and a deadline" true "$(saved_notices 'all(.[]; (.reason | startswith("preempted")) and (.deadlineAt | test("^20.*Z$")) and .deadlineMs > 0)')"
saved=$(find "$T/out" -name 'saved.*' | wc -l)
ignored=$(find "$T/out" -name 'seen.*' | wc -l)
check "some heard the signal and saved what they had ($saved)" [ "$saved" -gt 0 ]
check "some did not listen ($ignored)" [ "$ignored" -gt 0 ]
is "who ended by himself counts as preempted, too, whatever the status" "$saved" "$(ended "$a" "$preempted and (.diagnostics | test(\"ended by itself before the deadline .exit status [09].\"))" | jq length)"
is "the others were stopped" "$ignored" "$(ended "$a" "$preempted and (.diagnostics | test(\"preempted: another queue\") and (contains(\"by itself\") | not))" | jq length)"
first_ms=$(saved_notices '[.[].deadlineMs] | min')
is "when their time was up, not before" 0 "$(ended "$a" "$preempted and (.diagnostics | contains(\"by itself\") | not) and .finishedMs < $first_ms" | jq length)"
is "the master was spared" RUNNING "$(creel container list --app "$a" --json | jq -r '.items[] | select(.id | endswith("_01_000001")) | .state')"
is "on its first attempt" 1 "$(creel status "$a" --json | jq .items[0].attempt)"
is "the job has what its queue is guaranteed" 8 "$(running_containers "$a")"
is "and those that had to go wait" 8 "$(creel status "$a" --json | jq .items[0].pendingContainers)"

touch "$T/out/b"
exits "the other queue's work is done" 0 creel wait "${b[@]}" --timeout 60
becomes "those that had to go run again" 60 running_is "$a" 16
becomes "all of them a second time" 60 sh -c "[ \$(cat $T/out/ran.* | wc -l) = 23 ]"
is "and find what they had saved" "$saved" "$(find "$T/out" -name 'found.*' | wc -l)"
is "as it was" "$(cat "$T"/out/saved.*)" "$(cat "$T"/out/found.*)"
is "saved in the container that was preempted" "$(ended "$a" "$preempted and (.diagnostics | contains(\"by itself\"))" | jq -r '.[].id' | sort)" \
    "$(awk '{ print $1 }' "$T"/out/saved.* | sort)"
touch "$T/out/a"
exits "the job ends" 0 creel wait "$a" --timeout 60
is "well" '"FINISHED" 0' "$(creel status "$a" --json | jq -c '.items[0] | .state, .exitStatus' | xargs -d '\n')"

# The application master receives the ids and the deadline.
rm "$T/out/a" "$T/out/b"
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/told-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "another master takes the whole cluster" 60 running_is "$m" 16
one=$(creel submit --id -q b -m 64M -- sh -c "while [ ! -e $T/out/b ]; do sleep 0.1; done")
becomes "the other queue gets its one container" 60 state_is "$one" RUNNING
touch "$T/out/b" "$T/out/a"
exits "both end" 0 creel wait "$m" "$one" --timeout 60
is "well" "FINISHED FINISHED" "$(state "$m") $(state "$one")"
creel logs "$m" "${m#*_}_01_000001" --stdout >"$T/output" 2>/dev/null
lost=$(ended "$m" "$preempted" | jq -r '.[].id')
is "the master was notified of the container that had to go" "$lost negotiable" "$(awk '/told/ { print $2, $4 }' "$T/output")"
is "before it heard of its end" "told ended" "$(grep -F "$lost" "$T/output" | awk '{ print $1 }' | xargs)"
like "with the reason" "ended $lost -102 preempted: " "$(cat "$T/output")"

# Lazy preemption stops a container only if another one can use its resources. A container that is not stopped after a
# notice gets a notice of that.
rm "$T/out/a" "$T/out/b"
queues true
exits "preemption is lazy now" 0 creel admin refresh queues
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/told-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "a master takes the whole cluster again" 60 running_is "$m" 16
whole=$(creel submit --id -q b -m 512M -- true)     # does not fit if each node has half of its containers
becomes "some are notified" 30 sh -c "[ \$(find '$T/dev' -name preempt.json | wc -l) -gt 0 ]"
# shellcheck disable=SC2046 # several files
until_ms=$(cat $(notices) | jq -s 'map(.deadlineMs) | max')
becomes "their time goes by, and two rounds" 60 sh -c "[ \$(creel cluster info --json | jq .items[0].nowMs) -gt $((until_ms + 2 * interval_ms)) ]"
is "and nobody goes" '[]' "$(ended "$m" "$preempted")"
warned=$(notices | wc -l)
check "although they were notified ($warned)" [ "$warned" -gt 0 ]
creel kill "$whole" >/dev/null 2>&1
queues false
exits "it is not lazy any more" 0 creel admin refresh queues
becomes "the notices go" 30 sh -c "! find '$T/dev' -name preempt.json | grep ."
becomes "and the master hears of each" 30 sh -c "[ \$(creel logs '$m' '${m#*_}_01_000001' --stdout 2>/dev/null | grep -c '^spared') -ge $warned ]"
is "all of them run" 16 "$(running_containers "$m")"
touch "$T/out/a"
exits "it ends" 0 creel wait "$m" --timeout 60
is "well, with nobody preempted" "FINISHED []" "$(state "$m") $(ended "$m" "$preempted")"

becomes "no control group is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
becomes "nor a notice, nor a working directory" 20 sh -c "! find '$T/dev' -name preempt.json -o -path '*appcache*' -name 'container_*' | grep ."
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
