#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Changes that administrators make in the running system are kept: stopped queues and labels of nodes, over a kill of
# the resource manager, a refresh, and a restart of an agent.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
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
site() {
    file yarn-site.xml yarn.resourcemanager.scheduler.class CapacityScheduler yarn.node-labels.enabled true \
        creel.node-labels "$1" yarn.nodemanager.resource.memory-mb 512 yarn.scheduler.maximum-allocation-mb 512 \
        creel.container.allowed-system-users root
}
queues() {
    file capacity-scheduler.xml $CS.root.queues a,b $CS.maximum-am-resource-percent 1 \
        $CS.root.a.capacity 50 $CS.root.b.capacity 50 $CS.root.a.user-limit-factor 10 \
        $CS.root.accessible-node-labels.fast.capacity 100 $CS.root.a.accessible-node-labels fast \
        $CS.root.a.accessible-node-labels.fast.capacity 100 $CS.root.b.accessible-node-labels ' ' "$@"
}
site fast
queues
cluster_up -n 2 --conf "$T/conf"
mapfile -t nodes < <(creel node list -o id | sort)
waiting() { local file=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $file ]; do sleep 0.1; done"; }
where() { value .nodeId container list --app "$1"; }
label_of() { creel node show "$1" --json | jq -r '.items[0].label // "none"'; }
restart_rm() {
    kill_nine "$(pid_of rm)"
    check "the resource manager starts again after a kill" creel dev up --dir "$T/dev" -n 2
    becomes "both agents register again" 30 nodes_running_is 2
}

# --- labels ---
is "creel label list has a label that no node has" '["fast",true,0]' "$(creel label list --json | jq -c '.items[0] | [.name, .exclusive, .nodes]')"
labelled=$(waiting go -q a -m 64M -l fast)
becomes "a job for that label waits with reason LabelNoMatch" 30 sh -c "creel why $labelled --json | jq -e '.items[0].reasons[0].code == \"LabelNoMatch\"'"
exits "creel node label sets the label of a node" 0 creel node label "${nodes[0]}" set fast
becomes "the job for the label runs" 60 running_is "$labelled" 1
is "the job for the label runs on the labelled node" "${nodes[0]}" "$(where "$labelled")"
like "creel label map lists the node with its label" "^${nodes[0]} +fast" "$(creel label map)"
plain=$(waiting go -q a -m 64M)
becomes "a job without a label runs" 60 running_is "$plain" 1
is "the job without a label runs on the other node" "${nodes[1]}" "$(where "$plain")"
by_partition() {
    curl -s "http://127.0.0.1:$1/ws/v1/cluster/apps/$2" |
        jq -c '[.app.resourceInfo.resourceUsagesByPartition[] | [.partitionName, .used.memory, .amUsed.memory]]'
}
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web").ports.web')
is "REST lists the resources of the job by node label" '[["",0,0],["fast",64,64]]' "$(by_partition "$web" "$labelled")"
is "REST lists the resources of a job without a label as one partition" '[["",64,64]]' "$(by_partition "$web" "$plain")"
blocked=$(creel submit --id -q a -m 512M -l fast -- true)
label_is() { creel queue show "$1" --json | jq -e ".items[0] | $2"; }
becomes "creel queue show has what waits for a label" 30 label_is a '.byLabel[0] | .label == "fast" and .pending.memoryMb == 512'
check "creel queue show has what a queue uses of a label" label_is a '.labels == ["fast"] and .byLabel[0].used.memoryMb == 64 and .used.memoryMb == 64'
like "so does its text" '^Label: +fast: used 64M, 1 vcore \(12.5%\), pending 512M' "$(creel queue show a)"
rows() { creel queue "$@" -o csv --no-header | tr -d '\r' | tr '\n' ' ' | sed 's/ $//'; }
is "creel queue list has rows for nodes without and with a label" 'root.a,,64M,12.5%,1,2 root.a,fast,64M,12.5%,1,' \
    "$(rows list --columns queue,label,mem,used,cont,running | grep -o 'root\.a.*,fast[^ ]*')"
is "creel queue tree has rows for nodes without and with a label" 'root,,64M root,fast,64M a,,64M a,fast,64M b,,0' \
    "$(rows tree --columns queue,label,mem | sed 's/  *\([ab],\)/ \1/g')"
