#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command yarn: its output has the form that scripts with awk and grep expect of YARN.
. "$(dirname "$0")/lib.sh"
mkdir "$T/bin"
ln -s "$BUILD/creel-yarn" "$T/bin/yarn"
PATH="$T/bin:$PATH"
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.node-labels.enabled</name><value>true</value></property>
  <property><name>yarn.scheduler.configuration.store.class</name><value>memory</value></property>
  <property><name>creel.container.allowed-system-users</name><value>root</value></property>
</configuration>
X
cat >"$T/conf/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"

like "yarn version prints the version of Hadoop in its first line" '^Hadoop 3\.[0-9]+\.[0-9]+$' "$(yarn version | head -1)"

# --- nodes
is "yarn node -list counts the nodes" "Total Nodes:2" "$(yarn node -list 2>/dev/null | head -1)"
is "yarn node -list has the titles of YARN" \
    "Node-Id|Node-State|Node-Http-Address|Number-of-Running-Containers" \
    "$(yarn node -list | sed -n 2p | tr -d ' ' | tr '\t' '|')"
node=$(yarn node -list | awk '$2 == "RUNNING" { print $1 }' | head -1)
like "the first column of yarn node -list is a node id" '^[^: ]+:[0-9]+$' "$node"
is "yarn node -status shows RUNNING" RUNNING "$(yarn node -status "$node" | awk -F' : ' '/Node-State/ { print $2 }')"
like "yarn node -status shows memory in MB" '^[0-9]+MB$' "$(yarn node -status "$node" | awk -F' : ' '/Memory-Capacity/ { print $2 }')"
is "yarn node -list -states selects nodes" \
    "Total Nodes:0" "$(yarn node -list -states LOST,UNHEALTHY | head -1)"
is "yarn node -list -showDetails has the resources of each node" 2 "$(yarn node -list -showDetails | grep -c 'Configured Resources : <memory:[0-9]*, vCores:[0-9]*>')"
exits "yarn node -list with an unknown state exits with 255" 255 yarn node -list -states TIRED

# --- applications
id=$(creel submit --id -n 'night job' -T blue -- sh -c 'echo to-stdout; echo to-stderr >&2; sleep 600')
becomes "an application runs" 60 state_is "$id" RUNNING
is "yarn application -list counts the applications" "Total number of applications (application-types: [], states: [SUBMITTED, ACCEPTED, RUNNING] and tags: []):1" \
    "$(yarn application -list | head -1)"
row=$(yarn application -list | awk -F'\t' -v id="$id" '{ gsub(/ /, "", $1) } $1 == id')
is "yarn application -list has nine columns, separated by tabs" 9 "$(awk -F'\t' '{ print NF }' <<<"$row")"
is "the second column of yarn application -list is the name" \
    "night job" "$(cut -f2 <<<"$row" | sed 's/^ *//')"
is "the sixth column of yarn application -list is the state" RUNNING "$(cut -f6 <<<"$row" | tr -d ' ')"
is "yarn app -list -appTags selects applications" 1 "$(yarn app -list -appTags blue,red | grep -c "$id")"
is "yarn application -list -appTypes selects applications" \
    0 "$(yarn application -list -appTypes SPARK | grep -c "$id")"
is "yarn application -status shows the state" RUNNING "$(yarn application -status "$id" 2>/dev/null | grep -P '^\tState' | awk '{ print $3 }')"
is "yarn application -status shows the final state" \
    UNDEFINED "$(yarn application -status "$id" | awk -F' : ' '/Final-State/ { print $2 }')"
exits "yarn application -status of an unknown application exits with 255" 255 \
    yarn application -status application_1_0001
like "the error for an unknown application is the sentence of YARN" \
    "Application with id 'application_1_0001' doesn't exist in RM" "$OUTPUT"
exits "yarn application with an unknown option exits with 1" 1 yarn application -nosuch
exits "yarn application -status without a value exits with 255" 255 yarn application -status

