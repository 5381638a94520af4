#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command yarn of several releases of Hadoop, unchanged, asks creel-hadoop: it prints what creel's own yarn prints.
# A Hadoop client that connects to creel's own port learns why it is not served. PROGRAMS is the folder that fetch filled.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
: "${PROGRAMS:?PROGRAMS must name the folder that tests/outside/fetch filled}"
hadoop=
trap '[ -z "$hadoop" ] || kill "$hadoop" 2>/dev/null; cleanup' EXIT
cluster_up -n 2

creel keygen user creel-hadoop >/dev/null 2>&1
mkdir "$T/hadoop"
sed "s|users/creel-web<|users/creel-hadoop<|; s|</configuration>||" "$T/dev/web/conf/creel-site.xml" >"$T/hadoop/creel-site.xml"
cat >>"$T/hadoop/creel-site.xml" <<'X'
<property><name>creel.hadoop.enabled</name><value>true</value></property>
<property><name>creel.hadoop.auth</name><value>local</value></property>
<property><name>creel.hadoop.address</name><value>127.0.0.1:18532</value></property>
</configuration>
X
creel-hadoop --conf "$T/hadoop" >"$T/hadoop.log" 2>&1 &
hadoop=$!
becomes "creel-hadoop is ready" 30 grep -q ready: "$T/hadoop.log"

# client_conf DIR ADDRESS: writes the configuration of a Hadoop client.
client_conf() {
    mkdir "$1"
    echo '<configuration/>' >"$1/core-site.xml"
    echo "<configuration><property><name>yarn.resourcemanager.address</name><value>$2</value></property></configuration>" >"$1/yarn-site.xml"
}
client_conf "$T/client" 127.0.0.1:18532
client_conf "$T/closed" "127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "rm").ports.client')"

# yarn_of VERSION CONF CLASS ARGUMENT...: runs a command of that Hadoop; prints its output without warnings and stack traces.
yarn_of() {
    local version=$1 conf=$2 class=$3
    shift 3
    timeout 90 java --add-opens java.base/java.lang=ALL-UNNAMED -cp "$conf:$PROGRAMS/hadoop-$version/*" \
        "org.apache.hadoop.yarn.client.cli.$class" "$@" 2>&1 | grep -vE '^\s+at |^\s+\.\.\. [0-9]+ more|log4j|slf4j|SLF4J|WARN|INFO'
}
# steady: leaves out what changes from one moment to the next, and the lines that not all releases print.
steady() { sed -E '/Last-Health-Update|Utilization|Scheduler Name|Current Capacity|Aggregate Resource|Log Aggregation|^$/d; s/[[:space:]]+$//'; }
# same VERSION CLASS ARGUMENT...: the command prints the same as creel's yarn. Hadoop's script leaves out the word "node".
same() {
    local version=$1 class=$2
    shift 2
    local own=("$@")
    [ "$class" != NodeCLI ] || shift
    is "yarn ${own[*]} of Hadoop $version prints what creel's prints" "" \
        "$(diff <(creel-yarn "${own[@]}" 2>&1 | steady) <(yarn_of "$version" "$T/client" "$class" "$@" | steady))"
}
node=$(value .nodeId node list)
over=$(creel submit --id --name short -- true)
becomes "an application ends" 30 state_is "$over" FINISHED

for version in 2.7.7 2.10.2 3.4.1; do
    id=$(creel submit --id --name long -- sleep "$(unlike_others)")
    becomes "an application runs" 30 state_is "$id" RUNNING
    like "yarn application -list of Hadoop $version has it" "^${id}[[:space:]]+long[[:space:]]+CREEL[[:space:]]+root[[:space:]]+root.default[[:space:]]+RUNNING" "$(yarn_of "$version" "$T/client" ApplicationCLI application -list)"
    same "$version" ApplicationCLI container -list "appattempt_${id#application_}_000001"
    yarn_of "$version" "$T/client" ApplicationCLI application -kill "$id" >"$T/kill"
    like "yarn application -kill says so" "Kill(ing|ed) application $id" "$(cat "$T/kill")"
    is "and it is killed" KILLED "$(state "$id")"
    like "an application that does not exist is YARN's error" "doesn't exist in RM" "$(yarn_of "$version" "$T/client" ApplicationCLI application -status application_1_0001)"
done
for arguments in "ApplicationCLI application -list -appStates ALL" "ApplicationCLI application -status $over" \
    "ApplicationCLI applicationattempt -list $over" "NodeCLI node -list -all" "NodeCLI node -status $node" "QueueCLI queue -status default"; do
    # shellcheck disable=SC2086 # words
    same 3.4.1 $arguments
done
like "a Hadoop client at creel's own port learns why it is not served" "this port has creel's own protocol" "$(yarn_of 3.4.1 "$T/closed" ApplicationCLI application -list)"
becomes "and the log has its address" 10 grep -q 'connection from 127.0.0.1 to port [0-9]*: closed, a Hadoop program' "$T/dev/rm/log"
finish
