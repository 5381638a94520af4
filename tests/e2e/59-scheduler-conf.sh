#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Changes of queues over REST (YARN's scheduler-conf): they override the files, are stored, and can be undone.
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
becomes "the REST interface shows the capacity scheduler" 20 \
    sh -c "curl -sS -m 20 $rest/scheduler | grep -q capacityScheduler"

# --- the questions that were asked of a YARN
is "the version is 1 before any change" '{"versionID":"1"} 200' "$(version)"
is "scheduler-conf has the properties of the file" 60 "$(property root.b.maximum-capacity)"
is "update-queue changes a property" "$done" "$(put "$(update root.b maximum-capacity 70)")"
is "the version is 2 after the change" '{"versionID":"2"} 200' "$(version)"
is "the changed property is in effect" 0.7 "$(value .maxCapacity queue show root.b)"
like "validate refuses capacities with a wrong sum" '^CapacityScheduler configuration validation failed:java.io.IOException: Failed to re-init queues : .*140.* 400$' \
    "$(validate "$(update root.b capacity 70)")"
like "update-queue refuses a value that is no number" '^Failed to re-init queues : .*"abc".* 400$' "$(put "$(update root.b capacity abc)")"
is "the refused update-queue changes nothing" 30 "$(property root.b.capacity)"
like "validate shows the changed properties" '"root.b.maximum-capacity","value":"71"' \
    "$(validate "$(update root.b maximum-capacity 71)" | sed 's/yarn.scheduler.capacity.//g')"
is "validate changes nothing" 70 "$(property root.b.maximum-capacity)"
is "update-queue of an unknown queue is accepted" "$done" "$(put "$(update root.zz capacity 0)")"
is "update-queue in JSON with an object is accepted" "$done" "$(json '{"update-queue":{"queue-name":"root.b","params":{"entry":{"key":"maximum-capacity","value":"65"}}}}')"
is "update-queue in JSON with a list is accepted" "$done" "$(json '{"update-queue":[{"queue-name":"root.b","params":{"entry":[{"key":"maximum-capacity","value":"66"}]}}]}')"
like "remove-queue of a queue whose capacity is needed is refused" '^Failed to re-init queues : .* 400$' "$(put '<remove-queue>root.b</remove-queue>')"
add='<add-queue><queue-name>root.c</queue-name><params><entry><key>capacity</key><value>0</value></entry></params></add-queue>'
is "add-queue adds a queue" "$done" "$(put "$add")"
is "creel queue list has the added queue" "root root.a root.b root.c root.default" "$(queues)"
is "add-queue of an existing queue is refused" "Can't add existing queue root.c 400" "$(put "$add")"
is "update-queue stops the added queue" "$done" "$(put "$(update root.c state STOPPED)")"
is "remove-queue removes the stopped queue" "$done" "$(put '<remove-queue>root.c</remove-queue>')"
is "creel queue list has only the other queues" "root root.a root.b root.default" "$(queues)"
is "remove-queue of an unknown queue is refused" "Queue root.nosuch not found 400" "$(put '<remove-queue>root.nosuch</remove-queue>')"
is "global-updates changes a property of the scheduler" "$done" "$(put '<global-updates><entry><key>yarn.scheduler.capacity.maximum-applications</key><value>77</value></entry></global-updates>')"
is "an empty change is accepted" "$done" "$(put '')"
is "update-queue with an empty value is accepted" "$done" "$(put "$(update root.b maximum-capacity '')")"
is "the property with the empty value is removed" "" "$(property root.b.maximum-capacity)"
is "the version is 11 after these changes" '{"versionID":"11"} 200' "$(version)"
like "global-updates refuses a property of another file" 'only properties of capacity-scheduler.xml.* 400$' \
    "$(put '<global-updates><entry><key>yarn.admin.acl</key><value>*</value></entry></global-updates>')"

# --- users
user=ann
like "a user who is no administrator may not read scheduler-conf" 'Only admins can carry out this operation.* 403$' "$(ask "$rest/scheduler-conf")"
like "a user who is no administrator may not change scheduler-conf" 'Only admins can carry out this operation.* 403$' "$(put "$(update root.b state STOPPED)")"
user=adm
is "another administrator may change scheduler-conf" "$done" "$(put "$(update root.b maximum-capacity 80)")"
user=root
check "the log has an audit line of the change" grep -q 'USER=creel-web as adm.*OPERATION=updateSchedulerConfiguration.*TARGET=root.b.*RESULT=SUCCESS' "$T/dev/rm/log"

# --- who and when, a restart, the way back
like "creel conf show --rm has scheduler-conf, user and time as origin" \
    '^scheduler-conf of adm, 20..-..-..T..:..:..Z$' \
    "$(value .origin conf show --rm yarn.scheduler.capacity.root.b.maximum-capacity)"