exits "yarn application -updatePriority exits with 0" 0 yarn application -updatePriority 0 -appId "$id"
exits "yarn application -updateLifetime exits with 0" 0 yarn application -updateLifetime 3600 -appId "$id"
like "yarn application -status shows the end of the lifetime" 'TimeoutType : LIFETIME.ExpiryTime : 20[0-9-]+T.*RemainingTime : 3[0-9]{3}seconds' \
    "$(yarn application -status "$id")"

# --- attempts and containers
attempt=$(yarn applicationattempt -list "$id" | awk '/appattempt_/ { print $1 }')
is "yarn applicationattempt -list counts the attempts" \
    "Total number of application attempts :1" "$(yarn applicationattempt -list "$id" | head -1)"
is "yarn applicationattempt -status shows RUNNING" RUNNING "$(yarn applicationattempt -status "$attempt" | awk -F' : ' '$1 ~ /State/ { print $2 }')"
container=$(yarn container -list "$attempt" | awk '/container_/ { print $1 }')
is "yarn container -list counts the containers" \
    "Total number of containers :1" "$(yarn container -list "$attempt" | head -1)"
is "yarn container -status shows RUNNING" RUNNING "$(yarn container -status "$container" | awk -F' : ' '$1 ~ /State/ { print $2 }')"

# --- logs
content() { yarn logs "$@" | sed -n '/^LogContents:/{n;p}'; }
output_is_there() { [ "$(content -applicationId "$id" -log_files stdout)" = to-stdout ]; }
becomes "yarn logs -log_files stdout prints the standard output" 30 output_is_there
is "yarn logs prints the end line of both files" 2 "$(yarn logs -applicationId "$id" | grep -c '^End of LogType:std\(out\|err\)')"
is "yarn logs -size -7 prints the end of the file" \
    stdout "$(content -containerId "$container" -log_files stdout -size -7)"
is "yarn logs -show_container_log_info prints the size of a file" 10 "$(yarn logs -applicationId "$id" -show_container_log_info | awk '$1 == "stdout" { print $2 }')"
like "yarn logs prints when a file was modified" 'LogLastModifiedTime:[A-Z][a-z]+ [A-Z].* 20[0-9]{2}$' "$(yarn logs -applicationId "$id")"
exits "yarn logs -out exits with 0" 0 yarn logs -applicationId "$id" -out "$T/logs"
is "yarn logs -out writes a file for the container" \
    1 "$(find "$T/logs" -name "$container" -path '*_[0-9]*' | wc -l)"

exits "yarn application -kill exits with 0" 0 yarn application -kill "$id"
is "the application is KILLED when yarn application -kill exits" KILLED "$(state "$id")"
exits "yarn application -kill of an ended application exits with 0" 0 yarn application -kill "$id"
like "yarn application -kill reports that the application has finished" \
    "Application $id has already finished" "$OUTPUT"
is "yarn application -list -appStates finds the killed application" \
    1 "$(yarn application -list -appStates KILLED,FAILED 2>/dev/null | grep -c "$id")"
exits "yarn application -kill of an unknown application exits with 255" 255 \
    yarn application -kill application_1_0001

# --- queues
is "yarn queue -status shows the state of a queue" \
    RUNNING "$(yarn queue -status default | awk -F' : ' '/\tState/ { print $2 }')"
like "yarn queue -status shows the capacity with two decimals" '^[0-9]+\.[0-9]{2}%$' "$(yarn queue -status default | awk -F' : ' '/\tCapacity/ { print $2 }')"
exits "yarn queue -status of an unknown queue exits with 255" 255 yarn queue -status nowhere
like "yarn queue -list all shows the queue default" '^\| default +\| root.default' "$(yarn queue -list all)"

# --- administration
exits "yarn rmadmin -addToClusterNodeLabels exits with 0" 0 \
    yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false),fast"
like "yarn cluster --list-node-labels shows the added label" 'Node Labels: .*<gpu:exclusivity=false>' "$(yarn cluster --list-node-labels)"
exits "yarn rmadmin -replaceLabelsOnNode exits with 0" 0 yarn rmadmin -replaceLabelsOnNode "$node=gpu"
is "yarn node -status shows the label of the node" \
    gpu "$(yarn node -status "$node" | awk -F' : ' '/Node-Labels/ { print $2 }')"
