#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The REST interface of agents: containers, the address in reports of the resource manager, and the effect of a crash.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

http_port() { creel dev status --dir "$T/dev" --json | jq ".items[] | select(.role == \"agent\" and .number == $1).ports.http"; }
node=http://127.0.0.1:$(http_port 1)/ws/v1/node
page() { curl -sS -m 20 "$@"; }
check "each agent has its own HTTP port" test "$(http_port 1)" != "$(http_port 2)"
is "the agent has the same node id as the resource manager" "$(value .nodeId node list | sort | head -1)" "$(page "$node" | jq -r .nodeInfo.id)"
is "creel node list has the HTTP address of the agent" "${node%/ws/v1/node}" "http://$(creel node list --json | jq -r '.items | sort_by(.nodeId)[0].httpAddress')"
rm=http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')/ws/v1/cluster
named() { [ "http://$(page "$rm/nodes" | jq -r '.nodes.node | sort_by(.id)[0].nodeHTTPAddress')/ws/v1/node" = "$node" ]; }
becomes "the REST interface of the resource manager has the HTTP address of the agent" 20 named

id=$(creel submit --id -N 2 -- sh -c 'echo one two; exec sleep $0' "$(unlike_others)")
on_nodes() { for i in 1 2; do page "http://127.0.0.1:$(http_port "$i")/ws/v1/node/containers" | jq -r '.containers.container[]?.state'; done; }
all_run() { [ "$(on_nodes | grep -c RUNNING)" = 3 ]; }
becomes "the agents show the three containers of a job" 30 all_run
container=$(first_container "$id")
for i in 1 2; do
    [ "$(page -o /dev/null -w '%{http_code}' "http://127.0.0.1:$(http_port "$i")/ws/v1/node/containers/$container")" = 200 ] && node=http://127.0.0.1:$(http_port "$i")/ws/v1/node
done
is "the agent shows id, state and user of a container" "$container RUNNING root" "$(page "$node/containers/$container" | jq -r '.container | "\(.id) \(.state) \(.user)"')"
is "the agent shows id and state of an application" \
    "$id RUNNING" "$(page "$node/apps/$id" | jq -r '.app | "\(.id) \(.state)"')"
like "the agent shows an application as XML" "<app><id>$id</id><state>RUNNING</state>" "$(page -H 'Accept: application/xml' "$node/apps/$id")"
is "an unknown path is a NotFoundException with 404, as in YARN" "404 NotFoundException" \
    "$(page -o "$T/error" -w '%{http_code} ' "$node/foo"; jq -r .RemoteException.exception "$T/error")"

# --- logs and metrics
for i in 1 2; do
    url=http://127.0.0.1:$(http_port "$i")
    task=$(page "$url/ws/v1/node/containers" | jq -r '[.containers.container[]?.id | select(test("_000001$") | not)][0] // empty')
    [ -z "$task" ] || break
done
written() { [ "$(page "$url/ws/v1/node/containerlogs/$task/stdout?raw=1")" = "one two" ]; }
becomes "the agent serves the log of a task" 20 written
is "the agent serves a part of a log" \
    "two" "$(page "$url/ws/v1/node/containers/$task/logs/stdout?raw=1&start=4&end=7")"
is "the agent lists the logs of a task with their sizes" "stdout 8" "$(page "$url/ws/v1/node/containers/$task/logs" | jq -r '.containerLogsInfo.containerLogInfo[] | select(.fileName == "stdout") | "\(.fileName) \(.fileSize)"')"
like "its page" "stdout : Total file length is 8 bytes" "$(page "$url/node/containerlogs/$task/root")"
like "a part of it as a page" "data-next=\"8\">two" "$(page "$url/node/containerlogs/$task/root/stdout/?start=-4")"
like "the metrics of the agent count the running containers" '^creel_agent_containers\{state="running"\} [12]$' "$(page "$url/metrics")"

like "and the memory of the agent" '^process_resident_memory_bytes [1-9]' "$(page "$url/metrics")"

# --- half requests, from five addresses, on more connections than there are places
answers_beside() {      # URL
    local port=${1#http://127.0.0.1:} status
    coproc HELD { exec python3 "$(dirname "$0")/../hostile/slowloris.py" "${port%%/*}" 5 250; }
    read -r status <&"${HELD[0]}"
    status+=" $(page -o /dev/null -w '%{http_code}' "$1")"
    eval "exec ${HELD[1]}>&-"
    wait "$HELD_PID"
    echo "$status"
}
is "the agent answers while 1250 half requests are open" "ready 200" "$(answers_beside "$node")"
is "the web pages answer while 1250 half requests are open" "ready 200" "$(answers_beside "$rm/info")"
like "the agent counts the connections that it closed" '^creel_agent_http_connections_refused_total\{reason="full"\} [1-9]' "$(page "${node%/ws/v1/node}/metrics")"
like "the log of the agent has a line about them" 'REST interface: HTTP connection from 127.0.1.[1-5]: closed, all 256 connections are in use' "$(cat "$T"/dev/agent-*/log)"

# --- a crash
agent=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "agent" and .number == 1).pid')
server=$(pgrep -P "$agent" -x creel-nm-web)
filter=2
grep -qE '__asan_init|__tsan_init' "$BUILD/creel-nm-web" && filter=0
is "creel-nm-web has no capabilities, and a seccomp filter unless built with sanitizers" \
    "0000000000000000 $filter" \
    "$(awk '/^CapEff:|^Seccomp:/ { print $2 }' "/proc/$server/status" | paste -sd ' ')"
kill -9 "$server"
another() { server_2=$(pgrep -P "$agent" -x creel-nm-web) && [ "$server_2" != "$server" ]; }
becomes "creel-nm-web is started again after a kill" 20 another
is "the new creel-nm-web has the same port" 200 "$(page -o /dev/null -w '%{http_code}' "http://127.0.0.1:$(http_port 1)/ws/v1/node")"
is "the containers continue after the kill of creel-nm-web" 3 "$(on_nodes | grep -c RUNNING)"
exits "creel kill accepts the job" 0 creel kill "$id"
none() { page "$node/containers" | jq -e '[.containers.container[]? | select(.state == "RUNNING")] == []' >"$T/none"; }
becomes "the agent shows no running container after creel kill" 30 none

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
becomes "a job runs with yarn.acl.enable" 30 state_is "$id" RUNNING
task=$(page "$node/containers" | jq -r '.containers.container[0].id')
is "the agent refuses to serve a log with yarn.acl.enable" "403 ForbiddenException" \
    "$(page -o "$T/error" -w '%{http_code} ' "$node/containers/$task/logs/stdout"; jq -r .RemoteException.exception "$T/error")"
finish