is "creel conf versions lists the last change" \
    "12 adm true yarn.scheduler.capacity.root.b.maximum-capacity 80" \
    "$(creel conf versions --json | jq -r '.items[-1] | "\(.version) \(.by) \(.current) \(.changes[0].key) \(.changes[0].value)"')"
site memory QueueAdminConfigurationMutationACLPolicy
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >>"$T/up.log" 2>&1
becomes "the version is kept over a restart of the resource manager" 30 sh -c "curl -sS -m 20 -H 'X-Remote-User: root' $rest/scheduler-conf/version | grep -q 12"
is "the changed properties are kept over a restart of the resource manager" \
    "80 77" "$(property root.b.maximum-capacity) $(property maximum-applications)"
sed -i 's|</configuration>|<property><name>yarn.scheduler.capacity.root.a.maximum-capacity</name><value>90</value></property></configuration>|' \
    "$CREEL_CONF_DIR/capacity-scheduler.xml"
exits "creel admin refresh queues reads the changed file" 0 creel admin refresh queues
is "the changes override the file after the refresh" "90 80" "$(property root.a.maximum-capacity) $(property root.b.maximum-capacity)"
user=ann
is "with QueueAdminConfigurationMutationACLPolicy an administrator of a queue may change it" "$done" "$(put "$(update root.b user-limit-factor 2)")"
is "an administrator of a queue may not change another queue" "User is not admin of all modified queues. 403" "$(put "$(update root.a user-limit-factor 2)")"
is "an administrator of a queue may not remove it" "User is not admin of all modified queues. 403" "$(put '<remove-queue>root.b</remove-queue>')"
is "an administrator of a queue may not change the scheduler" \
    "User is not admin of all modified queues. 403" \
    "$(put '<global-updates><entry><key>yarn.scheduler.capacity.maximum-applications</key><value>7</value></entry></global-updates>')"
user=root
exits "creel conf rollback to an unknown version exits with 3" 3 creel conf rollback 99
exits "creel conf rollback with a word is a usage error" 2 creel conf rollback first
exits "creel conf rollback 2 exits with 0" 0 creel conf rollback 2
is "the properties of version 2 are in effect" \
    "70 " "$(property root.b.maximum-capacity) $(property maximum-applications)"
exits "creel conf rollback 1 exits with 0" 0 creel conf rollback 1
is "the properties of the file are in effect" \
    "60 90" "$(property root.b.maximum-capacity) $(property root.a.maximum-capacity)"
exits "creel conf diff shows no difference after the rollback" 0 creel conf diff
is "GET of scheduler-conf/format is 405" 405 "$(ask -o /dev/null "$rest/scheduler-conf/format" | tr -d ' ')"

# --- creel conf set
set_to() { creel conf show --rm "yarn.scheduler.capacity.$1"; }
exits "creel conf set changes properties of queues and of the scheduler" 0 creel conf set root.b.maximum-capacity=75 a.user-limit-factor=2 maximum-applications=78
is "the values of creel conf set are in effect" "75 2 78" "$(set_to root.b.maximum-capacity) $(set_to root.a.user-limit-factor) $(set_to maximum-applications)"
exits "creel conf diff lists them" 1 creel conf diff
is "and that a rollback returns to the files" rollback \
    "$(creel conf diff --json | jq -r '.items[] | select(.key == "yarn.scheduler.capacity.root.b.maximum-capacity").applied')"
exits "creel conf apply applies the files" 0 creel conf apply
like "and names those that override them" \
    '[0-9] keys are set by a version of the configuration of queues, which overrides the files' "$OUTPUT"
is "the changed properties stay in effect" 75 "$(set_to root.b.maximum-capacity)"
is "the changes of one creel conf set are one version" \
    "update-queue root.b, update-queue root.a, global-updates" \
    "$(creel conf versions --json | jq -r '.items[-1].summary')"
exits "creel conf set refuses capacities with a wrong sum" 7 \
    creel conf set root.a.user-limit-factor=3 root.b.capacity=70
like "the error of creel conf set has the key and the sum" 'yarn.scheduler.capacity.root.*140' "$OUTPUT"
exits "creel conf set refuses a queue that does not exist" 3 creel conf set root.nosuch.maximum-capacity=60
like "its error names the queue and what makes one" 'there is no queue root\.nosuch: .*--add-queue' "$OUTPUT"
exits "creel conf set of a queue that does not exist may remove its key" 0 creel conf set --validate root.nosuch.maximum-capacity=
exits "creel conf set accepts a key with the name of a label" 0 creel conf set --validate root.b.accessible-node-labels.gpu.capacity=0
exits "creel conf set refuses a value that is no number" 7 creel conf set root.b.capacity=abc
like "the error of creel conf set has the key and the value" \
    'yarn.scheduler.capacity.root.b.capacity: "abc": ' "$OUTPUT"
is "the changes of the refused creel conf set are not in effect" \
    "2 30" "$(set_to root.a.user-limit-factor) $(set_to root.b.capacity)"
