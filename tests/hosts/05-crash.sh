#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A host crashes and boots again with its disk: its containers are reported lost, run on other hosts, and leave no
# processes or files. The same for the host of the resource manager.
. "$(dirname "$0")/lib.sh"
hosts_up 4
job_start 9
victim=$(another_host "$(host_of_master "$id")")
records() { on "$victim" find /var/lib/creel/nm/containers -mindepth 1 -maxdepth 1 -type d; }
check "n$victim has records of containers" test -n "$(records)"
host_crash "$victim"
becomes "n$victim is LOST" 40 node_state_is "n$victim" LOST
becomes "its tasks run elsewhere" 60 running_at_least "$id" 10
host_start "$victim"
check "it boots again" host_ready "$victim"
exits "its agent starts" 0 on "$victim" systemctl start creel-nm
becomes "it is RUNNING" 30 node_state_is "n$victim" RUNNING
is "nothing was started a second time there" "" "$(payloads "$victim")"
becomes "no working directory is left" 20 on "$victim" sh -c '! ls -d /var/lib/creel/nm/local/usercache/*/appcache/*/container_* 2>/dev/null'

host_crash 1
host_start 1
check "the host of the resource manager boots again" host_ready 1
exits "creel-rm starts" 0 on 1 systemctl start creel-rm
becomes "all agents are there" 60 nodes_running_is 3
is "the application continues" RUNNING "$(state "$id")"
job_ends 9 2
finish
