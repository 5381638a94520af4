#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Shared storage of logs that does not answer: the commands that print logs end with the reason.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hung.sh"
mkdir "$T/conf" "$T/shared"
chmod 1777 "$T/shared"
cat >"$T/conf/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.log-aggregation-enable</name><value>true</value></property>
  <property><name>yarn.nodemanager.remote-app-log-dir</name><value>file://$T/shared</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
id=$(creel submit --id -m 64M -- echo printed)
check "a job ends" creel wait "$id"
becomes "its logs are on shared storage" 60 value_is .logAggregationStatus SUCCEEDED status "$id"
on_node() { find "$T/dev/agent-1/logs" -path "*/$id/*" -type f | grep -q .; }
becomes "and no longer on the node" 60 eval "! on_node"
like "they are printed" '^printed$' "$(creel logs "$id")"

freeze "$T/shared"
exits "creel logs fails" 1 timeout -s KILL 120 creel logs "$id" --timeout 2
like "it has the reason" "$T/shared: does not answer: look at the mount of the shared storage" "$OUTPUT"
timeout -s KILL 120 creel-yarn logs -applicationId "$id" >"$T/yarn" 2>&1
like "so has creel-yarn logs" "$T/shared: does not answer: look at the mount of the shared storage" "$(cat "$T/yarn")"
children() { pgrep -P "$1" >/dev/null; }
creel logs "$id" --timeout 500 >"$T/interrupted" 2>&1 &
pid=$!
becomes "creel logs waits for the storage" 60 children "$pid"
kill "$pid"
becomes "it ends at once on a signal" 60 gone "$pid"
is "the process that reads the storage is gone" "" "$(pgrep -f "^creel logs $id" || true)"

thaw
like "the logs are printed when the storage answers" '^printed$' "$(creel logs "$id")"
finish
