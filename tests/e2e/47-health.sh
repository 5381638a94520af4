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

check "the root queue is stopped" creel queue stop root
is "creel cluster health reports a stopped root queue as failed" failed "$(result_of stopped-queues)"
like "creel cluster health names the command" 'every submission is refused .*creel queue start root' "$(creel cluster health -o wide)"
check "the root queue is started" creel queue start root
is "creel cluster health has no stopped queue then" ok "$(result_of stopped-queues)"
check "the queue default is stopped" creel queue stop default
is "creel cluster health warns of a stopped default queue" warning "$(result_of stopped-queues)"
check "the queue default is started" creel queue start default

check "all nodes are drained" creel admin drain-all --reason test --yes
is "a cluster whose nodes are drained has failed" failed "$(result_of nodes)"
like "creel cluster health says how they return" 'nodes +failed .*creel admin undrain-all' "$(creel cluster health -o wide)"
check "all nodes are in service again" creel admin undrain-all --yes

for _ in 1 2 3; do
    kill_nine "$(pid_of agent)"
    creel dev up --dir "$T/dev" -n 1 >"$T/up-again.log" 2>&1
    wait_until 60 nodes_running_is 1
done
becomes "creel cluster health warns of an agent that was killed three times" 60 result_is agent-crashes warning
like "creel cluster health names its node" 'agent-crashes +warning +the agent of 1 node ends again and again .*: 127[^ ]*:[0-9]+ \(3 times in the last hour\) .*journalctl -u creel-nm' \
    "$(creel cluster health -o wide)"

conf=$(find "$T/dev" -name capacity-scheduler.xml | head -1)
[ -n "$conf" ] || conf=$T/conf/capacity-scheduler.xml
sed -i 's|<value>100</value>|<value>ninety</value>|' "$T/conf/capacity-scheduler.xml" "$conf"
exits "a refresh with an invalid capacity is refused" 7 creel admin refresh queues
is "creel cluster health warns of the refused refresh" warning "$(result_of queues)"
exits "creel cluster health exits with 1 after the refused refresh" 1 creel cluster health --quiet
like "creel cluster health suggests creel conf check" 'creel conf check' "$(creel cluster health)"

sed -i 's|<value>ninety</value>|<value>100</value>|' "$T/conf/capacity-scheduler.xml" "$conf"
exits "a refresh with a valid capacity is accepted" 0 creel admin refresh queues
is "creel cluster health is ok after it" ok "$(result_of queues)"

chmod -R g+w "$T/dev/keys/agents"
refused_for() { creel cluster health -o wide | grep -qE "$1"; }
becomes "creel cluster health names the certificates of agents that group can write" 60 refused_for 'refused-agents .*group or others can write .*chmod go-w it'
unlike "creel cluster health does not ask whether the state was lost" 'was the state lost' "$(creel cluster health -o wide | grep refused-agents)"
chmod -R g-w "$T/dev/keys/agents"
becomes "the agent is let in again" 120 result_is refused-agents ok

mv "$T/dev/keys/agents/default_secret" "$T/secret"
becomes "an agent that has lost its secret key is a warning before its next start fails" 60 refused_for \
    'node-reports +warning .*the next start of creel-nm will fail, or be without its REST interface: certificates* .*default_secret .*missing'
mv "$T/secret" "$T/dev/keys/agents/default_secret"
becomes "the warning ends when the key is back" 60 result_is node-reports ok

site=$T/dev/conf/creel-site.xml
cp "$site" "$T/site"
cp "$T/conf/capacity-scheduler.xml" "$T/capacity"
echo '<broken' >"$T/conf/capacity-scheduler.xml"
kill -HUP "$(pid_of rm)"
becomes "creel cluster health warns of a reload that SIGHUP could not do" 60 result_is queues warning
like "creel cluster health names the file" 'capacity-scheduler.xml' "$(creel cluster health -o wide)"
cp "$T/capacity" "$T/conf/capacity-scheduler.xml"
kill -HUP "$(pid_of rm)"
becomes "creel cluster health is ok after the next one" 60 result_is queues ok
sed -i "s|</configuration>|<property><name>yarn.resourcemanager.nodes.exclude-path</name><value>$T/nowhere</value></property>&|" "$site"
exits "a refresh of nodes without its list is refused" 7 creel admin refresh nodes
is "creel cluster health warns of it" warning "$(result_of queues)"
cp "$T/site" "$site"
exits "a refresh of nodes is accepted" 0 creel admin refresh nodes
is "creel cluster health is ok after it" ok "$(result_of queues)"

# The directory of the history is removed.
history=$(value .value conf show creel.resourcemanager.state-dir --conf "$T/dev/conf")/history
check "a job ends" creel run --quiet -m 16M -- true
becomes "there is a history" 60 test -d "$history"
has_opened() { find "/proc/$(pid_of rm)/fd" -lname "$history" | grep -q .; }
becomes "creel-rm knows its directory" 60 has_opened
mv "$history" "$T/history"
becomes "creel cluster health warns of a history that is gone" 60 result_is history warning
like "it names the directory" "history +warning .*removed, replaced or unmounted \\($history\\)" "$(creel cluster health -o wide)"
like "the log has a line" "$history \\(history\\) was removed, replaced or unmounted" "$(cat "$T/dev/rm/log")"
rm -rf "$history"
mv "$T/history" "$history"
becomes "the check is ok when it is back" 60 result_is history ok

# The directory of submitted files is removed.
blobs=$(value .value conf show creel.resourcemanager.state-dir --conf "$T/dev/conf")/blobs
echo data >"$T/data"
rm -rf "$blobs"
becomes "creel cluster health fails without the directory of uploads" 60 result_is free-space failed
like "it has the command that makes it again" "uploads was removed, replaced or unmounted \($blobs\).*install -d -m 700 -o creel -g creel $blobs" "$(creel cluster health -o wide)"
exits "a submission with a file is refused: creel's own disk has failed" 1 creel submit -f "$T/data" -- cat data
like "it has the reason and who can help" "$blobs, which has the submitted files: .*the administrator makes it again" "$OUTPUT"
check "a job without files is accepted" creel run --quiet -m 16M -- true
like "the log has a line" "$blobs \(uploads\) was removed, replaced or unmounted" "$(cat "$T/dev/rm/log")"
mkdir -m 700 "$blobs"
becomes "the check is ok when it was made again" 60 result_is free-space ok
check "a job with a file runs then, without a restart" creel run --quiet -m 16M -f "$T/data" -- cat data

kill_nine "$(pid_of agent)"
becomes "creel cluster health warns of a lost node" 60 result_is lost-nodes warning
is "creel cluster health reports a cluster without nodes as failed" failed "$(result_of nodes)"
exits "creel cluster health exits with 9 when a check failed" 9 creel cluster health --quiet
like "creel cluster health names the lost node" '1 node is lost: 127.0.0.1:8041' "$(creel cluster health)"
kill_nine "$(pid_of rm)"
exits "creel cluster health exits with 5 without a resource manager" 5 creel cluster health --timeout 3s
finish
