#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The secrets of one agent are worth one node: its keys sign nothing that another node accepts, its certificate
# registers one node at a time, and no node of an impossible size is registered.
. "$(dirname "$0")/lib.sh"
rogue=$BUILD/tests/e2e/rogue-agent
keys=$T/dev/keys
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root</value></property>
  <property><name>creel.resourcemanager.node-maximum-mb</name><value>1048576</value></property>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>4000</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"
creel keygen agent evil.example >/dev/null 2>&1
id=$(creel submit --id -N 2 -m 16M -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.2; done; echo end")
becomes "a job runs" 60 running_is "$id" 3
container=$(first_container "$id")
rm=127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "rm") | .ports.agent')
show() { creel container show "$container" --json | jq -r ".items[0].$1"; }
node=$(show nodeId)
agent_key() { sed -n 's/.*public-key *= *"\(.*\)"/\1/p' "$keys/agents/default"; }

try() { "$rogue" "$1" "$keys" "$rm" "$node" "$(agent_key)" "$node" "$container" "${@:2}"; }

# --- another node with its own certificate, and another node with the shared one
for own in evil.example:8041 127.0.0.1:9; do
    said=$(try "$own")
    is "an agent that registers $own forges nothing for another node" 0 $?
    is "all five requests with its tokens were refused by their signature" 5 "$(grep -c 'wrong signature' <<<"$said")"
done
is "the job still runs" 3 "$(running_containers "$id")"

# --- one certificate, one node
said=$(try evil.example:8042)
is "a second node with the same certificate is refused" 3 $?
like "... and the error names the certificate, the node that uses it and the key" \
    'certificate agents/evil.example is in use by node evil.example:8041.*creel.resourcemanager.nodes-per-certificate' "$said"
like "creel cluster health names the refused agent and the reason" \
    '^refused-agents +warning +1 agent is refused: evil.example \(127.0.0.1, key .{8}..., since 2[^ ]*Z\): .*certificate agents/evil.example is in use' \
    "$(creel cluster health -o wide)"
registers() { try evil.example:8042 >/dev/null; [ $? = 0 ]; }
becomes "it is registered after the first one has fallen silent" 30 registers
check_is() { [ "$(creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c).result')" = "$2" ]; }
check "then no agent is refused any more" check_is refused-agents ok

# --- a node of an impossible size
said=$(try evil.example:8042 2097152)
is "a node above creel.resourcemanager.node-maximum-mb is refused" 3 $?
like "creel cluster health names it, its size and the key" \
    '^refused-agents +warning +1 agent is refused: evil.example .*offers <memory:2097152, vCores:1>.*raise creel.resourcemanager.node-maximum-mb' \
    "$(creel cluster health -o wide)"

# --- an agent of another version
said=$(try evil.example:8042 1024 99)
is "an agent without a common version of the protocol is refused" 3 $?
like "creel cluster health names it, both versions and what to update" \
    '^refused-agents +warning +1 agent is refused: evil.example \(127.0.0.1, key .{8}..., since 2[^ ]*Z\): .*creel-nm rogue has 99 to 99, creel-rm [^ ]+ has 1 to 1; update creel-rm' \
    "$(creel cluster health -o wide)"
becomes "it is registered with a common version" 30 registers
check "then no agent is refused any more" check_is refused-agents ok

creel node decommission --kill-now evil.example:8042 >"$T/decommission.log" 2>&1 || fail "the node is decommissioned" "$(cat "$T/decommission.log")"
said=$(try evil.example:8042 2097152)
is "the node is refused after an administrator has decommissioned it, too" 3 $?
like "... for that reason" 'node evil.example:8042: .*decommissioned' "$said"
check "creel cluster health does not report a node that an administrator has decommissioned" check_is refused-agents ok
touch "$T/out/go"
exits "the job ends" 0 creel wait "$id"
like "its logs are read with tokens of each node" 'end' "$(creel logs "$id")"
finish