is "creel queue list --label has the queues that may use the label" 'root,fast,64M,512M root.a,fast,64M,512M' \
    "$(rows list --label fast --columns queue,label,mem,mempending)"
is "an empty label selects the nodes without one" 'root,,64M root.a,,64M root.b,,0' "$(rows list --label '' --columns queue,label,mem)"
is "creel queue list --label has the same queues as JSON" '["root","root.a"]' "$(creel queue list --label fast --json | jq -c '[.items[].path]')"
is "creel queue users has rows for nodes without and with a label" 'root,,64M,3 root,fast,64M,' "$(rows users a --columns user,label,mem,apps)"
is "creel queue users has the amounts of the label as JSON" '[64,[["fast",64]]]' \
    "$(creel queue users a --json | jq -c '.items[0] | [.used.memoryMb, [.byLabel[] | [.label, .used.memoryMb]]]')"
is "creel queue users --label has the nodes of the label alone" 'root,fast,64M' "$(rows users a --label fast --columns user,label,mem)"
for command in list tree 'users a'; do
    # shellcheck disable=SC2086 # two words
    exits "creel queue $command refuses an unknown label" 3 creel queue $command --label slow
    like "its error lists the labels" 'label slow: not defined; there are: fast' "$OUTPUT"
done
like "creel queue explain names what waits for a label" '512 MiB of the nodes with label fast is asked for' "$(creel queue explain a)"
is "and not that nothing waits" "" "$(creel queue explain a | grep "Nothing waits")"
like "creel why compares use and limit of the same nodes" 'a uses 64 MiB, its maximum is 512 MiB' "$(creel why "$blocked")"
children() { curl -s "http://127.0.0.1:$web/ws/v1/cluster/scheduler" | jq -c '.scheduler.schedulerInfo.queues.queue[] | select(.queueName == "a")'; }
becomes "REST counts allocated and pending containers on nodes without a label" 30 eval 'children | jq -e ".allocatedContainers == 1 and .pendingContainers == 0 and .numContainers == 2"'
creel kill -y "$blocked"
exits "creel node label add refuses a second label for a node" 6 creel node label "${nodes[0]}" add other
exits "creel node label refuses an unknown label" 3 creel node label "${nodes[1]}" set slow
like "the error for an unknown label lists the known labels" 'there is fast' "$OUTPUT"
exits "creel node label of an unknown node exits with 3" 3 creel node label nowhere set fast
exits "creel node label without an action is a usage error" 2 creel node label "${nodes[0]}"
exits "creel node label sets the label of a node with a running container" 0 \
    creel node label "${nodes[1]}" set fast
is "the running job continues after the change of labels" RUNNING "$(state "$plain")"
is "creel label list counts both nodes" 2 "$(value .nodes label list)"
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$T/json"
creel label list --json >"$T/json/label_list.json"
creel label list -o jsonl >"$T/json/label_list.jsonl"
for format in json jsonl; do
    creel queue list -o $format >"$T/json/queue_list.$format"
    creel queue users a -o $format >"$T/json/queue_users.$format"
done
check "the JSON output of lists with labels is valid under its schema" \
    "$here/valid-json.py" "$BUILD/docs/schema" "$T/json"
exits "creel node label removes the label of a node" 0 creel node label "${nodes[1]}" remove fast

# --- labels that are added in the running system ---
exits "creel label add adds a shared label" 0 creel label add night:shared
like "creel label add describes the shared label" 'label night: is there, and lends itself' "$OUTPUT"
is "creel label list shows who added the label" '["night",false,"command","root"]' \
    "$(creel label list --json | jq -c '.items[] | select(.name == "night") | [.name, .exclusive, .source, .addedBy]')"
exits "creel label add of an existing label exits with 0" 0 creel label add 'night(exclusive=false)'
exits "creel label add of an existing label with another exclusivity is refused" 6 \
    creel label add night:exclusive
exits "creel label add refuses an invalid name" 1 creel label add day -- a.b
is "no label is added by a refused command" 0 "$(creel label list -o id | grep -c day)"
exits "an unknown kind of label is a usage error" 2 creel label add night:dark
exits "creel label remove refuses a label of the configuration" 6 creel label remove fast
like "the error of creel label remove names the key that defines the label" \
    'creel.node-labels names it' "$OUTPUT"