exits "yarn rmadmin -replaceLabelsOnNode with an unknown label exits with 255" 255 \
    yarn rmadmin -replaceLabelsOnNode "$node=fast $node=nosuch"
is "the label of the node is unchanged after the refused command" \
    gpu "$(yarn node -status "$node" | awk -F' : ' '/Node-Labels/ { print $2 }')"
exits "yarn rmadmin -replaceLabelsOnNode removes the label of a node" 0 \
    yarn rmadmin -replaceLabelsOnNode "$node"
exits "yarn rmadmin -removeFromClusterNodeLabels exits with 0" 0 \
    yarn rmadmin -removeFromClusterNodeLabels gpu,fast
exits "yarn rmadmin -updateNodeResource exits with 0" 0 yarn rmadmin -updateNodeResource "$node" 512 1
is "yarn node -status shows the changed memory" \
    512MB "$(yarn node -status "$node" | awk -F' : ' '/Memory-Capacity/ { print $2 }')"
exits "yarn rmadmin -refreshQueues exits with 0" 0 yarn rmadmin -refreshQueues
is "yarn rmadmin -refreshQueues prints nothing" "" "$OUTPUT"
exits "yarn schedulerconf -add exits with 0" 0 \
    yarn schedulerconf -add "root.lab:capacity=0,acl_submit_applications=ann\,bob"
is "yarn schedulerconf -add prints the sentence of YARN" \
    "Configuration changed successfully." "$(grep -v warning <<<"$OUTPUT")"
like "yarn schedulerconf -getconf prints the properties of the added queue" '<name>yarn.scheduler.capacity.root.lab.acl_submit_applications</name>.<value>ann,bob</value>' \
    "$(yarn schedulerconf -getconf | sed 's/^ *//' | tr '\n' ' ')"
exits "yarn schedulerconf -update refuses a value that is no number" 255 \
    yarn schedulerconf -update root.lab:capacity=abc
like "the error of yarn schedulerconf begins as in YARN" \
    'Configuration change unsuccessful: Failed to re-init queues : .*"abc"' "$OUTPUT"
exits "yarn schedulerconf -remove removes a stopped queue" 0 sh -c 'yarn schedulerconf -update root.lab:state=STOPPED && yarn schedulerconf -remove root.lab'
exits "yarn schedulerconf -format exits with 0" 0 yarn schedulerconf -format
unlike "the added queue is gone after yarn schedulerconf -format" 'root\.lab' "$(yarn schedulerconf -getconf)"
exits "yarn rmadmin -refreshNodes exits with 0" 0 yarn rmadmin -refreshNodes
exits "-refreshAdminAcls" 0 yarn rmadmin -refreshAdminAcls
exits "-refreshUserToGroupsMappings" 0 yarn rmadmin -refreshUserToGroupsMappings
is "yarn rmadmin -getServiceState prints active" active "$(yarn rmadmin -getServiceState rm1)"
exits "yarn rmadmin -transitionToActive exits with 255 for a single resource manager" 255 \
    yarn rmadmin -transitionToActive rm1
exits "top" 0 yarn top -delay 1 -rows 20
like "prints the applications, as creel top" '^ *APP' "$OUTPUT"
exits "top of a resource manager that does not answer, as creel top" 5 sh -c 'yarn top -D yarn.resourcemanager.address=127.0.0.1:1'
exits "top -queues" 1 yarn top -queues a
like "names keys of creel top" 'creel top; the keys s and q' "$OUTPUT"
exits "yarn jar, which has no counterpart, exits with 1" 1 yarn jar some.jar
like "the error of yarn jar suggests creel submit" 'creel submit' "$OUTPUT"
exits "yarn application -list exits with 1 when the resource manager does not reply" 1 yarn application -list -D yarn.resourcemanager.address=127.0.0.1:1
finish
