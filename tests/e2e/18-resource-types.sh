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
exits "resource types are refused with DefaultResourceCalculator" 7 creel conf check "$T/conf"
like "the error for the resource types names resource-types.xml and the line" \
    'resource-types\.xml:2: yarn\.resource-types' "$OUTPUT"
queues org.apache.hadoop.yarn.util.resource.DominantResourceCalculator
check "creel conf check accepts the configuration" creel conf check "$T/conf"
cluster_up -n 2 --conf "$T/conf"

waiting() { local file=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $file ]; do sleep 0.1; done"; }
given() { creel cluster info --json | jq "[.items[0].used.others[]? | select(.name == \"$1\") | .amount] | add // 0"; }
given_is() { [ "$(given "$1")" = "$2" ]; }
nodes() { creel node list --json | jq -c '[.items[] | [(.total.others // [])[] | "\(.amount)\(.unit // "")"] | join(" ")] | sort'; }

# --- offered resources ---
is "nodes offer the resources of node-resources.xml in the units of the cluster" \
    '["3 2Gi","3 2Gi"]' "$(nodes)"
like "creel node list -o wide shows the resources" 'licence=0/3,scratch=0/2Gi' "$(creel node list -o wide)"
like "creel cluster info shows the sum of a resource" '^licence: +0 of 6 allocated' "$(creel cluster info)"
is "a queue is guaranteed its part of a resource" '[{"name":"licence","amount":4}]' \
    "$(creel queue show a --json | jq -c '.items[0].minimum.others')"

# --- requests ---
first=$(waiting go -q a -r licence=2,scratch=512Mi,mem=16M 2>"$T/error")
like "an amount that would be rounded to 0 units is refused" 'less than one Gi' "$(cat "$T/error")"
first=$(waiting go -q a -r licence=2,scratch=1,mem=16M,vcores=1)
becomes "a job with resource types runs" 60 running_is "$first" 1
is "creel cluster info counts the resources of the job as used" '2 1' "$(given licence) $(given scratch)"
is "the container of the job has the resources" \
    '[{"name":"licence","amount":2},{"name":"scratch","amount":1,"unit":"Gi"}]' \
    "$(creel container list --app "$first" --json | jq -c '.items[0].others')"
like "creel app show prints the allocated resources" '^Allocated: +1?16.*, 1 vcore, 2 licence, 1Gi scratch' "$(creel app show "$first")"
second=$(waiting go -q a -m 16M -r licence=2)
becomes "a second job with two licences runs" 60 running_is "$second" 1
# (submitted before the next job, whose reservation counts as use, as in YARN)
third=$(waiting go -q b -m 16M -r licence=1)
becomes "a job with one licence runs" 60 running_is "$third" 1
fourth=$(waiting go -q a -m 16M -r licence=2)
becomes "a third job with two licences is ACCEPTED" 30 state_is "$fourth" ACCEPTED
like "creel why names the nodes that lack licences" '2 lack licence' "$(creel why "$fourth")"
like "creel why shows the request" '1 x \(16 MiB, 1 vcore, 2 licence\)' "$(creel why "$fourth")"
fifth=$(waiting go -q b -m 16M -r licence=2)
becomes "a job above the maximum of licences of its queue is ACCEPTED" 30 state_is "$fifth" ACCEPTED
is "the job above the maximum of licences waits with reason QueueLimit" QueueLimit "$(reason_of "$fifth")"
# A request without headroom keeps later ones of its queue waiting, as in YARN.
for job in "$fourth" "$fifth"; do
    check "creel kill accepts the pending job $job" creel kill "$job"
    becomes "$job is KILLED" 30 state_is "$job" KILLED
done
check "a job of two tasks with a resource type succeeds" creel run -q a -m 16M -N 2 -r scratch=1 -- true

# --- refused requests ---
exits "an unknown resource type is refused" 8 creel submit -q a -r hammer=1 -- true
like "the error for an unknown resource type lists the known types" 'no such resource here, only memory-mb, vcores, licence, scratch' "$OUTPUT"
exits "an amount above the maximum allocation of a resource is refused" 8 \
    creel submit -q a -r licence=4 -- true
like "the error for too large an amount names the maximum allocation of the resource" \
    'above the maximum.*licence: 3>' "$OUTPUT"
exits "a negative amount is a usage error" 2 creel submit -q a -r licence=-1 -- true
exits "an unknown unit is a usage error" 2 creel submit -q a -r scratch=1GB -- true
exits "two amounts of one resource type are a usage error" 2 \
    creel submit -q a -r licence=1 -r licence=2 -- true
exits "--test-only refuses an amount larger than any node has" 8 \
    creel submit --test-only -q a -m 16M -r scratch=3 -- true
exits "a submission with an amount larger than any node has is refused" 8 \
    creel submit -q a -m 16M -r scratch=3 -- true
like "the error for too large an amount names the node with the largest amount" 'more scratch than any node has: the largest, [^ ]+, has .*scratch: ?2' "$OUTPUT"
exits "a request for GPUs is refused in a cluster without GPUs" 8 creel submit -q a -g 1 -- true
file resource-types.xml yarn.resource-types licence,scratch,hammer yarn.resource-types.scratch.units Gi \
    yarn.resource-types.licence.maximum-allocation 3
exits "a refresh that changes the resource types is refused" 7 creel admin refresh queues
like "the error for changed resource types reports that a restart applies the change" \
    'yarn\.resource-types: .*is restarted' "$OUTPUT"

# --- the resource manager is killed ---
before=$(given licence)
kill_nine "$(pid_of rm)"
check "the resource manager starts with one more resource type" creel dev up --dir "$T/dev" -n 2
becomes "both agents register again" 30 nodes_running_is 2
becomes "the licences in use are the same after the restart" 30 given_is licence "$before"
is "nodes offer the same resources after the restart" '["3 2Gi","3 2Gi"]' "$(nodes)"
exits "--test-only refuses the new resource type, which no node has" 8 \
    creel submit --test-only -q a -m 16M -r hammer=1 -- true
like "the error of --test-only names the new resource type" 'hammer' "$OUTPUT"
touch "$T/out/go"
for job in "$first" "$second" "$third"; do
    exits "$job ends" 0 creel wait "$job" --timeout 60
done
becomes "no licence is in use when all jobs have ended" 30 given_is licence 0

# --- a running container gives licences back ---
first=$(creel submit --id -q a -m 16M -r licence=2 -- sleep 600)
becomes "a job has two licences" 30 given_is licence 2
exits "creel container resize gives them back" 0 creel container resize "$(first_container "$first")" --resource licence=0 --wait
becomes "they can be used by others" 30 given_is licence 0
creel kill "$first" >/dev/null
finish
