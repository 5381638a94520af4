#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The state of the resource manager is lost while two agents have containers: one has joined with a token, one has a
# certificate. Both wait with their containers until the state is put back, or its loss is accepted.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
conf=$T/dev/conf
state=$(value .value conf show creel.resourcemanager.state-dir --conf "$conf")
keys=$T/dev/keys
rm_address="127.0.0.1:$(jq .client "$state/ports")"
up() { creel dev up --dir "$T/dev" -n 1 >"$T/up.log" 2>&1; }
kill_rm() { kill_nine "$(pid_of rm)"; }
states() { creel node list --json | jq -r '[.items[] | .state] | unique | join(" ")'; }
states_are() { [ "$(states)" = "$1" ] && [ "$(count node list)" = "${2:-2}" ]; }
payloads() { pgrep -xf "sleep $naptime" | sort; }
payloads_are() { [ "$(payloads | wc -l)" = "$1" ]; }
lose_state() { kill_rm; rm -rf "$T/kept"; cp -a "$state" "$T/kept"; find "${state:?}" -mindepth 1 -delete; }
put_back() { kill_rm; find "${state:?}" -mindepth 1 -delete; cp -a "$T/kept/." "$state"; }
health() { creel cluster health -o wide; }

token=$(creel --quiet token create --join)
unshare --uts -- sh -c "hostname localhost; creel setup node --conf $T/node --rm $rm_address --token $token" >"$T/setup" 2>&1 ||
    fail "the host localhost joins" "$(cat "$T/setup")"
mkdir "$T/agent"
sed -e 's|>127\.0\.0\.1<|>localhost<|' -e 's|>127\.0\.0\.1:8041<|>localhost:9041<|' -e 's|>127\.0\.0\.1:8042<|>localhost:9042<|' \
    -e "s|/agent-1/|/agent-9/|; s|-1</value>|-9</value>|" \
    -e "s|</configuration>|<property><name>creel.security.key-dir</name><value>$T/node/keys</value></property>&|" \
    "$T/dev/agent-1/conf/creel-site.xml" >"$T/agent/creel-site.xml"
creel-nm --conf "$T/agent" >"$T/agent/log" 2>&1 &
agent=$!
becomes "two nodes run" 60 states_are RUNNING

# Each task needs more than half of a node.
naptime=$(unlike_others)
creel submit --id -N 2 -m "$(($(value .total.memoryMb node list) * 6 / 10))M" -- sleep "$naptime" >"$T/id"
becomes "a task runs on each node" 60 payloads_are 2
before=$(payloads)
is "the list of hosts that have joined is in the key directory" localhost "$(awk '!/^[#@]/ {print $1}' "$keys/joined/hosts")"

lose_state
check "the resource manager starts with an empty state directory" up
becomes "both nodes are WAITING for a decision of the operator" 60 states_are WAITING
is "their containers continue" "$before" "$(payloads)"
like "creel cluster health names both ways out" 'state +failed .*localhost:9041.*creel admin state restore FILE.*creel admin state accept' "$(health)"
unlike "it does not propose to set up a new node" 'creel setup node' "$(health)"
like "the log names the list that admits the agents" '1 host has joined that the state does not have: the list in .*/keys/joined/hosts' "$(cat "$T/dev/rm/log")"

put_back
check "the resource manager starts with the former state" up
becomes "both nodes are RUNNING with the former state" 60 states_are RUNNING
is "the containers were not restarted" "$before" "$(payloads)"
becomes "the job is RUNNING" 60 state_is "$(cat "$T/id")" RUNNING

lose_state
check "the resource manager starts with an empty state directory again" up
becomes "both nodes are WAITING again" 60 states_are WAITING
check "creel admin state accept exits with 0" creel admin state accept --yes
becomes "both nodes are RUNNING after creel admin state accept" 60 states_are RUNNING
becomes "containers that the state does not have are ended" 60 payloads_are 0
is "creel token list --join shows the host" localhost "$(creel token list --join --json | jq -r '.items[] | select(.kind == "host") | .id')"

free() { creel node list --json | jq -e 'all(.items[]; .used.memoryMb == 0)'; }
becomes "nothing of them is counted any more" 60 free
naptime=$(unlike_others)
creel submit --id -N 2 -m "$(($(value .total.memoryMb node list) * 6 / 10))M" -- sleep "$naptime" >"$T/id"
becomes "another task runs on each node" 60 payloads_are 2

# The list cannot be written when the host is removed: it still has the host at the next start.
mv "$keys/joined/hosts" "$T/list"
mkdir "$keys/joined/hosts"
exits "creel token revoke --join removes the host" 0 creel token revoke --join localhost
becomes "the agent of the host is refused" 60 grep -q 'localhost at 127.0.0.1: its certificate is gone' "$T/dev/rm/log"
not_written() { health | grep -qE '^state-store +warning .*keys/joined/hosts: cannot be (written|read)'; }
becomes "creel cluster health warns that the list is not written" 30 not_written
kill_rm
rmdir "$keys/joined/hosts"
cp "$T/list" "$keys/joined/hosts"
check "the resource manager starts again" up
becomes "the other node is RUNNING" 60 states_are RUNNING 1
is "the host that was removed is not admitted again" "" "$(creel token list --join --json | jq -r '.items[] | select(.kind == "host") | .id')"
listed() { awk '!/^[#@]/' "$keys/joined/hosts"; }
lists_removal() { listed | grep -qE '^-localhost [0-9]+$' || [ -z "$(listed)" ]; }
becomes "the list in the key directory does not have the host any more" 30 lists_removal
lose_state
check "the resource manager starts with an empty state directory a third time" up
refused() { health | grep -E '^refused-agents +warning +1 agent is refused: unknown'; }
becomes "the agent of the removed host is refused after the loss of the state" 60 refused
like "the check asks whether the state was lost, and names the ways out" \
    'was the state lost.*creel admin state restore FILE.*install -d -m 755 agents in its key directory.*keys/agents.*creel admin state accept.*a new node: creel setup node' "$(health)"
becomes "the log of its agent, which has a container, asks that, too" 60 \
    grep -q "which has [12] containers*: was its state lost? .* install -d -m 755 agents in its key directory, copy $T/node/keys/agents/localhost of this node" "$T/agent/log"
becomes "the other node is WAITING" 60 states_are WAITING 1
kill "$agent"
ends "the agent exits with 0 on SIGTERM" 0 $agent "$T/agent/log"
finish
