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

exits "creel cluster health exits with 0 for a cluster without a fault" 0 creel cluster health
is "each check of creel cluster health is ok" \
    ok "$(creel cluster health --json | jq -r '[.items[].result] | unique[]')"
is "creel cluster health --quiet exits with 0 and prints nothing" "status 0" "$(creel cluster health --quiet; echo "status $?")"

gateway=$(pgrep -P "$(pid_of rm)" -x creel-gateway | head -1)
kill -9 "$gateway"
becomes "creel cluster health warns of a gateway that was killed" 60 result_is gateways warning
like "creel cluster health says how often and when" 'gateways have ended 1 time since the start .* the last at 2[^ ]*Z' \
    "$(creel cluster health -o wide)"

conf=$(find "$T/dev" -name capacity-scheduler.xml | head -1)
[ -n "$conf" ] || conf=$T/conf/capacity-scheduler.xml
sed -i 's|<value>100</value>|<value>ninety</value>|' "$T/conf/capacity-scheduler.xml" "$conf"
exits "a refresh with an invalid capacity is refused" 7 creel admin refresh queues
is "creel cluster health warns of the refused refresh" warning "$(result_of queues)"
exits "creel cluster health exits with 1 after the refused refresh" 1 creel cluster health --quiet
like "creel cluster health suggests creel conf check" 'creel conf check' "$(creel cluster health)"

kill_nine "$(pid_of agent)"
becomes "creel cluster health warns of a lost node" 60 result_is lost-nodes warning
is "creel cluster health reports a cluster without nodes as failed" failed "$(result_of nodes)"
exits "creel cluster health exits with 9 when a check failed" 9 creel cluster health --quiet
like "creel cluster health names the lost node" '1 node is lost: 127.0.0.1:8041' "$(creel cluster health)"
kill_nine "$(pid_of rm)"
exits "creel cluster health exits with 5 without a resource manager" 5 creel cluster health --timeout 3s
finish
