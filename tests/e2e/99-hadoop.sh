#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel-hadoop: a client of Hadoop's RPC reads the cluster and kills its applications, as the user whose socket it has.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>creel.security.proxy-users</name><value>root creel-web creel-hadoop</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"
here=$(cd "$(dirname "$0")" && pwd)
port=18532

# hadoop_conf NAME=VALUE...: writes the configuration of creel-hadoop to $T/hadoop.
hadoop_conf() {
    mkdir -p "$T/hadoop"
    sed "s|users/creel-web<|users/creel-hadoop<|; s|</configuration>||" "$T/dev/web/conf/creel-site.xml" >"$T/hadoop/creel-site.xml"
    for pair in "$@" creel.hadoop.address=127.0.0.1:$port; do
        echo "<property><name>${pair%%=*}</name><value>${pair#*=}</value></property>" >>"$T/hadoop/creel-site.xml"
    done
    echo '</configuration>' >>"$T/hadoop/creel-site.xml"
}
ask() { "$here/hadoop-client.py" "$port" "$@"; }
# as USER COMMAND...: runs the command as another user.
as() { local user=$1; shift; setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@"; }
is_ready() { grep -q "$1" "$T/hadoop.log"; }
serve() {
    hadoop_conf "$@"
    rm -f "$T/hadoop.log"
    creel-hadoop --conf "$T/hadoop" >"$T/hadoop.log" 2>&1 &
    hadoop=$!
    becomes "creel-hadoop is ready with $*" 30 is_ready ready:
}
end() { kill "$hadoop"; wait "$hadoop"; }

creel keygen user creel-hadoop >/dev/null 2>&1
hadoop_conf creel.hadoop.auth=local
exits "creel-hadoop does not start while creel.hadoop.enabled is false" 7 creel-hadoop --conf "$T/hadoop"
like "it names the key" 'creel.hadoop.enabled is false' "$OUTPUT"
hadoop_conf creel.hadoop.enabled=true
exits "nor without a way to know users" 7 creel-hadoop --conf "$T/hadoop"
like "it names the key" 'creel.hadoop.auth: names no way to know users' "$OUTPUT"

# --- local
serve creel.hadoop.enabled=true creel.hadoop.auth=local
id=$(creel submit --id --name sleeper -- sleep "$(unlike_others)")
becomes "an application runs" 30 state_is "$id" RUNNING
report=$(ask getApplicationReport "$id")
is "its report has name, user, queue and state" "sleeper root root.default 5" "$(jq -r '."1"[0] | [."4"[0], ."2"[0], ."3"[0], (."8"[0] | tostring)] | join(" ")' <<<"$report")"
is "the list has it" sleeper "$(ask getApplications | jq -r '."1"[0]."4"[0]')"
is "the filter for applications of another type leaves it out" '{}' "$(ask getApplications 0a05535041524b)"
is "there is one node, with its host" 127.0.0.1 "$(ask getClusterNodes | jq -r '."1"[0]."1"[0]."1"[0]')"
is "the metrics count it" 1 "$(ask getClusterMetrics | jq '."1"[0]."1"[0]')"
is "a queue is found by its name" root.default "$(ask getQueueInfo 0a0764656661756c74 | jq -r '."1"[0]."15"[0]')"
is "an unknown queue gives an empty answer" '{}' "$(ask getQueueInfo 0a046e6f6e65)"
like "an application that does not exist gives YARN's exception" '^org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException: Application with id' "$(ask getApplicationReport application_1_0001)"
like "a method that is not there gives Hadoop's exception" '^org.apache.hadoop.ipc.RpcNoSuchMethodException: Unknown method submitApplication' "$(ask submitApplication)"
like "resource profiles are off, as in YARN by default" YARNFeatureNotEnabledException "$(ask getResourceProfiles)"

# --- users
like "another user may not act for root" '^org.apache.hadoop.security.AccessControlException: user games may not act for root' "$(as games "$here/hadoop-client.py" "$port" -u root getClusterMetrics)"
like "another user may not say that it is root's proxy user" 'this connection is of user games, not of root' "$(as games "$here/hadoop-client.py" "$port" -u games -r root getClusterMetrics)"
like "another user may not kill the application" '^org.apache.hadoop.security.AccessControlException: ' "$(as games "$here/hadoop-client.py" "$port" forceKillApplication "$id")"
is "which runs on" RUNNING "$(state "$id")"
is "a proxy user acts for another user: its applications are those of its scope OWN" '{}' "$(ask -u games -r root getApplications 5802)"
is "its owner kills it; the answer is that it has not ended yet" '{"1": [0]}' "$(ask forceKillApplication "$id")"
becomes "it is killed" 30 state_is "$id" KILLED
is "then the answer is that it has ended" '{"1": [1]}' "$(ask forceKillApplication "$id")"

# --- answers of YARN
cat >"$T/expected" <<'X'
forceKillApplication
getApplicationAttempts
getApplicationReport
getApplications
getClusterMetrics
getClusterNodeLabels
getClusterNodes 1.12.4
getContainers
getQueueInfo 1.10.4 1.10.5 1.10.6 1.10.17 1.10.18 1.12
getQueueUserAcls
getResourceTypeInfo
X
# (1.12.4: use of other resources; 1.10: ended applications and pending containers of a queue; 1.12: figures by label)
ask --fields "$here/hadoop-answers.txt" "$id" | sed 's/ *$//' >"$T/fields"
is "the answers have the fields of YARN's" "" "$(diff "$T/expected" "$T/fields")"

# --- strangers
is "bytes of HTTP are answered" "HTTP/1.1 404 Not Found" "$(exec 9<>/dev/tcp/127.0.0.1/$port; printf 'GET / HTTP/1.1\r\n\r\n' >&9; timeout 20 head -1 <&9 | tr -d '\r')"
end
serve creel.hadoop.enabled=true creel.hadoop.auth=simple creel.hadoop.simple-addresses=192.0.2.1
like "a client at another address is refused, and learns why" 'creel-hadoop does not serve clients at the address 127.0.0.1: it serves the addresses of creel.hadoop.simple-addresses' "$("$here/hadoop-client.py" "$port" getClusterMetrics)"
end
serve creel.hadoop.enabled=true creel.hadoop.auth=simple creel.hadoop.simple-addresses=127.0.0.1
becomes "the log warns" 10 is_ready "every program on the 1 hosts of creel.hadoop.simple-addresses may act as any user"
like "from a listed address the user is believed" '"1": ' "$(ask -u nobody getClusterMetrics)"
like "but not root" 'AccessControlException: user root is not believed' "$(ask -u root getClusterMetrics)"
like "nor a system user who says that root acts for it" 'user root is not believed' "$(ask -u nobody -r root getClusterMetrics)"
end
finish
