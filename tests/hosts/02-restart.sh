#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Agents and the resource manager are restarted, stopped, killed and upgraded while containers run: the containers
# continue. A stop of the keeper ends them, and so does a stop of the agent if a drop-in requests that.
. "$(dirname "$0")/lib.sh"
hosts_up 3
job_start 10
before=$(payloads 2) others=$(payloads 3)
check "there are containers on both hosts" test -n "$before" -a -n "$others"

exits "systemctl restart creel-nm" 0 on 2 systemctl restart creel-nm
becomes "the agent is back" 20 status_has 2 creel-nm '^[1-9].*registered with'
is "no container noticed" "$before" "$(payloads 2)"

# --- a container ends while there is no agent
mute=$(creel submit --id -n mute -m 16M -- sh -c 'until [ -e /out/mute ]; do sleep 0.1; done; exit 42')
becomes "another one runs" 30 running_is "$mute" 1
at=$(host_of_master "$mute")
before=$(payloads "$at")
exits "systemctl stop creel-nm" 0 on "$at" systemctl stop creel-nm
is "containers continue" "$before" "$(payloads "$at")"
is "the keeper, too" active "$(on "$at" systemctl is-active creel-keeper)"
touch "$T/out/mute"
ended() { ! payloads_are "$at" "$before"; }
becomes "one ends meanwhile" 20 ended
exits "systemctl start creel-nm" 0 on "$at" systemctl start creel-nm
exits "its status is right" 42 on 1 sh -c "creel wait $mute --timeout 30; creel status $mute --json | grep -q '\"exitStatus\": *42' && exit 42"

# --- killed, upgraded
before=$(payloads 2) pid=$(main_pid 2 creel-nm)
on 2 kill -9 "$pid"
restarted() { [ "$(show 2 creel-nm NRestarts)" -ge 1 ] && show_is 2 creel-nm ActiveState active; }
becomes "kill -9: systemd starts the agent again" 20 restarted
is "no container noticed" "$before" "$(payloads 2)"
on 2 sh -c 'for p in sbin/creel-nm libexec/creel/creel-shim; do cp /usr/$p /usr/$p.new && mv /usr/$p.new /usr/$p; done'
exits "an upgrade: new files, then systemctl restart" 0 on 2 systemctl restart creel-nm
is "no container noticed that" "$before" "$(payloads 2)"
exits "systemctl daemon-reload" 0 on 2 systemctl daemon-reload
is "nor that" "$before" "$(payloads 2)"
becomes "all agents are there" 20 nodes_running_is 2
exits "systemctl restart creel-rm" 0 on 1 systemctl restart creel-rm
becomes "all agents are there again" 30 nodes_running_is 2
on 1 kill -9 "$(main_pid 1 creel-rm)"
becomes "and after kill -9 of it" 30 nodes_running_is 2
is "containers of before run on" "$before $others" "$(payloads 2) $(payloads 3)"
job_ends 10
becomes "no control group is left over" 20 container_groups_gone 2

# --- a stop of the keeper ends all containers
id=$(creel submit --id -N 6 -m 16M -- sleep 1000)
becomes "six tasks run" 30 running_at_least "$id" 7
exits "systemctl stop creel-keeper" 0 on 2 systemctl stop creel-keeper
check "ends all containers of the host" payloads_gone 2
is "the agent stays" active "$(on 2 systemctl is-active creel-nm)"
becomes "its node is unhealthy" 20 node_state_is n2 UNHEALTHY
like "and reports why" 'creel-keeper.service.*was stopped: systemctl start creel-keeper' "$(creel node list)"
becomes "the job continues on the other host" 60 running_at_least "$id" 7
is "on that alone" n3:8041 "$(creel container list --app "$id" --json | jq -r '[.items[] | select(.state == "RUNNING") | .nodeId] | unique[]')"
creel kill "$id" >/dev/null 2>&1
becomes "the job is killed" 30 state_is "$id" KILLED
exits "systemctl start creel-keeper" 0 on 2 systemctl start creel-keeper
becomes "the node is healthy again" 20 node_state_is n2 RUNNING
on 3 systemctl stop creel-nm
exits "and runs containers" 0 creel run -m 16M -- sh -c 'test $CREEL_NODE_ID = n2:8041'
exits "the agent can be restarted" 0 on 2 systemctl restart creel-nm
on 3 systemctl start creel-nm

# --- kill -9 of the keeper ends all containers, and systemd starts it again
on 2 kill -9 "$(main_pid 2 creel-keeper)"
keeper_again() { [ "$(show 2 creel-keeper NRestarts)" = 1 ] && show_is 2 creel-keeper ActiveState active; }
becomes "kill -9 of the keeper: started again" 20 keeper_again
becomes "the node is healthy without an operator" 20 node_state_is n2 RUNNING

# --- a drop-in that ends containers with the agent
drop_in 3 creel-nm '[Unit]\nPropagatesStopTo=creel-keeper.service\n'
becomes "both agents are there" 20 nodes_running_is 2
id=$(creel submit --id -N 6 -m 16M -- sleep 1000)
becomes "six tasks run" 30 running_at_least "$id" 7
exits "systemctl stop creel-nm with the keeper to be stopped" 0 on 3 systemctl stop creel-nm
becomes "ends the containers, too" 20 payloads_gone 3
exits "systemctl start creel-nm starts both" 0 on 3 systemctl start creel-nm
is "the keeper is back" active "$(on 3 systemctl is-active creel-keeper)"
creel kill "$id" >/dev/null 2>&1
finish
