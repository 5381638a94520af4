#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command yarn: scripts that parse YARN's output with awk and grep find what they look for.
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

like "version has the version of Hadoop in its first line" '^Hadoop 3\.[0-9]+\.[0-9]+$' "$(yarn version | head -1)"

# --- nodes
is "node -list counts the nodes" "Total Nodes:2" "$(yarn node -list 2>/dev/null | head -1)"
is "the titles" "Node-Id|Node-State|Node-Http-Address|Number-of-Running-Containers" \
    "$(yarn node -list | sed -n 2p | tr -d ' ' | tr '\t' '|')"
node=$(yarn node -list | awk '$2 == "RUNNING" { print $1 }' | head -1)
like "the first column is an id" '^[^: ]+:[0-9]+$' "$node"
is "node -status has the same state" RUNNING "$(yarn node -status "$node" | awk -F' : ' '/Node-State/ { print $2 }')"
like "and memory with a unit" '^[0-9]+MB$' "$(yarn node -status "$node" | awk -F' : ' '/Memory-Capacity/ { print $2 }')"
is "-states selects" "Total Nodes:0" "$(yarn node -list -states LOST,UNHEALTHY | head -1)"
is "-showDetails has the resources of each node" 2 "$(yarn node -list -showDetails | grep -c 'Configured Resources : <memory:[0-9]*, vCores:[0-9]*>')"
exits "a state that does not exist ends with -1" 255 yarn node -list -states TIRED

# --- applications
id=$(creel submit --id -n 'night job' -T blue -- sh -c 'echo to-stdout; echo to-stderr >&2; sleep 600')
becomes "the application runs" 60 state_is "$id" RUNNING
is "application -list: the count" "Total number of applications (application-types: [], states: [SUBMITTED, ACCEPTED, RUNNING] and tags: []):1" \
    "$(yarn application -list | head -1)"
row=$(yarn application -list | awk -F'\t' -v id="$id" '{ gsub(/ /, "", $1) } $1 == id')
is "nine columns, separated by tabs" 9 "$(awk -F'\t' '{ print NF }' <<<"$row")"
is "the name in the second" "night job" "$(cut -f2 <<<"$row" | sed 's/^ *//')"
is "the state in the sixth" RUNNING "$(cut -f6 <<<"$row" | tr -d ' ')"
is "-appTags selects" 1 "$(yarn app -list -appTags blue,red | grep -c "$id")"
is "-appTypes, too" 0 "$(yarn application -list -appTypes SPARK | grep -c "$id")"
is "application -status: the state" RUNNING "$(yarn application -status "$id" 2>/dev/null | grep -P '^\tState' | awk '{ print $3 }')"
is "the final state" UNDEFINED "$(yarn application -status "$id" | awk -F' : ' '/Final-State/ { print $2 }')"
exits "an application that does not exist ends with -1" 255 yarn application -status application_1_0001
like "and YARN's sentence" "Application with id 'application_1_0001' doesn't exist in RM" "$OUTPUT"
exits "an unknown option ends with 1" 1 yarn application -nosuch
exits "a missing value with -1" 255 yarn application -status

exits "-updatePriority" 0 yarn application -updatePriority 0 -appId "$id"
exits "-updateLifetime" 0 yarn application -updateLifetime 3600 -appId "$id"
like "the end is in the status" 'TimeoutType : LIFETIME.ExpiryTime : 20[0-9-]+T.*RemainingTime : 3[0-9]{3}seconds' \
    "$(yarn application -status "$id")"

# --- attempts and containers
attempt=$(yarn applicationattempt -list "$id" | awk '/appattempt_/ { print $1 }')
is "one attempt" "Total number of application attempts :1" "$(yarn applicationattempt -list "$id" | head -1)"
is "its status" RUNNING "$(yarn applicationattempt -status "$attempt" | awk -F' : ' '$1 ~ /State/ { print $2 }')"
container=$(yarn container -list "$attempt" | awk '/container_/ { print $1 }')
is "one container" "Total number of containers :1" "$(yarn container -list "$attempt" | head -1)"
is "container -status" RUNNING "$(yarn container -status "$container" | awk -F' : ' '$1 ~ /State/ { print $2 }')"

# --- logs
content() { yarn logs "$@" | sed -n '/^LogContents:/{n;p}'; }
output_is_there() { [ "$(content -applicationId "$id" -log_files stdout)" = to-stdout ]; }
becomes "logs -log_files stdout has the output" 30 output_is_there
is "each file between its lines" 2 "$(yarn logs -applicationId "$id" | grep -c '^End of LogType:std\(out\|err\)')"
is "-size -7 is the end of the file" stdout "$(content -containerId "$container" -log_files stdout -size -7)"
is "-show_container_log_info has the sizes" 10 "$(yarn logs -applicationId "$id" -show_container_log_info | awk '$1 == "stdout" { print $2 }')"
like "and when the files changed" 'LogLastModifiedTime:[A-Z][a-z]+ [A-Z].* 20[0-9]{2}$' "$(yarn logs -applicationId "$id")"
exits "-out" 0 yarn logs -applicationId "$id" -out "$T/logs"
is "writes a file for each container" 1 "$(find "$T/logs" -name "$container" -path '*_[0-9]*' | wc -l)"

