#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Preemption with the dominant calculator and a queue so small that its guarantee has no vcore and no GPU: nothing is
# preempted while no other queue, user or application asks. If another queue asks, it gets its guarantee. A drain, a
# smaller maximum and an increase on a drained node preempt nothing.
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
MONITOR=yarn.resourcemanager.monitor.capacity.preemption
file yarn-site.xml yarn.resourcemanager.scheduler.class CapacityScheduler \
    yarn.nodemanager.resource.memory-mb 2048 yarn.nodemanager.resource.cpu-vcores 8 \
    yarn.scheduler.minimum-allocation-mb 16 yarn.scheduler.maximum-allocation-mb 2048 \
    yarn.resourcemanager.scheduler.monitor.enable true \
    $MONITOR.monitoring_interval 100 $MONITOR.max_wait_before_kill 300 \
    $MONITOR.total_preemption_per_round 1.0 $MONITOR.natural_termination_factor 1.0 \
    $MONITOR.intra-queue-preemption.enabled true $MONITOR.intra-queue-preemption.minimum-threshold 0 \
    $MONITOR.intra-queue-preemption.max-allowable-limit 1.0 \
    creel.container.allowed-system-users root
file resource-types.xml yarn.resource-types gpu
file node-resources.xml yarn.nodemanager.resource-type.gpu 4
# queues MAXIMUM: writes the queues, of which the small one has this maximum-capacity.
queues() {
    file capacity-scheduler.xml $CS.resource-calculator DominantResourceCalculator $CS.root.queues small,large \
        $CS.maximum-am-resource-percent 1 \
        $CS.root.small.capacity 6 $CS.root.small.maximum-capacity "$1" $CS.root.small.user-limit-factor 100 \
        $CS.root.large.capacity 94 $CS.root.large.user-limit-factor 100
}
queues 100
cluster_up -n 2 --conf "$T/conf"
port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')

metrics() { curl -sS -m 20 "http://127.0.0.1:$port/metrics"; }
rounds() { metrics | awk '$1 == "creel_preemption_rounds_total" { print $2 }'; }
rounds_above() { [ "$(rounds)" -gt "$1" ]; }
# pass_rounds: waits until 20 rounds of preemption have run: the time from notice to kill is three rounds.
pass_rounds() {
    local before
    wait_until 20 rounds_above 0
    before=$(rounds)
    becomes "20 rounds of preemption run" 60 rounds_above $((before + 20))
}
preempted() { creel container list --app "$1" --json | jq '[.items[] | select(.exitStatus == -102)] | length'; }
notices() { find "$T/dev" -name preempt.json | wc -l; }
# untouched NAME ID CONTAINERS: passes the rounds, and checks that no container of the job got a notice or was preempted.
untouched() {
    pass_rounds
    is "$1: no container is preempted" 0 "$(preempted "$2")"
    is "$1: no container has a preemption notice" 0 "$(notices)"
    is "$1: all containers run" "$3" "$(running_containers "$2")"
}
waiting() { local file=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $file ]; do sleep 0.1; done"; }

becomes "both nodes register" 60 nodes_running_is 2
is "the guarantee of the small queue has no vcore and no GPU" '[0,0]' \
    "$(creel queue show small --json | jq -c '.items[0].minimum | [.vcores, ([.others[]?.amount] | add // 0)]')"

# --- one queue is alone ---
a=$(waiting a -q small -N 3 -m 64M -c 1)
becomes "a job of the small queue runs" 60 running_is "$a" 4
untouched "a small queue alone" "$a" 4

# --- one user, two applications: preemption within the queue is on ---
b=$(waiting b -q small -N 2 -r gpu=2,mem=64M,vcores=1)
becomes "a job with GPUs runs" 60 running_is "$b" 3
untouched "two jobs of one user, with GPUs" "$b" 3
is "the first job still has all its containers" '4 0' "$(running_containers "$a") $(preempted "$a")"

# --- the small queue uses the whole cluster ---
# Its jobs fill the 16 vcores; the other queue is guaranteed 15.
c=$(waiting c -q small -N 8 -m 64M -c 1)
becomes "the small queue uses all vcores" 60 running_is "$c" 9
untouched "a small queue that uses the whole cluster" "$c" 9

# --- its maximum becomes smaller ---
queues 50
exits "a refresh lowers the maximum of the small queue below its use" 0 creel admin refresh queues
untouched "a lower maximum" "$c" 9
exits "all nodes are drained without a deadline" 0 creel admin drain-all --reason "new switch" --yes
untouched "a drain of all nodes" "$c" 9
is "the other jobs still have all their containers" '4 0 3 0' \
    "$(running_containers "$a") $(preempted "$a") $(running_containers "$b") $(preempted "$b")"
exits "all nodes return to service" 0 creel admin undrain-all --yes
queues 100
exits "a refresh restores the maximum" 0 creel admin refresh queues

# --- another queue asks ---
d=$(waiting d -q large -N 3 -m 64M -c 1)
becomes "a job of the large queue gets the vcores that it asks for" 60 running_is "$d" 4
all_preempted() { echo "$(($(preempted "$a") + $(preempted "$b") + $(preempted "$c")))"; }
is "four containers of the small queue are preempted for it" 4 "$(all_preempted)"
becomes "the metrics count them" 20 sh -c \
    "curl -sS -m 20 http://127.0.0.1:$port/metrics | grep -q '^creel_preemption_containers_total{queue=\"root.large\",victim_queue=\"root.small\"} 4\$'"

# --- it asks for an increase on a drained node ---
grows=$(creel container list --app "$d" --json | jq -r '.items[0].id')
node=$(value .nodeId container show "$grows")
exits "its node is drained without a deadline" 0 creel node drain "$node" --reason "new disk" --no-deadline
exits "an increase is accepted there" 0 creel container resize "$grows" -c 4
pass_rounds
is "the increase preempts nothing" 4 "$(all_preempted)"
is "no container has a notice for it" 0 "$(notices)"

touch "$T"/out/{a,b,c,d}
exits "the node returns to service" 0 creel node undrain "$node"
exits "all jobs end" 0 creel wait "$a" "$b" "$c" "$d" --timeout 60
finish
