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
    becomes "both agents are back" 30 nodes_running_is 2
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
check "conf check finds nothing wrong with it" creel conf check "$T/conf"
cluster_up -n 2 --conf "$T/conf"
creel keygen user daemon games >/dev/null 2>&1

# --- added and removed queues ---
is "the tree has the file's queues and root.default" 'a b default few people root' \
    "$(creel queue tree --no-header --columns queue | xargs -n1 | sort | xargs)"
mine=$(waiting mine -m 64M)
is "who names no queue has one of their own" root.people.root "$(queue_of "$mine")"
is "which the submission made" true "$(queue people.root .dynamic)"
is "with the limits that the file sets for queues below that parent" 256 "$(queue people.root .maximum.memoryMb)"
other=$(waiting other -q nowhere -m 64M)
is "so has who names one that is not configured" root.people.root "$(queue_of "$other")"
touch "$T/out/other"
exits "and runs there" 0 creel wait "$other" --timeout 60
exits "a parent takes nothing" 3 creel submit -q people -m 64M -- true
restart_rm "a killed resource manager comes up"
is "what runs in such a queue is in it" "root.people.root RUNNING" "$(queue_of "$mine") $(state "$mine")"
touch "$T/out/mine"
exits "and ends there" 0 creel wait "$mine" --timeout 60
becomes "a queue that is empty goes" 40 queue_gone people.root

# --- limits ---
first=$(waiting few -q few -m 64M)
second=$(waiting few -q few -m 64M)
becomes "a queue runs as many as it may" 30 state_is "$first" RUNNING
becomes "the next one waits for that" 30 reason_is "$second" QueueMaxApps
is "it is not refused" ACCEPTED "$(state "$second")"
like "the queue reports an application that waits" '1 application waits for a limit on running applications' "$(creel queue explain few)"
touch "$T/out/few"
exits "one after the other ends" 0 creel wait "$first" "$second" --timeout 60

# --- shares and preemption ---
cat >"$T/task" <<S
#!/bin/bash
trap 'cp "\$CREEL_PREEMPT_FILE" $T/out/notice.\$CREEL_TASK_INDEX; exit 0' USR1
while [ ! -e $T/out/a ]; do read -rt 0.1 <> <(:); done
exit 0
S
chmod +x "$T/task"
a=$(creel submit --id -q a -N 15 -m 64M --preempt-signal USR1 -- "$T/task")
becomes "a job of one queue takes the whole cluster" 60 running_is "$a" 16
becomes "all of it is fair" 20 queue_is a .fairShare.memoryMb 1024
is "its steady share is less" true "$(queue a '.steadyFairShare.memoryMb < 400')"
b=$(waiting b -q b -N 15 -m 64M)
becomes "when another asks, half of it is" 20 queue_is a .fairShare.memoryMb 512
becomes "the other starves" 20 sh -c "creel queue show b --json | jq -e '.items[0].starvedSinceMs > 0'"
becomes "why shows what is fair" 20 why_says "$b" 'FairShare .*fair for it are 512 MiB'
say_json queue tree; say_json queue show b; say_json queue users a; say_json why "$b"
becomes "containers are taken back for it" 60 running_is "$b" 8
is "they count as preempted" 8 "$(ended "$a" "$preempted" | jq length)"
becomes "those that heard of it could save what they had" 10 sh -c "[ \$(ls $T/out/notice.* | wc -l) -ge 7 ]"
is "they were notified why and until when" true "$(cat "$T"/out/notice.* | jq -s 'all(.[]; (.reason | startswith("preempted")) and .deadlineMs > 0)')"
is "the master was spared" RUNNING "$(creel container list --app "$a" --json | jq -r '.items[] | select(.id | endswith("_01_000001")) | .state')"
is "both have what is fair" "512 512" "$(queue a .used.memoryMb) $(queue b .used.memoryMb)"
like "explain has it all" 'fair share now is 512 MiB' "$(creel queue explain b)"

