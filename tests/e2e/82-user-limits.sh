#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What one user can take from the others: changes in flight do not delay theirs, and what is kept for a user is limited.
. "$(dirname "$0")/lib.sh"
COUNT=10000 # of one user at a time (rm/net/requests/user_requests.h)
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

# --- changes of a job with a row of 600,000 bytes
for i in 0 1 2 3 4 5 6 7 8 9; do printf '%060000d\n' "$i"; done >"$T/words"
mapfile -t words <"$T/words"
large=$(creel --as nobody submit --id --hold -- true "${words[@]}")
exits "a flood of changes of a large job is answered" 0 \
    "$BUILD/tests/e2e/flood-peer" 300 "127.0.0.1:$port" "$keys/rm" "$keys/users/nobody" "$large" "$keys/users/daemon"
like "... to the last of them" "then priority 300\$" "$OUTPUT"
check "the submission of another user is answered after a few ($OUTPUT)" test "${OUTPUT%% *}" -lt 40
is "a change prints the whole command, which its answer lacks" 11:60000 \
    "$(creel --as nobody app priority "$large" 7 --json | jq -r '.items[0].command | "\(length):\(.[10] | length)"')"
is "a list as JSON has it, too" 11 "$(creel --as nobody ps --json | jq -r --arg id "$large" '.items[] | select(.id == $id).command | length')"
# priority_is ID N: true if the job has the priority N.
priority_is() { value_is .priority "$2" --as nobody status "$1"; }
exits "a client with 600 such changes under way is killed" 137 \
    "$BUILD/tests/e2e/killed-peer" 600 "127.0.0.1:$port" "$keys/rm" "$keys/users/nobody" "$large"
exits "another client of its user makes a change" 0 creel --as nobody app priority "$id" 8
exits "... and reads" 0 creel --as nobody status "$large" --json
made=$(jq '.items[0].priority' <<<"$OUTPUT")
check "... after a few of those ($made)" test "$made" -lt 300
becomes "all that were received are made" 120 priority_is "$large" 600
like "a table has the job" "$large|${large##*_}" "$(creel --as nobody ps)"
is "so does creel wait" 11 "$(creel --as nobody kill "$large" 2>/dev/null; creel --as nobody wait "$large" --json | jq -r '.items[0].command | length')"
# in_history: true if the job is in the history.
in_history() { creel --as nobody history apps -o id | grep -qx "$large"; }
becomes "the history has the job" 30 in_history
is "... with the first 4,096 bytes of its command as JSON" "2 4100" \
    "$(creel --as nobody history apps --json | jq -r --arg id "$large" '.items[] | select(.id == $id).command | "\(length) \(join(" ") | length)"')"
like "... and as a field" 'true 0+\[\.\.\.\]' "$(creel --as nobody history apps --csv --fields JobID,SubmitLine)"
# resident ROLE: prints the resident memory of a daemon in MiB.
resident() { awk '/^VmRSS:/ { print int($2 / 1024) }' "/proc/$(pid_of "$1" 0)/status"; }
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
# has_apps N: true if creel-web lists N applications.
has_apps() { [ "$(curl -s "$web/ws/v1/cluster/apps" | jq '.apps.app | length')" = "$1" ]; }
curl -s "$web/ws/v1/cluster/apps" >/dev/null
listed=$(curl -s "$web/ws/v1/cluster/apps" | jq '.apps.app | length')
before=$(resident web)
for i in {1..140}; do creel submit --id --hold -- true "${words[@]}"; done >"$T/ids"
becomes "creel-web lists 140 jobs of 600 KB more" 30 has_apps $((listed + 140))
grown=$(($(resident web) - before))
check "it keeps none of their commands (it has grown by $grown MiB)" test "$grown" -lt 40
check "the page of one has its command" grep -q 0000000009 <<<"$(curl -s "$web/cluster/app/$(tail -n 1 "$T/ids")")"
mapfile -t ids <"$T/ids"
exits "they are killed" 0 creel kill "${ids[@]}"

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