exits "creel label remove of an unknown label exits with 3" 3 creel label remove noon
exits "a job for an unknown label is refused" 3 creel submit -l noon -q a -m 64M -- true
like "the error for a job with an unknown label lists the known labels" 'there is fast, night' "$OUTPUT"
exits "creel node label accepts the added label" 0 creel node label "${nodes[1]}" add night
like "creel node list -o wide shows the label of a node" "^${nodes[1]} .* night" "$(creel node list -o wide)"
like "creel cluster info shows the labels" \
    'Labels: +fast, 1 node; night, shared, 1 node' "$(creel cluster info)"
for format in json jsonl; do
    creel label add night:shared -o $format >"$T/json/label_add.$format"
    creel cluster info -o $format >"$T/json/cluster_info.$format"
done
check "the JSON output of creel label add and creel cluster info is valid" \
    "$here/valid-json.py" "$BUILD/docs/schema" "$T/json"
restart_rm
is "the added label is kept over a restart of the resource manager" '["night",false,1]' \
    "$(creel label list --json | jq -c '.items[] | select(.name == "night") | [.name, .exclusive, .nodes]')"
queues $CS.root.b.accessible-node-labels night $CS.root.accessible-node-labels.night.capacity 100 \
    $CS.root.b.accessible-node-labels.night.capacity 100
exits "a refresh makes the added label accessible to a queue" 0 creel admin refresh queues
exits "creel label remove refuses a label that a queue uses" 6 creel label remove night
like "the error of creel label remove names each key that names the label" \
    "queue root names it in $CS.root.accessible-node-labels.night.capacity, $CS.root.b.accessible-node-labels,\
 $CS.root.b.accessible-node-labels.night.capacity: remove the label there" "$OUTPUT"
queues
exits "a refresh removes the label from the queue" 0 creel admin refresh queues
exits "creel label remove removes the label" 0 creel label remove night
is "creel queue list has no rows for the removed label" "" "$(creel queue list -o csv --columns queue,label --no-header | grep night)"
is "the node of the removed label has no label" none "$(label_of "${nodes[1]}")"
is "the running job continues after the change of labels" RUNNING "$(state "$plain")"
restart_rm
is "the removed label is still absent after a restart of the resource manager" \
    fast "$(creel label list -o id)"
is "the labels of nodes are kept over a restart of the resource manager" \
    "fast none" "$(label_of "${nodes[0]}") $(label_of "${nodes[1]}")"
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
check "both agents start again after a kill" creel dev up --dir "$T/dev" -n 2
becomes "both nodes are RUNNING" 30 nodes_running_is 2
is "the labels of nodes are kept over a restart of the agents" \
    "fast none" "$(label_of "${nodes[0]}") $(label_of "${nodes[1]}")"
becomes "the job for the label runs after the restart of the agents" 30 running_is "$labelled" 1
touch "$T/out/go"
exits "both jobs end" 0 creel wait "$labelled" "$plain" --timeout 60

# --- queues ---
exits "creel queue stop stops a queue" 0 creel queue stop b
restart_rm
exits "the stopped queue refuses submissions after a restart of the resource manager" 6 \
    creel submit -q b -m 64M -- true
queues $CS.root.b.priority 1
exits "a refresh with another change of the queue exits with 0" 0 creel admin refresh queues
like "the refresh reports that the queue stays stopped" 'root\.b: stays stopped' "$OUTPUT"
exits "the stopped queue refuses submissions after the refresh" 6 creel submit -q b -m 64M -- true
like "creel queue explain names creel queue stop" \
    'stopped it with creel queue stop' "$(creel queue explain b)"
queues $CS.root.b.state RUNNING
exits "a refresh that sets the state of the queue to RUNNING exits with 0" 0 creel admin refresh queues
like "the refresh reports that the configuration changed the state" \
    'root\.b: its state was changed in the configuration' "$OUTPUT"
exits "the queue runs a job when its state in the file is RUNNING" 0 creel run -q b -m 64M -- true
queues $CS.root.b.state STOPPED
exits "a refresh that sets the state of the queue to STOPPED exits with 0" 0 creel admin refresh queues
exits "creel queue start starts the queue that is STOPPED in the file" 0 creel queue start b
restart_rm
exits "the started queue runs a job after a restart of the resource manager" 0 creel run -q b -m 64M -- true
finish
