#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node is drained and decommissioned, under systemd: running containers finish, and the agent of a
# decommissioned node ends and is not started again until the node is recommissioned.
. "$(dirname "$0")/lib.sh"
hosts_up 3
job_start 6
check "n2 has containers" test -n "$(payloads 2)"
exits "creel node drain" 0 creel node drain n2:8041 --reason "new kernel"
becomes "the node is DRAINING" 20 node_state_is n2 DRAINING
check "its containers run on" test -n "$(payloads 2)"
exits "systemctl restart creel-rm" 0 on 1 systemctl restart creel-rm
becomes "it is DRAINING after that, too" 30 node_state_is n2 DRAINING
job_ends 6
becomes "the node is DRAINED" 30 node_state_is n2 DRAINED
exits "creel run" 0 creel run -N 4 -m 16M -- sh -c 'test $CREEL_NODE_ID = n3:8041'
exits "creel node undrain" 0 creel node undrain n2:8041
becomes "the node is RUNNING" 20 node_state_is n2 RUNNING
exits "creel node decommission" 0 creel node decommission n2:8041
becomes "the agent ends" 60 show_is 2 creel-nm ActiveState inactive
is "with a status that systemd does not answer with a restart" "0 0" "$(show 2 creel-nm ExecMainStatus) $(show 2 creel-nm NRestarts)"
on 2 systemctl start creel-nm
becomes "started again it is refused" 60 show_is 2 creel-nm ActiveState failed
is "once" "4 0" "$(show 2 creel-nm ExecMainStatus) $(show 2 creel-nm NRestarts)"
exits "creel node recommission" 0 creel node recommission n2:8041
exits "the agent can be started again" 0 on 2 systemctl start creel-nm
becomes "and serves" 30 node_state_is n2 RUNNING
finish