exits "creel conf set with a word without = is a usage error" 2 creel conf set root.b.capacity
exits "creel conf set with an unknown queue exits with 3" 3 creel conf set bb.capacity=10
exits "creel conf set --validate with an unknown key exits with 0" 0 \
    creel conf set --validate root.b.maximum-capacity=76 root.b.maximum-capcity=1
like "creel conf set --validate warns of the unknown key" 'did you mean maximum-capacity' "$OUTPUT"
is "creel conf set --validate changes nothing" 75 "$(set_to root.b.maximum-capacity)"
is "creel conf set --validate --json lists the warnings" "FindingList warning null" \
    "$(creel conf set --validate --json root.b.maximum-capcity=1 | jq -r '"\(.kind) \(.items[0].severity) \(.items[0].line)"')"
is "creel conf set --add-queue adds a queue with a property" "add-queue root.c" \
    "$(creel conf set --json --add-queue root.c root.c.capacity=0 | jq -r '.items[0].summary')"
exits "creel conf set --add-queue of an existing queue is refused" 6 \
    creel conf set --add-queue root.c root.c.capacity=0
exits "creel conf set --remove-queue of a running queue is refused" 7 creel conf set --remove-queue root.c
exits "creel conf set stops the added queue" 0 creel conf set c.state=STOPPED
exits "creel conf set --remove-queue removes the stopped queue" 0 creel conf set --remove-queue root.c
is "creel queue list has only the other queues" "root root.a root.b root.default" "$(queues)"
exits "creel conf set with an empty value exits with 0" 0 creel conf set maximum-applications=
exits "creel conf set refuses a key of another file" 1 creel conf set 'yarn.admin.acl=*'
exits "creel conf set without a property is a usage error" 2 creel conf set
exits "an administrator of a queue may not set a property of the scheduler" 4 creel --as ann conf set maximum-applications=10
exits "creel conf rollback 1 exits with 0 after creel conf set" 0 creel conf rollback 1

cp "$T/base/capacity-scheduler.xml" "$T/kept"
echo '<configuration><prop' >"$T/base/capacity-scheduler.xml"
exits "a refresh of a file that is not XML exits with 7" 7 creel admin refresh queues
check "its audit line has the failure" grep -q 'OPERATION=refreshQueues.RESULT=FAILURE.DESCRIPTION=.*capacity-scheduler.xml:1' "$T/dev/rm/log"
cp "$T/kept" "$T/base/capacity-scheduler.xml"
exits "a refresh of the whole file exits with 0" 0 creel admin refresh queues
check "its audit line has the success" grep -q 'OPERATION=refreshQueues.RESULT=SUCCESS' "$T/dev/rm/log"

# --- a store that takes no changes
is "a change is accepted before the store is file" "$done" "$(put "$(update root.b maximum-capacity 81)")"
site file DefaultConfigurationMutationACLPolicy
exits "a refresh that changes the store to file exits with 0" 0 creel admin refresh queues
like "a change over REST is refused with the store file" \
    '^Configuration change only supported by MutableConfScheduler\. \(yarn.scheduler.configuration.store.class is file: .*\) 400$' \
    "$(put "$(update root.b maximum-capacity 82)")"
like "reading scheduler-conf over REST is refused with the store file" \
    '^This API only supports .* CapacityScheduler is not an instance of MutableConfScheduler \(yarn.scheduler.* 400$' \
    "$(ask "$rest/scheduler-conf")"
is "only the files are in effect with the store file" \
    60 "$(creel conf show --rm yarn.scheduler.capacity.root.b.maximum-capacity)"
refusal='^creel: yarn\.scheduler\.configuration\.store\.class is file: .* Edit capacity-scheduler\.xml, .* or set .* to memory in yarn-site\.xml'
exits "creel conf set is refused with the store file" 6 creel conf set root.b.maximum-capacity=82
like "the error of creel conf set begins with the key to change" "$refusal" "$OUTPUT"
exits "creel conf versions is refused with the store file" 6 creel conf versions
like "the error of creel conf versions begins with the key to change" "$refusal" "$OUTPUT"
exits "creel conf rollback is refused with the store file" 6 creel conf rollback 1
like "the error of creel conf rollback begins with the key to change" "$refusal" "$OUTPUT"
yarn() { "$BUILD/creel-yarn" "$@"; }
exits "yarn schedulerconf -getconf is refused with the store file" 255 yarn schedulerconf -getconf
like "its error has the sentence of YARN, then the key to change" \
    '^Failed to get scheduler configuration: This API only supports .* MutableConfScheduler \(yarn.scheduler.configuration.store.class is file' "$OUTPUT"
exits "yarn schedulerconf -update is refused with the store file" 255 yarn schedulerconf -update root.b:maximum-capacity=82
like "its error has the sentence of YARN, then the key to change" \
    '^Configuration change unsuccessful: Configuration change only supported by MutableConfScheduler. \(yarn.scheduler.configuration.store.class is file' "$OUTPUT"
finish
