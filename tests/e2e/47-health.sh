#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel cluster health reports a refused refresh and a lost node, with an exit status for monitoring.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>3000</value></property>
</configuration>
X
cat >"$T/conf/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
result_of() { creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c).result'; }
result_is() { [ "$(result_of "$1")" = "$2" ]; }

exits "a cluster without a fault is healthy" 0 creel cluster health
is "every check is ok" ok "$(creel cluster health --json | jq -r '[.items[].result] | unique[]')"
is "with --quiet nothing is printed" "" "$(creel cluster health --quiet)"

conf=$(find "$T/dev" -name capacity-scheduler.xml | head -1)
[ -n "$conf" ] || conf=$T/conf/capacity-scheduler.xml
sed -i 's|<value>100</value>|<value>ninety</value>|' "$T/conf/capacity-scheduler.xml" "$conf"
exits "a bad configuration of queues is refused" 7 creel admin refresh queues
is "health warns of it" warning "$(result_of queues)"
exits "and exits with 1" 1 creel cluster health --quiet
like "it names the remedy" 'creel conf check' "$(creel cluster health)"

kill_nine "$(pid_of agent)"
becomes "a lost node is found" 60 result_is lost-nodes warning
is "a cluster without nodes has failed" failed "$(result_of nodes)"
like "the node is named" '1 node is lost: 127.0.0.1:8041' "$(creel cluster health)"
kill_nine "$(pid_of rm)"
exits "without a resource manager it exits with 5" 5 creel cluster health --timeout 3s
finish
