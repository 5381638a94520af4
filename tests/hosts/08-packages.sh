#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The packages on hosts: an upgrade of all packages under load, in both orders; removal, after which containers continue;
# purge, which removes everything; an installation without a configuration.
. "$(dirname "$0")/lib.sh"
hosts_up 3
./newer "$HOST_ROOT/srv/creel" "$T/out/newer" || { fail "a newer version can be made"; finish; }
# apt I COMMAND...: on host I.
apt() {
    local i=$1
    shift
    on "$i" env DEBIAN_FRONTEND=noninteractive apt-get -qy -o Dpkg::Use-Pty=0 "$@"
}
offer_newer() {
    on "$1" sh -c 'echo "deb [trusted=yes] file:/out/newer ./" >/etc/apt/sources.list.d/newer.list'
    apt "$1" update
}
versions() { on "$1" dpkg-query -W -f '${Version}\n' creel-common creel-client creel-rm creel-nm creel | sort -u; }
# (longer than the removal and installation of an agent, so that its node is not lost meanwhile)
on 1 sed -i 's|<value>10000</value>|<value>600000</value>|' /etc/creel/yarn-site.xml
on 1 systemctl restart creel-rm
becomes "the agents register" 30 nodes_running_is 2
old=$(versions 1)
is "one version is installed" 1 "$(wc -l <<<"$old")"
on 1 systemctl -q enable creel-rm
for i in 2 3; do on $i systemctl -q enable creel-nm; done

# --- upgrade: n2 before the resource manager, n3 after it
job_start 10
before=$(payloads 2) others=$(payloads 3)
check "there are containers on both hosts" test -n "$before" -a -n "$others"
# upgrade I UNIT: upgrades all packages of the host, and checks that UNIT has a new process.
upgrade() {
    local i=$1 unit=$2 keeper pid
    pid=$(main_pid "$i" "$unit") keeper=$(main_pid "$i" creel-keeper)
    offer_newer "$i" >"$T/apt" 2>&1 || fail "n$i finds the newer archive" "$(cat "$T/apt")"
    exits "n$i: apt-get upgrade" 0 apt "$i" upgrade
    is "n$i: all packages are newer" "$old+newer1" "$(versions "$i")"
    check "n$i: $unit was started again" test "$(main_pid "$i" "$unit")" != "$pid"
    is "n$i: the keeper was not" "$keeper" "$(main_pid "$i" creel-keeper)"
}
upgrade 2 creel-nm
becomes "the newer agent works with the older resource manager" 30 nodes_running_is 2
upgrade 1 creel-rm
becomes "all agents register again" 30 nodes_running_is 2
upgrade 3 creel-nm
becomes "and with both newer" 30 nodes_running_is 2
is "no container was lost" "$before $others" "$(payloads 2) $(payloads 3)"
job_ends 10

# --- removal and purge
id=$(creel submit --id -N 6 -m 16M -- sleep 1000)
becomes "six tasks run" 30 running_at_least "$id" 7
before=$(payloads 2)
exits "apt-get remove creel-nm" 0 apt 2 remove creel-nm creel
like "it prints how to end containers" 'containers of this host continue; to end them: systemctl stop creel-keeper' "$OUTPUT"
is "the agent has ended" inactive "$(on 2 systemctl is-active creel-nm)"
is "containers run on" "$before" "$(payloads 2)"
exits "apt-get install creel-nm" 0 apt 2 install creel-nm
becomes "the agent adopts the containers" 30 status_has 2 creel-nm '^[1-9].*registered with'
is "none was lost" "$before" "$(payloads 2)"
exits "apt-get purge" 0 apt 2 purge creel-nm creel-rm creel-client creel-common
becomes "ends all containers" 30 payloads_gone 2
is "no package is left, nor its configuration" "" "$(on 2 dpkg -l 'creel*' 2>/dev/null | grep -E '^[a-z][a-z]? +creel' | grep -v '^un')"
is "nor a file" "" "$(on 2 find / -xdev \( -path /srv -o -path /out -o -path /proc -o -path /sys -o -path /run -o -path /tmp -o \
    -path /var/lib/creel -o -path /var/log -o -path /var/lib/apt -o -path /home \) -prune -o -name '*creel*' -print)"
is "nor state" "" "$(on 2 find /var/lib/creel -mindepth 1)"
is "nor a process" "" "$(on 2 ps -eo comm | grep creel)"
creel kill "$id" >/dev/null 2>&1

# --- installation without a configuration
exits "apt-get install creel, without a configuration" 0 apt 2 install creel
cp ../../debian/tests/service "$T/out/service"
exits "debian/tests/service" 0 on 2 /out/service
finish
