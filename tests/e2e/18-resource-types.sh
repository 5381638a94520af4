#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Resource types defined by the administrator: nodes offer them, jobs request them, queues have shares of them;
# refused requests; and what survives a kill of the resource manager.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"

property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
# file NAME [KEY VALUE]...: writes a file of the configuration.
file() {
    local name=$1
    shift
    {
        echo '<configuration>'
        while [ $# -gt 0 ]; do property "$1" "$2"; shift 2; done
        echo '</configuration>'
    } >"$T/conf/$name"
}
CS=yarn.scheduler.capacity
file yarn-site.xml yarn.resourcemanager.scheduler.class CapacityScheduler \
    yarn.nodemanager.resource.memory-mb 1024 yarn.scheduler.maximum-allocation-mb 1024 \
    yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms 0 \
    yarn.nodemanager.resource.cpu-vcores 64 creel.container.allowed-system-users root
file resource-types.xml yarn.resource-types licence,scratch \
    yarn.resource-types.scratch.units Gi yarn.resource-types.licence.maximum-allocation 3
file node-resources.xml yarn.nodemanager.resource-type.licence 3 yarn.nodemanager.resource-type.scratch 2048Mi
queues() {
    file capacity-scheduler.xml $CS.resource-calculator "$1" $CS.root.queues a,b $CS.maximum-am-resource-percent 1 \
        $CS.root.a.capacity '[memory=1024,vcores=32,licence=4]' $CS.root.a.user-limit-factor 10 \
        $CS.root.b.capacity '[memory=1024,vcores=32,licence=2]' $CS.root.b.user-limit-factor 10 \
        $CS.root.b.maximum-capacity '[memory=2048,vcores=64,licence=2,scratch=4]'
}
queues org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator
exits "a calculator that counts memory alone cannot have them" 7 creel conf check "$T/conf"
like "this is reported with file and line" 'resource-types\.xml:2: yarn\.resource-types' "$OUTPUT"
queues org.apache.hadoop.yarn.util.resource.DominantResourceCalculator
check "conf check finds nothing wrong with it" creel conf check "$T/conf"
cluster_up -n 2 --conf "$T/conf"

waiting() { local file=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $file ]; do sleep 0.1; done"; }
given() { creel cluster info --json | jq "[.items[0].used.others[]? | select(.name == \"$1\") | .amount] | add // 0"; }
given_is() { [ "$(given "$1")" = "$2" ]; }
nodes() { creel node list --json | jq -c '[.items[] | [(.total.others // [])[] | "\(.amount)\(.unit // "")"] | join(" ")] | sort'; }

# --- offered resources ---
is "nodes offer what their files say, in units of the cluster" '["3 2Gi","3 2Gi"]' "$(nodes)"
like "a list shows it" 'licence=0/3,scratch=0/2Gi' "$(creel node list -o wide)"
like "and the cluster's sum" '^licence: +0 of 6 given out' "$(creel cluster info)"
is "a queue is guaranteed its part" '[{"name":"licence","amount":4}]' \
    "$(creel queue show a --json | jq -c '.items[0].minimum.others')"

# --- requests ---
first=$(waiting go -q a -r licence=2,scratch=512Mi,mem=16M 2>"$T/error")
like "what would round to nothing is refused" 'less than one Gi' "$(cat "$T/error")"
first=$(waiting go -q a -r licence=2,scratch=1,mem=16M,vcores=1)
becomes "a job has what it asked for" 60 running_is "$first" 1
is "the resource manager accounts for them" '2 1' "$(given licence) $(given scratch)"
is "so do its containers" '[{"name":"licence","amount":2},{"name":"scratch","amount":1,"unit":"Gi"}]' \
    "$(creel container list --app "$first" --json | jq -c '.items[0].others')"
like "and what is shown of it" '^Allocated: +1?16.*, 1 vcore, 2 licence, 1Gi scratch' "$(creel app show "$first")"
second=$(waiting go -q a -m 16M -r licence=2)
becomes "another finds room on the other node" 60 running_is "$second" 1
# (submitted before the next job, whose reservation counts as use, as in YARN)
third=$(waiting go -q b -m 16M -r licence=1)
becomes "one is left for who asks for one" 60 running_is "$third" 1
fourth=$(waiting go -q a -m 16M -r licence=2)
becomes "who asks for two finds one on neither" 30 state_is "$fourth" ACCEPTED
like "which is why it waits" '2 lack licence' "$(creel why "$fourth")"
like "and for what" '1 x \(16 MiB, 1 vcore, 2 licence\)' "$(creel why "$fourth")"
fifth=$(waiting go -q b -m 16M -r licence=2)
becomes "a queue's maximum of one type holds" 30 state_is "$fifth" ACCEPTED
is "and is named" QueueLimit "$(reason_of "$fifth")"
# A request without headroom keeps later ones of its queue waiting, as in YARN.
for job in "$fourth" "$fifth"; do
    check "$job is killed while it waits" creel kill "$job"
    becomes "and ends" 30 state_is "$job" KILLED
done
check "tasks ask for them, too" creel run -q a -m 16M -N 2 -r scratch=1 -- true

# --- refused requests ---
exits "a type that nobody named" 8 creel submit -q a -r hammer=1 -- true
like "and those that exist are listed" 'no such resource here, only memory-mb, vcores, licence, scratch' "$OUTPUT"
exits "more than one container may have" 8 creel submit -q a -r licence=4 -- true
like "with its maximum" 'above the maximum.*licence: 3>' "$OUTPUT"
exits "fewer than none" 2 creel submit -q a -r licence=-1 -- true
exits "a unit that nobody knows" 2 creel submit -q a -r scratch=1GB -- true
exits "one type twice" 2 creel submit -q a -r licence=1 -r licence=2 -- true
exits "a node with more of it than there is" 8 creel submit --test-only -q a -m 16M -r scratch=3 -- true
exits "nor is it accepted" 8 creel submit -q a -m 16M -r scratch=3 -- true
like "and the node with most of it is named" 'more scratch than any node has: the largest, [^ ]+, has .*scratch: ?2' "$OUTPUT"
exits "GPUs where there are none" 8 creel submit -q a -g 1 -- true
file resource-types.xml yarn.resource-types licence,scratch,hammer yarn.resource-types.scratch.units Gi \
    yarn.resource-types.licence.maximum-allocation 3
exits "types do not change while it runs" 7 creel admin refresh queues
like "this is reported" 'yarn\.resource-types: .*starts anew' "$OUTPUT"

# --- the resource manager is killed ---
before=$(given licence)
kill_nine "$(pid_of rm)"
check "the resource manager is killed and comes back, with one type more" creel dev up --dir "$T/dev" -n 2
becomes "both agents are back" 30 nodes_running_is 2
becomes "nothing of what was given out is forgotten" 30 given_is licence "$before"
is "nodes offer what they offered" '["3 2Gi","3 2Gi"]' "$(nodes)"
exits "what was named meanwhile can be asked for" 8 creel submit --test-only -q a -m 16M -r hammer=1 -- true
like "though no node has it" 'hammer' "$OUTPUT"
touch "$T/out/go"
for job in "$first" "$second" "$third"; do
    exits "$job ends well" 0 creel wait "$job" --timeout 60
done
becomes "and all of it is free again" 30 given_is licence 0
finish
