#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hosts that joined with tokens run tasks while the state of the resource manager is lost and put back, its host is
# replaced from one file of `creel admin state backup --all`, and a state is lost for good.
. "$(dirname "$0")/lib.sh"
hosts_boot 3
for i in 1 2 3; do on $i sh -c 'systemctl stop creel-rm creel-nm; rm -rf /etc/creel/*'; done
exits "creel setup rm" 0 on 1 creel setup rm
exits "the resource manager starts" 0 on 1 systemctl start creel-rm
token=$(on 1 creel token create --join --uses 2 2>/dev/null)
for i in 2 3; do
    echo "$token" | on $i creel setup node --rm n1 --token - >"$T/setup" 2>&1 || fail "n$i joins" "$(cat "$T/setup")"
    exits "the agent of n$i starts" 0 on $i systemctl start creel-nm
done
becomes "both nodes are RUNNING" 30 nodes_running_is 2
exits "a user has a certificate" 0 on 1 creel keygen user ann --install

as_ann() { on 1 runuser -u ann -- creel "$@"; }
states() { creel node list --json | jq -r '[.items[] | .state] | unique | join(" ")'; }
states_are() { [ "$(states)" = "$1" ] && nodes_are 2; }
nodes_are() { [ "$(creel node list --json | jq '.items | length')" = "$1" ]; }
memory=$(creel node list --json | jq '[.items[].total.memoryMb] | min * 6 / 10 | floor')
# Starts a job with a task on each host. (A task needs more than half of a host.)
start_job() {
    rm -f "$T/out/go"
    id=$(as_ann submit --id -N 2 -m "${memory}M" -- sh -c 'until [ -e /out/go ]; do sleep 0.2; done')
    becomes "a task runs on each host" 60 running_is "$id" 3
    before="$(payloads 2)/ $(payloads 3)"
}
same() { is "$1" "$before" "$(payloads 2)/ $(payloads 3)"; }
start_job
is "the hosts that have joined are in the key directory" "n2 n3" "$(on 1 awk '!/^[#@]/ {print $1}' /etc/creel/keys/joined/hosts | sort | xargs)"

# --- the state is lost, and put back
on 1 sh -c 'systemctl stop creel-rm; mv /var/lib/creel/rm /var/lib/creel/lost'
exits "the resource manager starts without its state" 0 on 1 systemctl start creel-rm
becomes "both nodes are WAITING" 60 states_are WAITING
same "their containers continue"
like "creel cluster health names both ways out" 'state +failed .*creel admin state restore FILE.*creel admin state accept' "$(creel cluster health -o wide)"
on 1 sh -c 'systemctl stop creel-rm; rm -r /var/lib/creel/rm; mv /var/lib/creel/lost /var/lib/creel/rm'
exits "it starts with the former state" 0 on 1 systemctl start creel-rm
becomes "both nodes are RUNNING" 60 states_are RUNNING
becomes "the job is RUNNING" 30 state_is "$id" RUNNING
same "its tasks did not notice"

# --- the host of the resource manager is replaced
exits "creel admin state backup --all" 0 creel admin state backup --all /out/all.tar
cut_off 1
host_crash 1
rm -rf "$T"/n1/*
heal 1
host_start 1
check "a new host boots" host_ready 1
on 1 sh -c 'rm -rf /etc/creel/*'
exits "creel admin state restore on the bare host" 0 creel admin state restore /out/all.tar
exits "the resource manager starts there" 0 on 1 systemctl enable --now creel-rm
becomes "both nodes are RUNNING" 60 states_are RUNNING
becomes "the job is RUNNING" 30 state_is "$id" RUNNING
same "its tasks did not notice"
touch "$T/out/go"
exits "the job ends well" 0 as_ann wait "$id" --timeout 60
becomes "creel cluster health is content" 30 creel cluster health

# --- the state is lost for good
start_job
on 1 sh -c 'systemctl stop creel-rm; rm -r /var/lib/creel/rm'
exits "the resource manager starts without its state" 0 on 1 systemctl start creel-rm
becomes "both nodes are WAITING" 60 states_are WAITING
same "their containers continue"
exits "creel admin state accept" 0 creel admin state accept --yes
becomes "both nodes are RUNNING" 60 states_are RUNNING
becomes "containers of n2 that the state does not have are ended" 60 payloads_gone 2
becomes "those of n3, too" 60 payloads_gone 3
start_job
touch "$T/out/go"
exits "a job runs" 0 as_ann wait "$id" --timeout 60
finish
