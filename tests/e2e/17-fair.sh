#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fair scheduler, whose allocation file is edited while jobs run: shares, added and removed queues, preemption,
# limits, access lists, invalid files.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$T/conf" "$T/json"
file=$T/conf/fair-scheduler.xml
wait_ms=2000

property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
# site [KEY VALUE]...: writes a configuration with two nodes for 8 containers each.
site() {
    {
        echo '<configuration>'
        property yarn.resourcemanager.scheduler.class org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler
        property yarn.nodemanager.resource.memory-mb 512
        property yarn.scheduler.minimum-allocation-mb 16
        property yarn.scheduler.increment-allocation-mb 16
        property yarn.scheduler.maximum-allocation-mb 512
        property yarn.nodemanager.resource.cpu-vcores 64
        property yarn.scheduler.fair.allocation.file fair-scheduler.xml
        property yarn.scheduler.fair.preemption true
        property yarn.scheduler.fair.waitTimeBeforeKill $wait_ms
        property yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck 500
        property yarn.scheduler.fair.update-interval-ms 200
        property creel.scheduler.fair.reload-interval 200
        property creel.scheduler.fair.reload-quiet 300
        property creel.container.allowed-system-users root,daemon,games
        property hadoop.user.group.static.mapping.overrides 'root=root;daemon=daemon;games=games,players'
        while [ $# -gt 0 ]; do property "$1" "$2"; shift 2; done
        echo '</configuration>'
    } >"$T/conf/yarn-site.xml"
}
# allocations [WEIGHT-OF-A [MORE]]: replaces the allocation file atomically, as an editor does.
allocations() {
    cat >"$T/new.xml" <<X
<?xml version="1.0"?>
<allocations>
  <defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
  <defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>
  <queueMaxAMShareDefault>1.0</queueMaxAMShareDefault>
  <queue name="root">
    <aclSubmitApps> </aclSubmitApps>
    <aclAdministerApps> </aclAdministerApps>
    <queue name="a"><weight>${1:-1}</weight><aclSubmitApps>daemon</aclSubmitApps></queue>
    <queue name="b"><aclAdministerApps> players</aclAdministerApps></queue>
    <queue name="few"><maxRunningApps>1</maxRunningApps></queue>
    <queue name="people" type="parent"><maxChildResources>256 mb, 64 vcores</maxChildResources></queue>
    ${2:-}
  </queue>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="nestedUserQueue"><rule name="default" queue="people"/></rule>
    <rule name="default"/>
  </queuePlacementPolicy>
</allocations>
X
    mv "$T/new.xml" "$file"
}
waiting() { local go=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $go ]; do sleep 0.1; done"; }
queue() { creel queue show "$1" --json | jq -c ".items[0] | $2"; }
queue_is() { [ "$(queue "$1" "$2")" = "$3" ]; }
queue_gone() { ! creel queue show "$1"; }
reason_is() { [ "$(reason_of "$1")" = "$2" ]; }
ended() { creel container list --app "$1" --json | jq -c "[.items[] | select($2)]"; }
refused() { creel queue list --json | jq -r '.refreshError // ""'; }
refused_like() { grep -qE -- "$1" <<<"$(refused)"; }
refused_no_more() { [ -z "$(refused)" ]; }
restart_rm() {
    kill_nine "$(pid_of rm)"
    check "$1" creel dev up --dir "$T/dev" -n 2
    becomes "both agents register again" 30 nodes_running_is 2
}
# say_json WORD...: stores the JSON output of a command, for the check against the schemas at the end.
say_json() {
    local name
    name=$T/json/$(tr -c 'a-z0-9\n' _ <<<"$*")
    creel --json "$@" >"$name.json" 2>/dev/null
    creel -o jsonl "$@" >"$name.jsonl" 2>/dev/null
}
why_says() { creel why "$1" | grep -q "$2"; }
preempted='.exitStatus == -102'

site
allocations
check "creel conf check accepts the configuration" creel conf check "$T/conf"
cluster_up -n 2 --conf "$T/conf"
creel keygen user daemon games >/dev/null 2>&1

# --- added and removed queues ---
is "creel queue tree has the queues of the file and root.default" 'a b default few people root' \
    "$(creel queue tree --no-header --columns queue | xargs -n1 | sort | xargs)"
mine=$(waiting mine -m 64M)
is "a job without --queue is placed in the queue of its user" root.people.root "$(queue_of "$mine")"
is "the queue of the user is dynamic" true "$(queue people.root .dynamic)"
is "the queue of the user has the limit of maxChildResources" 256 "$(queue people.root .maximum.memoryMb)"
other=$(waiting other -q nowhere -m 64M)
is "a job with an unknown queue is placed in the queue of its user" root.people.root "$(queue_of "$other")"
touch "$T/out/other"
exits "the job with an unknown queue ends" 0 creel wait "$other" --timeout 60
exits "a submission to a parent queue is refused" 3 creel submit -q people -m 64M -- true
restart_rm "the resource manager starts again after a kill"
is "a running job is in its dynamic queue after the restart" \
    "root.people.root RUNNING" "$(queue_of "$mine") $(state "$mine")"
touch "$T/out/mine"
exits "the job in the dynamic queue ends" 0 creel wait "$mine" --timeout 60
becomes "an empty dynamic queue is removed" 40 queue_gone people.root

# --- limits ---
first=$(waiting few -q few -m 64M)
second=$(waiting few -q few -m 64M)
becomes "the first application of a queue with maxRunningApps 1 runs" 30 state_is "$first" RUNNING
becomes "the second application waits with reason QueueMaxApps" 30 reason_is "$second" QueueMaxApps
is "the second application is ACCEPTED" ACCEPTED "$(state "$second")"
like "creel queue explain counts the applications that wait for a limit" '1 application waits for a limit on running applications' "$(creel queue explain few)"
touch "$T/out/few"
exits "both applications end" 0 creel wait "$first" "$second" --timeout 60

# --- shares and preemption ---
cat >"$T/task" <<S
#!/bin/bash
trap 'cp "\$CREEL_PREEMPT_FILE" $T/out/notice.\$CREEL_TASK_INDEX; exit 0' USR1
while [ ! -e $T/out/a ]; do read -rt 0.1 <> <(:); done
exit 0
S
chmod +x "$T/task"
a=$(creel submit --id -q a -N 15 -m 64M --preempt-signal USR1 -- "$T/task")
becomes "a job of queue a uses the whole cluster" 60 running_is "$a" 16
becomes "the fair share of the only active queue is the whole cluster" 20 queue_is a .fairShare.memoryMb 1024
is "the steady fair share of the only active queue is smaller" \
    true "$(queue a '.steadyFairShare.memoryMb < 400')"
b=$(waiting b -q b -N 15 -m 64M)
becomes "the fair share is halved when a second queue has a job" 20 queue_is a .fairShare.memoryMb 512
becomes "the second queue is starved" 20 \
    sh -c "creel queue show b --json | jq -e '.items[0].starvedSinceMs > 0'"
becomes "creel why shows the fair share of the second queue" 20 \
    why_says "$b" 'FairShare .*fair for it are 512 MiB'
say_json queue tree; say_json queue show b; say_json queue users a; say_json why "$b"
becomes "the starved queue gets eight containers by preemption" 60 running_is "$b" 8
is "eight containers of the first queue are preempted" 8 "$(ended "$a" "$preempted" | jq length)"
becomes "at least seven preempted tasks handled the signal" 10 \
    sh -c "[ \$(ls $T/out/notice.* | wc -l) -ge 7 ]"
is "each notice has a reason and a deadline" true "$(cat "$T"/out/notice.* | jq -s 'all(.[]; (.reason | startswith("preempted")) and .deadlineMs > 0)')"
is "the application master is not preempted" RUNNING "$(creel container list --app "$a" --json | jq -r '.items[] | select(.id | endswith("_01_000001")) | .state')"
is "both queues use their fair share" "512 512" "$(queue a .used.memoryMb) $(queue b .used.memoryMb)"
like "creel queue explain shows the fair share" 'fair share now is 512 MiB' "$(creel queue explain b)"

# --- the file is edited while jobs run ---
allocations 3
becomes "a changed weight is read without a refresh" 30 queue_is a .weight 3
becomes "the fair share follows the changed weight" 20 queue_is a .fairShare.memoryMb 768
becomes "the memory in use follows the fair share" 90 queue_is a .used.memoryMb 768
like "creel cluster info names the changed file" "refreshed .* for a change of $file" "$(creel cluster info)"
sed -i 's/<weight>3/<weight>heavy/' "$file"
line=$(grep -n heavy "$file" | cut -d: -f1)
becomes "a file with an invalid weight is refused" 30 \
    refused_like "^$file:$line: queue root.a: weight: \"heavy\""
is "the former weight is still in effect" 3 "$(queue a .weight)"
like "creel queue list shows the refused file" "refused .* for a change of $file: $file:$line:" "$(creel queue list 2>&1)"
like "creel cluster info shows the refused file" "refused .*$file:$line: " "$(creel cluster info)"
is "creel cluster info --json has the error" \
    true "$(creel cluster info --json | jq '.items[0].queuesRefreshError | contains("heavy")')"
say_json queue list
exits "creel conf check refuses the invalid weight" 7 creel conf check "$T/conf"
like "creel conf check names file and line" "fair-scheduler.xml:$line: queue root.a: weight" "$OUTPUT"
exits "creel admin refresh queues refuses the invalid weight" 7 creel admin refresh queues
like "creel admin refresh queues names file and line" "$file:$line: " "$OUTPUT"
sed 's/<weight>heavy/<weight>1/' "$file" >"$T/mended" && mv "$T/mended" "$file"
becomes "the corrected file is read" 30 queue_is a .weight 1
is "no error is shown for the corrected file" "" "$(refused)"
mv "$file" "$T/away"
becomes "a missing allocation file is reported" 30 refused_like "^$file: is gone"
is "a job continues without the allocation file" RUNNING "$(state "$a")"
exits "creel admin refresh queues refuses a missing allocation file" 7 creel admin refresh queues
: >"$file"
becomes "an empty allocation file is refused" 30 refused_like "^$file:1:1: no element found"
rm "$file"; mkdir "$file"
becomes "a directory as the allocation file is refused" 30 refused_like "^$file: is a directory"
rmdir "$file"
allocations 1 '<queue name="b"><weight>2</weight></queue>'
becomes "a file that defines a queue twice is accepted" 30 refused_no_more
is "the weight of the second definition is in effect" 2 "$(queue b .weight)"
like "creel conf check warns of a queue that is defined twice" 'fair-scheduler.xml:[0-9]+: queue root\.b: queue: is in line [0-9]+, too' "$(creel conf check "$T/conf" 2>&1)"
like "creel admin refresh queues warns of a queue that is defined twice" \
    'queue root\.b: queue: is in line [0-9]+, too' "$(creel admin refresh queues 2>&1)"
allocations 1 '<queue name="c"/>'
becomes "a queue that is added to the file appears" 30 queue_is c .leaf true
for i in 1 2 3 4 5 6 7 8 9; do allocations "$((i + 1))"; read -rt 0.15 <> <(:); done
becomes "the last of many quick changes of the file is read" 30 queue_is a .weight 10
is "the running jobs continue after all changes of the file" "RUNNING RUNNING" "$(state "$a") $(state "$b")"
allocations 1 '<queue name="c"><queue name="d"/></queue>'
becomes "an empty leaf queue becomes a parent queue" 30 queue_is c .leaf false
exits "a job runs in a queue below the new parent" 0 creel run -q c.d -m 64M -- true
exits "creel admin refresh queues exits with 0" 0 creel admin refresh queues

# --- the application master receives the ids ---
touch "$T/out/a" "$T/out/b"
exits "both jobs end" 0 creel wait "$a" "$b" --timeout 60
is "both jobs are FINISHED" "FINISHED FINISHED" "$(state "$a") $(state "$b")"
rm "$T/out/a" "$T/out/b"
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/notice-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "a job with its own application master uses the whole cluster" 60 running_is "$m" 16
one=$(waiting b -q b -m 64M)
becomes "a job of another queue gets one container" 60 state_is "$one" RUNNING
touch "$T/out/a" "$T/out/b"
exits "both jobs end" 0 creel wait "$m" "$one" --timeout 60
creel logs "$m" "${m#*_}_01_000001" --stdout >"$T/output" 2>/dev/null
is "the application master gets a strict notice with the id of the preempted container" \
    "$(ended "$m" "$preempted" | jq -r '.[].id') strict" "$(awk '/notice/ { print $2, $4 }' "$T/output")"

# --- access, and continuous scheduling ---
site yarn.acl.enable true yarn.admin.acl root yarn.scheduler.fair.continuous-scheduling-enabled true
restart_rm "the resource manager starts with yarn.acl.enable and continuous scheduling"
exits "a user in aclSubmitApps may submit" 0 creel --as daemon run -q a -m 64M -N 3 -- true
exits "a user who is not in aclSubmitApps may not submit" 4 creel --as daemon submit -q b -m 64M -- true
like "the error for a user who may not submit names user, queue and aclSubmitApps" \
    'daemon cannot submit to root\.b .aclSubmitApps' "$OUTPUT"
exits "--test-only is refused for a user who may not submit" 4 \
    creel --as daemon submit -q b -m 64M --test-only -- true
exits "an administrator of a queue may submit to it" 0 creel --as games run -q b -m 64M -- true
like "creel queue access names the access list that allows a user" 'yes: aclAdministerApps of root\.b: " players"' "$(creel queue access b --user games)"
like "creel queue access shows that a user may not submit" 'no: ' "$(creel queue access a --user games)"
r=$(waiting r -q b -m 64M)
exits "an administrator of a queue may run creel why for an application in it" 0 creel --as games why "$r"
exits "an administrator of a queue may not move an application to another queue" 4 \
    creel --as games app move "$r" a
exits "an administrator of the cluster may move the application" 0 creel app move "$r" a
is "the moved application is in its new queue" root.a "$(queue_of "$r")"
touch "$T/out/r"
exits "the moved application ends" 0 creel wait "$r" --timeout 60
exits "the JSON output is valid under its schema" 0 "$here/valid-json.py" "$BUILD/docs/schema" "$T/json"
is "the JSON output has the fair share and the error of the refresh" true "$(jq -s 'any(.[]; .kind == "WhyList" and .items[0].fairShare.memoryMb == 512) and any(.[]; .refreshError)' "$T"/json/*.json)"
becomes "no control group of a container is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
