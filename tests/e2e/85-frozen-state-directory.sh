#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A state directory of an agent on a frozen file system: the agent goes on, also with files that it has open.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] && command -v fsfreeze mkfs.ext4 >/dev/null || { echo "1..0 # SKIP needs root, fsfreeze and mkfs.ext4"; exit 0; }
state=$T/dev/agent-1/state frozen=
thaw() { [ -z "$frozen" ] || fsfreeze -u "$state"; frozen=; }
clear_up() { thaw; umount -l "$state"; cleanup; } 2>/dev/null
truncate -s 64M "$T/image" && mkfs.ext4 -q "$T/image" && mkdir "$T/mounted" && mount -o loop "$T/image" "$T/mounted" ||
    { echo "1..0 # SKIP this machine cannot mount a file"; exit 0; }
umount "$T/mounted"
trap clear_up EXIT
node_is() { value_is .state "$1" node list; }
heartbeat() { creel node list --json | jq '.items[0].lastHeartbeatMs'; }
seen_again() { [ "$(heartbeat)" -gt "$last" ]; }
silent() { creel node list --json | jq -e ".items[] | select(.lostInMs > 0)" >/dev/null; }

cluster_up -n 1
pid=$(pid_of agent)
kill "$pid" && wait_until 60 gone "$pid"
mkdir "$T/copy" && cp -a "$state/." "$T/copy" && mount -o loop "$T/image" "$state" && cp -a "$T/copy/." "$state"
check "the agent starts with its state on a file system of its own" \
    eval 'creel dev up --dir "$T/dev" -n 1 && wait_until 60 nodes_running_is 1'
agent=$(pid_of agent)
job=$(creel submit --id -m 16M -- sleep "$(unlike_others)")
becomes "a container runs" 60 running_is "$job" 1

fsfreeze -f "$state" && frozen=yes
becomes "the node is UNHEALTHY" 60 node_is UNHEALTHY
last=$(heartbeat)
becomes "the agent sends further heartbeats" 30 seen_again
check "the job can be killed" creel kill "$job"
last=$(heartbeat)
becomes "the agent still sends heartbeats" 30 seen_again
last=$(heartbeat)
becomes "... and more" 30 seen_again
check "no node is silent" eval "! silent"

thaw
becomes "the node is RUNNING when the directory answers" 60 node_is RUNNING
becomes "the job is KILLED" 60 state_is "$job" KILLED
exits "another job runs" 0 timeout 60 creel run -m 16M -- true
is "the agent is the same process" "$agent" "$(pid_of agent)"
finish
