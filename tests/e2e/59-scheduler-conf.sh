#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queues are changed over REST as YARN's scheduler-conf does: over the files, kept in the store, with a way back.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
site() {        # STORE POLICY
    cat >"$T/base/yarn-site.xml" <<X
<configuration>
  <property><name>creel.http.auth</name><value>proxy</value></property>
  <property><name>yarn.admin.acl</name><value>root,adm</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.scheduler.configuration.mutation.acl-policy.class</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf.$2</value></property>
  <property><name>yarn.scheduler.configuration.store.class</name><value>$1</value></property>
</configuration>
X
}
site memory DefaultConfigurationMutationACLPolicy
cat >"$T/base/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b,default</value></property>
  <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>50</value></property>
  <property><name>yarn.scheduler.capacity.root.acl_administer_queue</name><value> </value></property>
  <property><name>yarn.scheduler.capacity.root.acl_submit_applications</name><value> </value></property>
  <property><name>yarn.scheduler.capacity.root.b.acl_administer_queue</name><value>ann</value></property>
  <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>30</value></property>
  <property><name>yarn.scheduler.capacity.root.b.maximum-capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>20</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"

port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
rest=http://127.0.0.1:$port/ws/v1/cluster
user=root
ask() { curl -sS -m 20 -w ' %{http_code}' -H "X-Remote-User: $user" "$@"; }
put() { ask -X PUT -H 'Content-Type: application/xml' -d "<sched-conf>$1</sched-conf>" "$rest/scheduler-conf"; }
validate() { ask -X POST -H 'Content-Type: application/xml' -d "<sched-conf>$1</sched-conf>" "$rest/scheduler-conf/validate"; }
update() {      # QUEUE KEY VALUE
    echo "<update-queue><queue-name>$1</queue-name><params><entry><key>$2</key><value>$3</value></entry></params></update-queue>"
}
json() { ask -X PUT -H 'Content-Type: application/json' -d "$1" "$rest/scheduler-conf"; }
version() { ask "$rest/scheduler-conf/version"; }
property() { ask "$rest/scheduler-conf" | sed 's/ 200$//' | jq -r --arg k "yarn.scheduler.capacity.$1" '.property[] | select(.name == $k).value'; }
queues() { creel queue list --json | jq -r '[.items[].path] | sort | join(" ")'; }
done='Configuration change successfully applied. 200'
becomes "the web has the cluster" 20 sh -c "curl -sS -m 20 $rest/scheduler | grep -q capacityScheduler"

# --- the questions that were asked of a YARN
is "the first version is the files" '{"versionID":"1"} 200' "$(version)"
is "the properties are those of the file" 60 "$(property root.b.maximum-capacity)"
is "a property is changed" "$done" "$(put "$(update root.b maximum-capacity 70)")"
is "which is the second version" '{"versionID":"2"} 200' "$(version)"
is "and is in force" 0.7 "$(value .maxCapacity queue show root.b)"
like "capacities that do not add up are refused by validate" '^CapacityScheduler configuration validation failed:java.io.IOException: Failed to re-init queues : .*140.* 400$' \
    "$(validate "$(update root.b capacity 70)")"
like "a word for a number is refused" '^Failed to re-init queues : .*"abc".* 400$' "$(put "$(update root.b capacity abc)")"
is "which changes nothing" 30 "$(property root.b.capacity)"
like "validate shows the properties as they would be" '"root.b.maximum-capacity","value":"71"' \
    "$(validate "$(update root.b maximum-capacity 71)" | sed 's/yarn.scheduler.capacity.//g')"
