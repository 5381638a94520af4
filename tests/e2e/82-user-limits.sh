#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What one user can take from the others: changes in flight do not delay theirs, and what is kept for a user is limited.
. "$(dirname "$0")/lib.sh"
COUNT=10000 # of one user at a time (rm/net/user_requests.h)
keys=$T/dev/keys
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.cluster.max-application-priority</name><value>1000000</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>creel.submit.user-jobs-max</name><value>5</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
creel keygen user nobody >/dev/null 2>&1
creel keygen user daemon >/dev/null 2>&1
port=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "rm") | .ports.client')

# --- changes
id=$(creel --as nobody submit --id --hold -- true)
exits "a flood of $COUNT changes is answered" 0 \
    "$BUILD/tests/e2e/flood-peer" "$COUNT" "127.0.0.1:$port" "$keys/rm" "$keys/users/nobody" "$id" "$keys/users/daemon"
like "a query behind the changes sees the last of them" "then priority $COUNT\$" "$OUTPUT"
check "the submission of another user is answered before a third of the flood ($OUTPUT)" test "${OUTPUT%% *}" -lt $((COUNT / 3))

# --- jobs
for i in 2 3 4 5; do
    exits "job $i of user nobody is accepted" 0 creel --as nobody submit --hold -- true
done
exits "a job above creel.submit.user-jobs-max is refused" 6 creel --as nobody submit --hold -- true
like "the error names user, count, key and limit" \
    'user nobody has 5 jobs that have not ended.* and creel.submit.user-jobs-max is 5: wait until some have ended' "$OUTPUT"
like "creel cluster info names the user" 'Near a limit: +nobody: 5 of 5 \(creel.submit.user-jobs-max\)' "$(creel cluster info)"
is "so does its JSON" nobody:5:5 "$(creel cluster info --json | jq -r '.items[0].nearLimits[] | "\(.user):\(.used):\(.limit)"')"
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
counted() { curl -s "$web/metrics" | grep -qxF 'creel_user_limit_refusals_total{limit="jobs"} 1'; }
becomes "a metric counts the refusal" 20 counted
exits "another user is not concerned" 0 creel --as daemon submit --hold -- true
for i in 1 2 3 4 5 6; do
    exits "job $i of an administrator that is listed by name is accepted" 0 creel submit --hold -- true
done
sed -i '/user-jobs-max/s/>5</>6</' "$T/conf/creel-site.xml" "$T/dev/conf/creel-site.xml"
exits "the queues are refreshed" 0 creel admin refresh queues
exits "a refresh applies a new limit" 0 creel --as nobody submit --hold -- true
exits "... which holds" 6 creel --as nobody submit --hold -- true
exits "a job is killed" 0 creel --as nobody kill "$id"
exits "a job is accepted again" 0 creel --as nobody submit --hold -- true
finish
