#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The REST interface of agents: containers, the address in reports of the resource manager, and the effect of a crash.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

http_port() { creel dev status --dir "$T/dev" --json | jq ".items[] | select(.role == \"agent\" and .number == $1).ports.http"; }
node=http://127.0.0.1:$(http_port 1)/ws/v1/node
page() { curl -sS -m 20 "$@"; }
check "each agent has a port of its own" test "$(http_port 1)" != "$(http_port 2)"
is "the node's id is that of the resource manager" "$(value .nodeId node list | sort | head -1)" "$(page "$node" | jq -r .nodeInfo.id)"
is "creel node list names the interface" "${node%/ws/v1/node}" "http://$(creel node list --json | jq -r '.items | sort_by(.nodeId)[0].httpAddress')"
rm=http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')/ws/v1/cluster
named() { [ "http://$(page "$rm/nodes" | jq -r '.nodes.node | sort_by(.id)[0].nodeHTTPAddress')/ws/v1/node" = "$node" ]; }
becomes "and so does the REST interface of the resource manager" 20 named

id=$(creel submit --id -N 2 -- sh -c 'echo one two; exec sleep $0' "$(unlike_others)")
on_nodes() { for i in 1 2; do page "http://127.0.0.1:$(http_port "$i")/ws/v1/node/containers" | jq -r '.containers.container[]?.state'; done; }
all_run() { [ "$(on_nodes | grep -c RUNNING)" = 3 ]; }
becomes "the nodes show the three containers of a job" 30 all_run
container=$(first_container "$id")
for i in 1 2; do
    [ "$(page -o /dev/null -w '%{http_code}' "http://127.0.0.1:$(http_port "$i")/ws/v1/node/containers/$container")" = 200 ] && node=http://127.0.0.1:$(http_port "$i")/ws/v1/node
done
is "one container" "$container RUNNING root" "$(page "$node/containers/$container" | jq -r '.container | "\(.id) \(.state) \(.user)"')"
is "its application" "$id RUNNING" "$(page "$node/apps/$id" | jq -r '.app | "\(.id) \(.state)"')"
like "as XML" "<app><id>$id</id><state>RUNNING</state>" "$(page -H 'Accept: application/xml' "$node/apps/$id")"
is "an address that is not there is an error in YARN's form" "404 NotFoundException" \
    "$(page -o "$T/error" -w '%{http_code} ' "$node/foo"; jq -r .RemoteException.exception "$T/error")"

# --- logs and metrics
for i in 1 2; do
    url=http://127.0.0.1:$(http_port "$i")
    task=$(page "$url/ws/v1/node/containers" | jq -r '[.containers.container[]?.id | select(test("_000001$") | not)][0] // empty')
    [ -z "$task" ] || break
done
written() { [ "$(page "$url/ws/v1/node/containerlogs/$task/stdout?raw=1")" = "one two" ]; }
becomes "the log of a task is served" 20 written
is "a part of it" "two" "$(page "$url/ws/v1/node/containers/$task/logs/stdout?raw=1&start=4&end=7")"
is "its list" "stdout 8" "$(page "$url/ws/v1/node/containers/$task/logs" | jq -r '.containerLogsInfo.containerLogInfo[] | select(.fileName == "stdout") | "\(.fileName) \(.fileSize)"')"
like "its page" "stdout : Total file length is 8 bytes" "$(page "$url/node/containerlogs/$task/root")"
like "a part of it as a page" "data-next=\"8\">two" "$(page "$url/node/containerlogs/$task/root/stdout/?start=-4")"
like "metrics count the containers" '^creel_agent_containers\{state="running"\} [12]$' "$(page "$url/metrics")"

like "and the memory of the agent" '^process_resident_memory_bytes [1-9]' "$(page "$url/metrics")"

# --- a crash
agent=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "agent" and .number == 1).pid')
server=$(pgrep -P "$agent" -x creel-nm-web)
filter=2
grep -qE '__asan_init|__tsan_init' "$BUILD/creel-nm-web" && filter=0
is "the server has no capabilities, and a filter of system calls" "0000000000000000 $filter" \
    "$(awk '/^CapEff:|^Seccomp:/ { print $2 }' "/proc/$server/status" | paste -sd ' ')"
kill -9 "$server"
another() { server_2=$(pgrep -P "$agent" -x creel-nm-web) && [ "$server_2" != "$server" ]; }
becomes "after its end another one serves" 20 another
is "on the same port" 200 "$(page -o /dev/null -w '%{http_code}' "http://127.0.0.1:$(http_port 1)/ws/v1/node")"
is "and the containers run on" 3 "$(on_nodes | grep -c RUNNING)"
exits "the job is killed" 0 creel kill "$id"
none() { page "$node/containers" | jq -e '[.containers.container[]? | select(.state == "RUNNING")] == []' >"$T/none"; }
becomes "and the node shows no container that runs" 30 none

# --- with yarn.acl.enable or an authentication for the web, this interface shows no logs and no diagnostics
creel dev down --dir "$T/dev" >"$T/down.log" 2>&1
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.acl.enable</name><value>true</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"
node=http://127.0.0.1:$(http_port 1)/ws/v1/node
id=$(creel submit --id -- sh -c 'echo one two; exec sleep $0' "$(unlike_others)")
becomes "with access lists a job runs" 30 state_is "$id" RUNNING
task=$(page "$node/containers" | jq -r '.containers.container[0].id')
is "and its log is not served" "403 ForbiddenException" \
    "$(page -o "$T/error" -w '%{http_code} ' "$node/containers/$task/logs/stdout"; jq -r .RemoteException.exception "$T/error")"
finish