is "and changes nothing" 70 "$(property root.b.maximum-capacity)"
is "an unknown queue is accepted" "$done" "$(put "$(update root.zz capacity 0)")"
is "JSON with an object" "$done" "$(json '{"update-queue":{"queue-name":"root.b","params":{"entry":{"key":"maximum-capacity","value":"65"}}}}')"
is "JSON with lists" "$done" "$(json '{"update-queue":[{"queue-name":"root.b","params":{"entry":[{"key":"maximum-capacity","value":"66"}]}}]}')"
like "a queue whose capacity is needed is not removed" '^Failed to re-init queues : .* 400$' "$(put '<remove-queue>root.b</remove-queue>')"
add='<add-queue><queue-name>root.c</queue-name><params><entry><key>capacity</key><value>0</value></entry></params></add-queue>'
is "a queue is added" "$done" "$(put "$add")"
is "and is there" "root root.a root.b root.c root.default" "$(queues)"
is "but not twice" "Can't add existing queue root.c 400" "$(put "$add")"
is "it is stopped" "$done" "$(put "$(update root.c state STOPPED)")"
is "and removed" "$done" "$(put '<remove-queue>root.c</remove-queue>')"
is "which leaves the others" "root root.a root.b root.default" "$(queues)"
is "a queue that is not there is not removed" "Queue root.nosuch not found 400" "$(put '<remove-queue>root.nosuch</remove-queue>')"
is "a key of the scheduler" "$done" "$(put '<global-updates><entry><key>yarn.scheduler.capacity.maximum-applications</key><value>77</value></entry></global-updates>')"
is "an empty change" "$done" "$(put '')"
is "an empty value removes a property" "$done" "$(put "$(update root.b maximum-capacity '')")"
is "which is gone" "" "$(property root.b.maximum-capacity)"
is "eleven versions" '{"versionID":"11"} 200' "$(version)"
like "other keys than those of the file are refused" 'only properties of capacity-scheduler.xml.* 400$' \
    "$(put '<global-updates><entry><key>yarn.admin.acl</key><value>*</value></entry></global-updates>')"

# --- users
user=ann
like "only administrators read it" 'Only admins can carry out this operation.* 403$' "$(ask "$rest/scheduler-conf")"
like "or change it" 'Only admins can carry out this operation.* 403$' "$(put "$(update root.b state STOPPED)")"
user=adm
is "adm is one" "$done" "$(put "$(update root.b maximum-capacity 80)")"
user=root
check "the log has an audit line" grep -q 'USER=creel-web as adm.*OPERATION=updateSchedulerConfiguration.*TARGET=root.b.*RESULT=SUCCESS' "$T/dev/rm/log"

# --- who and when, a restart, the way back
like "conf show has the origin" '^scheduler-conf of adm, 20..-..-..T..:..:..Z$' \
    "$(value .origin conf show --rm yarn.scheduler.capacity.root.b.maximum-capacity)"
is "conf versions has what changed" "12 adm true yarn.scheduler.capacity.root.b.maximum-capacity 80" \
    "$(creel conf versions --json | jq -r '.items[-1] | "\(.version) \(.by) \(.current) \(.changes[0].key) \(.changes[0].value)"')"
site memory QueueAdminConfigurationMutationACLPolicy
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >>"$T/up.log" 2>&1
becomes "a restart keeps the version" 30 sh -c "curl -sS -m 20 -H 'X-Remote-User: root' $rest/scheduler-conf/version | grep -q 12"
is "and the properties" "80 77" "$(property root.b.maximum-capacity) $(property maximum-applications)"
sed -i 's|</configuration>|<property><name>yarn.scheduler.capacity.root.a.maximum-capacity</name><value>90</value></property></configuration>|' \
    "$CREEL_CONF_DIR/capacity-scheduler.xml"
exits "a refresh reads the file" 0 creel admin refresh queues
is "with the changes over it" "90 80" "$(property root.a.maximum-capacity) $(property root.b.maximum-capacity)"
user=ann
is "with YARN's other policy an administrator of a queue changes it" "$done" "$(put "$(update root.b user-limit-factor 2)")"
is "but no other queue" "User is not admin of all modified queues. 403" "$(put "$(update root.a user-limit-factor 2)")"
is "and none beside it" "User is not admin of all modified queues. 403" "$(put '<remove-queue>root.b</remove-queue>')"
is "and nothing of the scheduler" "User is not admin of all modified queues. 403" \
    "$(put '<global-updates><entry><key>yarn.scheduler.capacity.maximum-applications</key><value>7</value></entry></global-updates>')"
