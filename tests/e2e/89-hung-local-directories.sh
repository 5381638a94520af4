#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A local or log directory of an agent that does not answer: the node stays, its other directories are used.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hung.sh"
node=yarn.nodemanager
mkdir -p "$T"/disk/{a,b,logs1,logs2}
nap=$(unlike_others)

# use KEY VALUE: the file of the agent, which overrides that of the cluster, gets the value.
use() { sed -i "s|<name>$1</name><value>[^<]*|<name>$1</name><value>$2|" "$T/dev/agent-1/conf/creel-site.xml"; }
restart_agent() {
    local pid
    pid=$(pid_of agent)
    kill "$pid" && wait_until 60 gone "$pid" && creel dev up --dir "$T/dev" -n 1 && wait_until 60 nodes_running_is 1
}
node_is() { value_is .state "$1" node list; }
report() { creel node list --json | jq -r '.items[0].healthReport // ""'; }
reported() { report | grep -qE "$1"; }
dirs_of_a_job() { creel run -m 16M -- sh -c 'echo "$LOCAL_DIRS $LOG_DIRS"' 2>/dev/null; }
silent() { creel node list --json | jq -e ".items[] | select(.lostInMs > 0)" >/dev/null; }

cluster_up -n 1
use $node.local-dirs "$T/disk/a,$T/disk/b"
use $node.log-dirs "$T/disk/logs1,$T/disk/logs2"
check "the agent starts with two local and two log directories" restart_agent
agent=$(pid_of agent)
job=$(creel submit --id -m 16M -- sh -c "echo begun; exec sleep $nap")
becomes "a container runs" 60 running_is "$job" 1
work=$(find "$T/disk" -type d -path "*/usercache/*/container_*" -not -path '*/tmp' | grep -c .)
is "it has a directory on both disks" 2 "$work"

# --- one of two
freeze "$T/disk/a" "$T/disk/logs1"
becomes "the health report names the local directory that does not answer" 60 \
    reported "1 of 2 local-dirs are bad; $T/disk/a does not answer: look at its disk or mount"
becomes "it names the log directory" 60 reported "1 of 2 log-dirs are bad; $T/disk/logs1 does not answer"
check "the node is RUNNING" node_is RUNNING
check "no node is silent" eval "! silent"
is "a new container uses the other directories" "$T/disk/b $T/disk/logs2" \
    "$(dirs_of_a_job | sed 's|/usercache/[^ ]*||; s|/application_.*||')"
exits "the logs there can be read" 0 creel logs "$(creel submit --id --wait -m 16M -- echo out)"
check "the first job can be killed" creel kill "$job"
ended() { creel status "$job" --json | jq -e '.items[0].finalStatus == "KILLED" or .items[0].state == "KILLED"' >/dev/null; }
becomes "it ends" 60 ended
becomes "its process is gone" 60 sh -c "! pgrep -f '^sleep $nap\$'"
exits "its logs are not read" 1 timeout 60 creel logs "$job"
like "the message has the reason" 'a log directory of its node does not answer: look at its disk or mount' "$OUTPUT"

# --- both
freeze "$T/disk/b"
becomes "the node is UNHEALTHY when no local directory answers" 60 node_is UNHEALTHY
like "the health report names both" "2 of 2 local-dirs are bad; .*/a does not answer.*/b does not answer" "$(report)"
check "the agent still sends heartbeats" eval "! silent"
is "the agent is the same process" "$agent" "$(pid_of agent)"

# --- all answer again
thaw
becomes "the node is RUNNING when the directories answer" 60 node_is RUNNING
becomes "the health report is empty" 60 sh -c "[ -z \"\$(creel node list --json | jq -r '.items[0].healthReport // \"\"')\" ]"
empty() { [ -z "$(find "$T/disk/a" -path '*/container_*' -print -quit)" ]; }
becomes "the directory of the ended container is removed" 60 empty
check "a job uses both disks" sh -c "[ \"\$(creel run -m 16M -- sh -c 'echo \"\$LOCAL_DIRS\" | tr , \"\\n\" | wc -l' 2>/dev/null)\" = 2 ]"
is "the agent is still the same process" "$agent" "$(pid_of agent)"

# --- the state directory
freeze "$T/dev/agent-1/state"
becomes "the node is UNHEALTHY when its state directory does not answer" 60 node_is UNHEALTHY
like "the health report names it" "$T/dev/agent-1/state does not answer: look at its disk or mount" "$(report)"
waiting=$(creel submit --id -m 16M -- true)
not_kept() { grep -q "cannot be kept: $T/dev/agent-1/state does not answer" "$T/dev/agent-1/log"; }
becomes "the agent does not write there" 60 not_kept
seen_again() { creel node list --json | jq -e ".items[0].lastHeartbeatMs > $last" >/dev/null; }
last=$(creel node list --json | jq '.items[0].lastHeartbeatMs')
becomes "it sends further heartbeats" 30 seen_again
check "no node is silent" eval "! silent"
thaw
becomes "the node is RUNNING when the directory answers" 60 node_is RUNNING
exits "the job that waited runs" 0 timeout 60 creel wait "$waiting"
is "the agent is the same process" "$agent" "$(pid_of agent)"

# --- from before the start
freeze "$T/disk/a"
becomes "the report names the directory again" 60 reported "$T/disk/a does not answer"
check "the agent starts though a directory does not answer" restart_agent
becomes "it names the directory" 60 reported "1 of 2 local-dirs are bad; .*$T/disk/a does not answer"
exits "a job runs" 0 timeout 60 creel run -m 16M -- true
finish
