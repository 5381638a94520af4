#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clients of YARN's REST interface, from the Python Package Index, against a cluster: see yarn_clients.py.
# PROGRAMS is the folder that fetch filled.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
: "${PROGRAMS:?PROGRAMS must name the folder that tests/outside/fetch filled}"
mkdir "$T/base" "$T/client"
site() {    # AUTHENTICATION
    cat >"$T/base/yarn-site.xml" <<Y
<configuration>
  <property><name>creel.http.auth</name><value>$1</value></property>
  <property><name>yarn.cluster.max-application-priority</name><value>9</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>yarn.scheduler.configuration.store.class</name><value>memory</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
</configuration>
Y
}
cat >"$T/base/capacity-scheduler.xml" <<'Y'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default,dev</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.dev.capacity</name><value>40</value></property>
  <property><name>yarn.scheduler.capacity.root.dev.maximum-capacity</name><value>80</value></property>
</configuration>
Y
port_of() { creel dev status --dir "$T/dev" --json | jq ".items[] | select(.role == \"$1\").ports.$2"; }
up() {      # AUTHENTICATION
    site "$1"
    cluster_up -n 1 --conf "$T/base"
    web=$(port_of web web)
    # As with high availability: the client finds that rm1 does not answer, and takes rm2.
    cat >"$T/client/yarn-site.xml" <<Y
<configuration>
  <property><name>yarn.resourcemanager.ha.rm-ids</name><value>rm1,rm2</value></property>
  <property><name>yarn.resourcemanager.webapp.address.rm1</name><value>127.0.0.1:1</value></property>
  <property><name>yarn.resourcemanager.webapp.address.rm2</name><value>127.0.0.1:$web</value></property>
  <property><name>yarn.nodemanager.webapp.address</name><value>127.0.0.1:$(port_of agent http)</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
</configuration>
Y
}
shown() { curl -sS -m 20 "http://127.0.0.1:$web/ws/v1/cluster/apps" | jq -e --arg id "$1" --arg state "$2" '.apps.app[] | select(.id == $id and .state == $state)'; }
clients() {
    YARN_CONF_DIR="$T/client" timeout 120 "$PROGRAMS/python/bin/python" "$here/yarn_clients.py" "$@" >"$T/clients" 2>&1
    is "yarn_clients.py exits with 0" 0 $?
    cat "$T/clients"
}

up token
running=$(creel submit --id -q dev -n outside --tag nightly -m 64M -- sh -c 'trap "echo got QUIT" QUIT; while :; do sleep 0.2; done')
long=$(creel submit --id -m 256M -- sleep "$(unlike_others)")
waiting=$(creel submit --id -q dev -n waits -m 900M -- true)
for id in "$running" "$long"; do becomes "the REST interface shows an application that runs" 30 shown "$id" RUNNING; done
becomes "the REST interface shows an application that waits" 20 shown "$waiting" ACCEPTED
clients "$(creel token create --scope admin)" "$running" "$waiting" "$long"
becomes "the container gets the signal of cluster_container_signal" 20 sh -c "creel logs --stdout '$running' | grep -x 'got QUIT'"
creel dev down --dir "$T/dev" >"$T/down.log" 2>&1

up none
running=$(creel submit --id -m 64M -- sleep "$(unlike_others)")
becomes "the REST interface shows an application without authentication" 30 shown "$running" RUNNING
clients --no-authentication "$running"
creel dev down --dir "$T/dev" >"$T/down.log" 2>&1

up simple
running=$(creel submit --id -m 64M -- sleep "$(unlike_others)")
becomes "the REST interface shows an application with simple authentication" 30 shown "$running" RUNNING
clients --simple "$running"
finish
