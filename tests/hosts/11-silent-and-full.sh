#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The power of a host fails, the disk of an agent's host is full, and the disk of the resource manager's host: commands,
# health and the metrics of the alerts show each within seconds, running tasks continue, and it is gone when it is mended.
. "$(dirname "$0")/lib.sh"
hosts_boot 4
for i in 1 2 3 4; do
    on $i sed -i -e 's|>10000<|>30000<|' -e 's|</configuration>|\
  <property><name>creel.resourcemanager.free-space-min</name><value>1m</value></property>\
  <property><name>yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb</name><value>4</value></property>\
  <property><name>yarn.nodemanager.disk-health-checker.interval-ms</name><value>1000</value></property>\
  <property><name>yarn.resourcemanager.webapp.address</name><value>127.0.0.1:8088</value></property>\
&|' /etc/creel/yarn-site.xml
done
# small_disk I DIRECTORY MEGABYTES OWNER: mounts a file system of that size there.
small_disk() { on "$1" sh -c "mkdir -p $2 && mount -t tmpfs -o size=$3m,mode=0711 small $2 && chown $4:$4 $2"; }
fill() { on "$1" sh -c "dd if=/dev/zero of=$2/fill bs=64k 2>/dev/null; dd if=/dev/zero of=$2/fill2 bs=1 count=65536 2>/dev/null; df -k $2 | grep -q 100%"; }
drain() { on "$1" rm -f "$2/fill" "$2/fill2"; }
check_of() { creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c) | .result + " " + .text'; }
check_is() { check_of "$1" | grep -qE -- "$2"; }
metric_is() { ip netns exec "$run-n1" curl -s -m 10 http://127.0.0.1:8088/metrics | grep -qxF "$1 $2"; }
for i in 2 3 4; do small_disk $i /var/lib/creel/nm 24 root; done
small_disk 1 /var/lib/creel/rm 8 creel

on 1 systemctl start creel-rm
for i in 2 3 4; do on $i systemctl start creel-nm; done
becomes "the agents register" 30 nodes_running_is 3
exits "apt-get install creel-web" 0 on 1 env DEBIAN_FRONTEND=noninteractive apt-get -qy -o Dpkg::Use-Pty=0 --no-install-recommends install creel-web
becomes "the metrics count no silent node" 30 metric_is creel_nodes_silent 0
exits "creel cluster health is content with the whole cluster" 0 creel cluster health
job_start 9
master=$(host_of_master "$id")
victim=$(another_host "$master")
for i in 2 3 4; do [ $i = "$master" ] || [ $i = "$victim" ] || full=$i; done

# --- power off: no packet of the host arrives any more
before=$(payloads "$full")
cut_off "$victim"
host_crash "$victim"
becomes "n$victim is silent" 20 check_is silent-nodes "^warning 1 node is silent: n$victim:8041"
is "its state is that of YARN" RUNNING "$(node_state "n$victim")"
like "creel node list says since when, and when it counts as lost" "n$victim:8041 .*silent for [0-9]+s; counts as lost in [0-9]+s" "$(creel node list -o wide)"
like "creel why of the job names the node" "node n$victim:8041, where it has containers, is silent" "$(creel why "$id")"
becomes "the metric of the alert counts it" 20 metric_is creel_nodes_silent 1
becomes "n$victim is LOST" 60 node_state_is "n$victim" LOST
becomes "creel cluster health reports it as lost" 20 check_is lost-nodes "^warning 1 node is lost: n$victim:8041"
check "... and not as silent any more" check_is silent-nodes '^ok '
becomes "its tasks run elsewhere" 60 running_at_least "$id" 10
is "other containers did not notice" "$before" "$(payloads "$full" | cut -c "1-${#before}")"
heal "$victim"
host_start "$victim"
check "it boots again" host_ready "$victim"
exits "its agent starts" 0 on "$victim" systemctl start creel-nm
becomes "it is RUNNING" 30 node_state_is "n$victim" RUNNING
becomes "creel cluster health is content" 30 creel cluster health

# --- the disk of an agent's host is full
before=$(payloads "$full") agent=$(main_pid "$full" creel-nm)
check "the disk of n$full is full" fill "$full" /var/lib/creel/nm
becomes "creel cluster health names the node and the directory" 30 \
    check_is unhealthy-nodes "^warning 1 node is unhealthy: n$full:8041 \(/var/lib/creel/nm[^ ]*: "
becomes "the metric of the alert counts it" 20 metric_is 'creel_nodes{state="unhealthy"}' 1
is "its containers continue" "$before" "$(payloads "$full")"
exits "a job runs on the other hosts" 0 creel run -m 16M -- sh -c "test \$CREEL_NODE_ID != n$full:8041"
drain "$full" /var/lib/creel/nm
becomes "n$full is RUNNING when there is room" 30 node_state_is "n$full" RUNNING
is "its agent was not restarted" "$agent" "$(main_pid "$full" creel-nm)"
becomes "creel cluster health is content" 30 creel cluster health

# --- the disk of the resource manager's host is full
before="$(payloads 2)$(payloads 3)$(payloads 4)" rm=$(main_pid 1 creel-rm)
check "the disk of n1 is full" fill 1 /var/lib/creel/rm
refused() { ! creel submit --id -- sh -c "true $(head -c 40000 /dev/zero | tr '\0' x)" >"$T/refused" 2>&1; }
becomes "submissions are refused" 60 refused
like "with the reason" 'make room' "$(cat "$T/refused")"
becomes "creel cluster health finds that the state is not written" 30 check_is state-store '^failed .*submissions are refused: '
becomes "... and that there is no room" 30 check_is free-space '^failed 0 is free where the uploads are.*less than 1M is free: state '
exits "it exits with 9" 9 creel cluster health
becomes "the metric of the alert is 2" 20 metric_is 'creel_health_check{check="state-store"}' 2
is "all nodes are RUNNING" "RUNNING RUNNING RUNNING" "$(node_state n2) $(node_state n3) $(node_state n4)"
is "all containers continue" "$before" "$(payloads 2)$(payloads 3)$(payloads 4)"
drain 1 /var/lib/creel/rm
becomes "submissions are accepted when there is room" 60 creel submit --id -- true
becomes "creel cluster health is content" 30 creel cluster health
is "the resource manager was not restarted" "$rm" "$(main_pid 1 creel-rm)"
job_ends 9 2
finish