exits "-kill" 0 yarn application -kill "$id"
is "ends when the application is over" KILLED "$(state "$id")"
exits "-kill of one that is over" 0 yarn application -kill "$id"
like "is no error, as in YARN" "Application $id has already finished" "$OUTPUT"
is "-appStates finds it" 1 "$(yarn application -list -appStates KILLED,FAILED 2>/dev/null | grep -c "$id")"
exits "-kill of one that does not exist" 255 yarn application -kill application_1_0001

# --- queues
is "queue -status" RUNNING "$(yarn queue -status default | awk -F' : ' '/\tState/ { print $2 }')"
like "shares with two decimals" '^[0-9]+\.[0-9]{2}%$' "$(yarn queue -status default | awk -F' : ' '/\tCapacity/ { print $2 }')"
exits "a queue that does not exist" 255 yarn queue -status nowhere
like "queue -list all" '^\| default +\| root.default' "$(yarn queue -list all)"

# --- administration
exits "-addToClusterNodeLabels" 0 yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false),fast"
like "cluster --list-node-labels" 'Node Labels: .*<gpu:exclusivity=false>' "$(yarn cluster --list-node-labels)"
exits "-replaceLabelsOnNode" 0 yarn rmadmin -replaceLabelsOnNode "$node=gpu"
is "the node has it" gpu "$(yarn node -status "$node" | awk -F' : ' '/Node-Labels/ { print $2 }')"
exits "one wrong label changes no node" 255 yarn rmadmin -replaceLabelsOnNode "$node=fast $node=nosuch"
is "it is as it was" gpu "$(yarn node -status "$node" | awk -F' : ' '/Node-Labels/ { print $2 }')"
exits "a node without label" 0 yarn rmadmin -replaceLabelsOnNode "$node"
exits "-removeFromClusterNodeLabels" 0 yarn rmadmin -removeFromClusterNodeLabels gpu,fast
exits "-updateNodeResource" 0 yarn rmadmin -updateNodeResource "$node" 512 1
is "sets the size" 512MB "$(yarn node -status "$node" | awk -F' : ' '/Memory-Capacity/ { print $2 }')"
exits "-refreshQueues" 0 yarn rmadmin -refreshQueues
is "prints nothing" "" "$OUTPUT"
exits "schedulerconf -add" 0 yarn schedulerconf -add "root.lab:capacity=0,acl_submit_applications=ann\,bob"
is "answers as YARN" "Configuration changed successfully." "$(grep -v warning <<<"$OUTPUT")"
like "-getconf has the properties" '<name>yarn.scheduler.capacity.root.lab.acl_submit_applications</name>.<value>ann,bob</value>' \
    "$(yarn schedulerconf -getconf | sed 's/^ *//' | tr '\n' ' ')"
exits "-update refuses a word for a number" 255 yarn schedulerconf -update root.lab:capacity=abc
like "with YARN's beginning" 'Configuration change unsuccessful: Failed to re-init queues : .*"abc"' "$OUTPUT"
exits "-remove of a stopped queue" 0 sh -c 'yarn schedulerconf -update root.lab:state=STOPPED && yarn schedulerconf -remove root.lab'
exits "-format" 0 yarn schedulerconf -format
is "the files alone are in force" "" "$(yarn schedulerconf -getconf | grep root.lab)"
exits "-refreshNodes" 0 yarn rmadmin -refreshNodes
exits "-refreshAdminAcls" 0 yarn rmadmin -refreshAdminAcls
exits "-refreshUserToGroupsMappings" 0 yarn rmadmin -refreshUserToGroupsMappings
is "-getServiceState" active "$(yarn rmadmin -getServiceState rm1)"
exits "-transitionToActive: there is one resource manager" 255 yarn rmadmin -transitionToActive rm1
exits "top" 0 yarn top -delay 1 -rows 20
like "prints the applications, as creel top" '^ *APP' "$OUTPUT"
exits "top of a resource manager that does not answer, as creel top" 5 sh -c 'yarn top -D yarn.resourcemanager.address=127.0.0.1:1'
exits "top -queues" 1 yarn top -queues a
like "names keys of creel top" 'creel top; the keys s and q' "$OUTPUT"
exits "a command without counterpart" 1 yarn jar some.jar
like "names creel's way" 'creel submit' "$OUTPUT"
exits "a resource manager that does not answer" 1 yarn application -list -D yarn.resourcemanager.address=127.0.0.1:1
finish
