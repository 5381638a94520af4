#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each directory of an agent is removed in turn while tasks run: no task runs twice at the same time, and no process or
# control group of the earlier agent is left.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
agent_dir=$T/dev/agent-1
cat >"$T/task" <<S
#!/bin/bash
exec 9>"$T/out/lock.\$1.\$CREEL_TASK_INDEX"
flock -n 9 || echo "task \$CREEL_TASK_INDEX of \$1" >>"$T/out/twice"
echo "\$1" >>"$T/out/begun"
exec -a "ghost-of-$$ \$1" bash -c 'while [ ! -e "$T/out/end" ]; do read -rt 0.2 <> <(:); done'
S
chmod 0755 "$T/task"
payloads() { pgrep -f "^ghost-of-$$ $1" | sort; }
begun_is() { [ "$(grep -c "^$1\$" "$T/out/begun")" = "$2" ]; }

# remove NAME DIRECTORY: kills the agent while three tasks run, removes the directory, and starts the next agent.
remove() {
    local pid
    id=$(creel submit --id -N 3 -m 16M -- "$T/task" "$1")
    becomes "directory $1: three tasks run" 60 begun_is "$1" 3
    before=$(payloads "$1")
    pid=$(pid_of agent)
    kill -KILL "$pid"
    wait_until 20 gone "$pid"
    rm -r "${agent_dir:?}/$2"
    check "directory $1 removed: the agent starts" creel dev up --dir "$T/dev" -n 1
}

for directory in state state/containers; do
    what=${directory/\//-}
    remove "$what" "$directory"
    becomes "directory $what removed: the tasks start again" 60 begun_is "$what" 6
    is "directory $what removed: no process of the former agent is left" \
        "" "$(comm -12 <(echo "$before") <(payloads "$what"))"
    is "directory $what removed: three processes run" 3 "$(payloads "$what" | wc -l)"
    check "directory $what removed: creel kill accepts the job" creel kill "$id"
    becomes "directory $what removed: no process of the job is left" 30 \
        sh -c "! pgrep -f '^ghost-of-$$ $what' >/dev/null"
done
like "the log reports that processes without a state directory were ended" "state directory is gone: its processes were ended" "$(cat "$agent_dir/log")"

for what in local logs; do
    remove "$what" "$what"
    is "directory $what removed: the tasks continue" "$before" "$(payloads "$what")"
    check "directory $what removed: creel kill accepts the job" creel kill "$id"
    becomes "directory $what removed: no process of the job is left" 30 \
        sh -c "! pgrep -f '^ghost-of-$$ $what' >/dev/null"
done
is "no task ran twice at the same time" "" "$(cat "$T/out/twice" 2>/dev/null)"
becomes "no control group of a container is left" 30 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' | grep -q ."
finish