user=root
exits "a version that is not there" 3 creel conf rollback 99
exits "a word is no version" 2 creel conf rollback first
exits "a version is in force again" 0 creel conf rollback 2
is "with its properties" "70 " "$(property root.b.maximum-capacity) $(property maximum-applications)"
exits "and the files alone" 0 creel conf rollback 1
is "with those of the file" "60 90" "$(property root.b.maximum-capacity) $(property root.a.maximum-capacity)"
exits "the files are what is in force" 0 creel conf diff
is "the store is not reset by a GET" 405 "$(ask -o /dev/null "$rest/scheduler-conf/format" | tr -d ' ')"

# --- creel conf set
set_to() { creel conf show --rm "yarn.scheduler.capacity.$1"; }
exits "properties of queues and of the scheduler" 0 creel conf set root.b.maximum-capacity=75 a.user-limit-factor=2 maximum-applications=78
is "are in force" "75 2 78" "$(set_to root.b.maximum-capacity) $(set_to root.a.user-limit-factor) $(set_to maximum-applications)"
is "in one version" "update-queue root.b, update-queue root.a, global-updates" \
    "$(creel conf versions --json | jq -r '.items[-1].summary')"
exits "capacities that do not add up" 7 creel conf set root.a.user-limit-factor=3 root.b.capacity=70
like "the error has the key and the sum" 'yarn.scheduler.capacity.root.*140' "$OUTPUT"
exits "a word for a number" 7 creel conf set root.b.capacity=abc
like "the error has key and value" 'yarn.scheduler.capacity.root.b.capacity: "abc": ' "$OUTPUT"
is "nothing of both is changed" "2 30" "$(set_to root.a.user-limit-factor) $(set_to root.b.capacity)"
exits "a key that begins with no queue" 3 creel conf set bb.capacity=10
exits "--validate" 0 creel conf set --validate root.b.maximum-capacity=76 root.b.maximum-capcity=1
like "warns of an unknown key" 'did you mean maximum-capacity' "$OUTPUT"
is "and changes nothing" 75 "$(set_to root.b.maximum-capacity)"
is "--validate --json lists the warnings" "FindingList warning null" \
    "$(creel conf set --validate --json root.b.maximum-capcity=1 | jq -r '"\(.kind) \(.items[0].severity) \(.items[0].line)"')"
is "a queue is added with its properties" "add-queue root.c" \
    "$(creel conf set --json --add-queue root.c root.c.capacity=0 | jq -r '.items[0].summary')"
exits "but not twice" 6 creel conf set --add-queue root.c root.c.capacity=0
exits "a running queue is not removed" 7 creel conf set --remove-queue root.c
exits "it is stopped" 0 creel conf set c.state=STOPPED
exits "and removed" 0 creel conf set --remove-queue root.c
is "which leaves the others" "root root.a root.b root.default" "$(queues)"
exits "an empty value removes a property" 0 creel conf set maximum-applications=
exits "a key of another file" 1 creel conf set 'yarn.admin.acl=*'
exits "no property" 2 creel conf set
exits "an administrator of a queue does not change the scheduler" 4 creel --as ann conf set maximum-applications=10
exits "and the files alone again" 0 creel conf rollback 1

# --- a store that takes no changes
is "a change" "$done" "$(put "$(update root.b maximum-capacity 81)")"
site file DefaultConfigurationMutationACLPolicy
exits "with the store file a refresh" 0 creel admin refresh queues
like "refuses changes" 'is not an instance of MutableConfScheduler.* 400$' "$(put "$(update root.b maximum-capacity 82)")"
like "and reading" 'is not an instance of MutableConfScheduler.* 400$' "$(ask "$rest/scheduler-conf")"
is "and has the files alone" 60 "$(creel conf show --rm yarn.scheduler.capacity.root.b.maximum-capacity)"
exits "creel conf set is refused" 6 creel conf set root.b.maximum-capacity=82
like "with the key to set" 'yarn.scheduler.configuration.store.class is file' "$OUTPUT"
exits "creel conf versions says so" 6 creel conf versions
like "and names the key" 'yarn.scheduler.configuration.store.class is file' "$OUTPUT"
finish
