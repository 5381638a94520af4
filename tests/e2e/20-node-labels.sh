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
    check "the resource manager is killed and comes back" creel dev up --dir "$T/dev" -n 2
    becomes "both agents are back" 30 nodes_running_is 2
}

# --- labels ---
is "there is a label that no node has" '["fast",true,0]' "$(creel label list --json | jq -c '.items[0] | [.name, .exclusive, .nodes]')"
labelled=$(waiting go -q a -m 64M -l fast)
becomes "who asks for it waits" 30 sh -c "creel why $labelled --json | jq -e '.items[0].reasons[0].code == \"LabelNoMatch\"'"
exits "a node gets it" 0 creel node label "${nodes[0]}" set fast
becomes "and who waits is there" 60 running_is "$labelled" 1
is "and nowhere else" "${nodes[0]}" "$(where "$labelled")"
like "the map lists the label" "^${nodes[0]} +fast" "$(creel label map)"
plain=$(waiting go -q a -m 64M)
becomes "who asks for none is elsewhere" 60 running_is "$plain" 1
is "than on it" "${nodes[1]}" "$(where "$plain")"
exits "a node that has one is not given another by the way" 6 creel node label "${nodes[0]}" add other
exits "a label that nobody defined is refused" 3 creel node label "${nodes[1]}" set slow
like "and those that exist are listed" 'there is fast' "$OUTPUT"
exits "a node that is not there is refused" 3 creel node label nowhere set fast
exits "the label to set must be given" 2 creel node label "${nodes[0]}"
exits "the other becomes one while something runs there" 0 creel node label "${nodes[1]}" set fast
is "what runs there goes on" RUNNING "$(state "$plain")"
is "the label has both" 2 "$(value .nodes label list)"
here=$(cd "$(dirname "$0")" && pwd)
mkdir "$T/json"
creel label list --json >"$T/json/label_list.json"
creel label list -o jsonl >"$T/json/label_list.jsonl"
check "which is valid JSON" "$here/valid-json.py" "$here/../../docs/schema" "$T/json"
exits "it is taken away again" 0 creel node label "${nodes[1]}" remove fast

# --- labels that are added in the running system ---
exits "a label is added, which others may borrow" 0 creel label add night:shared
like "that is reported" 'label night: is there, and lends itself' "$OUTPUT"
is "and shown" '["night",false,"command","root"]' \
    "$(creel label list --json | jq -c '.items[] | select(.name == "night") | [.name, .exclusive, .source, .addedBy]')"
exits "adding it again is no error" 0 creel label add 'night(exclusive=false)'
exits "but it cannot become another" 6 creel label add night:exclusive
exits "one that is no name is refused" 1 creel label add day -- a.b
is "and with it all that were named" 0 "$(creel label list -o id | grep -c day)"
exits "what is no kind is wrong usage" 2 creel label add night:dark
exits "a label of the configuration stays" 6 creel label remove fast
like "the error names the key that defines it" 'creel.node-labels names it' "$OUTPUT"
exits "one that is not there is not found" 3 creel label remove noon
exits "a job for it is refused" 3 creel submit -l noon -q a -m 64M -- true
like "and the error lists the labels" 'there is fast, night' "$OUTPUT"
exits "a node gets the new one" 0 creel node label "${nodes[1]}" add night
like "the list of nodes shows it" "^${nodes[1]} .* night" "$(creel node list -o wide)"
like "so does the cluster" 'Labels: +fast, 1 node; night, shared, 1 node' "$(creel cluster info)"
for format in json jsonl; do
    creel label add night:shared -o $format >"$T/json/label_add.$format"
    creel cluster info -o $format >"$T/json/cluster_info.$format"
done
check "all of it is valid JSON" "$here/valid-json.py" "$here/../../docs/schema" "$T/json"
restart_rm
is "it outlives the resource manager" '["night",false,1]' \
    "$(creel label list --json | jq -c '.items[] | select(.name == "night") | [.name, .exclusive, .nodes]')"
queues $CS.root.b.accessible-node-labels night $CS.root.accessible-node-labels.night.capacity 100 \
    $CS.root.b.accessible-node-labels.night.capacity 100
exits "a queue takes it up" 0 creel admin refresh queues
exits "then it stays" 6 creel label remove night
like "the error names the queue" 'queue root.* uses it' "$OUTPUT"
queues
exits "the queue lets go of it" 0 creel admin refresh queues
exits "and it goes" 0 creel label remove night
is "from the node, too" none "$(label_of "${nodes[1]}")"
is "what runs there goes on" RUNNING "$(state "$plain")"
restart_rm
is "it stays away" fast "$(creel label list -o id)"
is "a label is kept" "fast none" "$(label_of "${nodes[0]}") $(label_of "${nodes[1]}")"
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
check "the agents are killed and come back" creel dev up --dir "$T/dev" -n 2
becomes "both are there" 30 nodes_running_is 2
is "over that, too" "fast none" "$(label_of "${nodes[0]}") $(label_of "${nodes[1]}")"
becomes "and what runs runs" 30 running_is "$labelled" 1
touch "$T/out/go"
exits "all of it ends" 0 creel wait "$labelled" "$plain" --timeout 60

# --- queues ---
exits "a queue is stopped" 0 creel queue stop b
restart_rm
exits "it stays so" 6 creel submit -q b -m 64M -- true
queues $CS.root.b.priority 1
exits "a refresh is taken" 0 creel admin refresh queues
like "and reports that the queue stays as it was" 'root\.b: stays stopped' "$OUTPUT"
exits "which it does" 6 creel submit -q b -m 64M -- true
like "and is explained" 'stopped it with creel queue stop' "$(creel queue explain b)"
queues $CS.root.b.state RUNNING
exits "a refresh that changes its state in the file" 0 creel admin refresh queues
like "and the message gives the reason" 'root\.b: its state was changed in the configuration' "$OUTPUT"
exits "it takes applications" 0 creel run -q b -m 64M -- true
queues $CS.root.b.state STOPPED
exits "the file stops it" 0 creel admin refresh queues
exits "somebody starts it" 0 creel queue start b
restart_rm
exits "and it takes applications still" 0 creel run -q b -m 64M -- true
finish