# --- the file is edited while jobs run ---
allocations 3
becomes "a new weight is read by itself" 30 queue_is a .weight 3
becomes "what is fair follows" 20 queue_is a .fairShare.memoryMb 768
becomes "and what each has follows that" 90 queue_is a .used.memoryMb 768
like "cluster info shows what was read" "refreshed .* for a change of $file" "$(creel cluster info)"
sed -i 's/<weight>3/<weight>heavy/' "$file"
line=$(grep -n heavy "$file" | cut -d: -f1)
becomes "a broken file is refused whole" 30 refused_like "^$file:$line: queue root.a: weight: \"heavy\""
is "what held before holds" 3 "$(queue a .weight)"
like "the list shows the refused refresh" "refused .* for a change of $file: $file:$line:" "$(creel queue list 2>&1)"
like "so does cluster info" "refused .*$file:$line: " "$(creel cluster info)"
is "and programs" true "$(creel cluster info --json | jq '.items[0].queuesRefreshError | contains("heavy")')"
say_json queue list
exits "conf check finds the same mistake" 7 creel conf check "$T/conf"
like "of the same place" "fair-scheduler.xml:$line: queue root.a: weight" "$OUTPUT"
exits "a refresh does, too" 7 creel admin refresh queues
like "with the place" "$file:$line: " "$OUTPUT"
sed 's/<weight>heavy/<weight>1/' "$file" >"$T/mended" && mv "$T/mended" "$file"
becomes "mended, it is read" 30 queue_is a .weight 1
is "and nothing is refused any more" "" "$(refused)"
mv "$file" "$T/away"
becomes "one that vanishes is missed" 30 refused_like "^$file: is gone"
is "its queues are not" RUNNING "$(state "$a")"
exits "a refresh does not take them away" 7 creel admin refresh queues
: >"$file"
becomes "an empty one is refused" 30 refused_like "^$file:1:1: no element found"
rm "$file"; mkdir "$file"
becomes "so is a directory" 30 refused_like "^$file: is a directory"
rmdir "$file"
allocations 1 '<queue name="b"><weight>2</weight></queue>'
becomes "a good one mends it, be it that a queue is there twice" 30 refused_no_more
is "both count together" 2 "$(queue b .weight)"
like "which is warned of" 'fair-scheduler.xml:[0-9]+: queue root\.b: queue: is in line [0-9]+, too' "$(creel conf check "$T/conf" 2>&1)"
like "at a refresh, too" 'queue root\.b: queue: is in line [0-9]+, too' "$(creel admin refresh queues 2>&1)"
allocations 1 '<queue name="c"/>'
becomes "a new queue comes" 30 queue_is c .leaf true
for i in 1 2 3 4 5 6 7 8 9; do allocations "$((i + 1))"; read -rt 0.15 <> <(:); done
becomes "one that changes all the time is read when it rests" 30 queue_is a .weight 10
is "what ran runs" "RUNNING RUNNING" "$(state "$a") $(state "$b")"
allocations 1 '<queue name="c"><queue name="d"/></queue>'
becomes "a leaf that is empty becomes a parent" 30 queue_is c .leaf false
exits "and its queues take jobs" 0 creel run -q c.d -m 64M -- true
exits "a refresh is at once" 0 creel admin refresh queues

# --- the application master receives the ids ---
touch "$T/out/a" "$T/out/b"
exits "both end" 0 creel wait "$a" "$b" --timeout 60
is "well" "FINISHED FINISHED" "$(state "$a") $(state "$b")"
rm "$T/out/a" "$T/out/b"
m=$(creel submit --id --am -q a -m 64M -- "$BUILD/tests/e2e/told-master" 15 64 sh -c "while [ ! -e $T/out/a ]; do sleep 0.1; done")
becomes "a master takes the whole cluster" 60 running_is "$m" 16
one=$(waiting b -q b -m 64M)
becomes "another queue gets its one container" 60 state_is "$one" RUNNING
touch "$T/out/a" "$T/out/b"
exits "both end" 0 creel wait "$m" "$one" --timeout 60
creel logs "$m" "${m#*_}_01_000001" --stdout >"$T/output" 2>/dev/null
is "the master was notified of the container that had to go, and that no other would do" \
    "$(ended "$m" "$preempted" | jq -r '.[].id') strict" "$(awk '/told/ { print $2, $4 }' "$T/output")"

# --- access, and continuous scheduling ---
site yarn.acl.enable true yarn.admin.acl root yarn.scheduler.fair.continuous-scheduling-enabled true
restart_rm "it comes up with access lists on, and nodes offered continuously"
exits "who is listed may submit" 0 creel --as daemon run -q a -m 64M -N 3 -- true
exits "but not anywhere" 4 creel --as daemon submit -q b -m 64M -- true
like "the error names the reason" 'daemon cannot submit to root\.b .aclSubmitApps' "$OUTPUT"
exits "nor --test-only" 4 creel --as daemon submit -q b -m 64M --test-only -- true
exits "who administers a queue may submit to it" 0 creel --as games run -q b -m 64M -- true
like "access shows which list lets somebody in" 'yes: aclAdministerApps of root\.b: " players"' "$(creel queue access b --user games)"
like "and that none does" 'no: ' "$(creel queue access a --user games)"
r=$(waiting r -q b -m 64M)
exits "the queue's administrators may see it" 0 creel --as games why "$r"
exits "but not move it where they may not be" 4 creel --as games app move "$r" a
exits "the cluster's may" 0 creel app move "$r" a
is "it is there" root.a "$(queue_of "$r")"
touch "$T/out/r"
exits "all ends" 0 creel wait "$r" --timeout 60
exits "all JSON output is valid" 0 "$here/valid-json.py" "$here/../../docs/schema" "$T/json"
is "and what is fair is in it" true "$(jq -s 'any(.[]; .kind == "WhyList" and .items[0].fairShare.memoryMb == 512) and any(.[]; .refreshError)' "$T"/json/*.json)"
becomes "no control group is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
