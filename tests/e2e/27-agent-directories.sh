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
    becomes "$1: three tasks run" 60 begun_is "$1" 3
    before=$(payloads "$1")
    pid=$(pid_of agent)
    kill -KILL "$pid"
    wait_until 20 gone "$pid"
    rm -r "${agent_dir:?}/$2"
    check "$1: the agent starts" creel dev up --dir "$T/dev" -n 1
}

for directory in state state/containers; do
    what=${directory/\//-}
    remove "$what" "$directory"
    becomes "$what: the tasks begin anew" 60 begun_is "$what" 6
    is "$what: what the first agent had left is gone" "" "$(comm -12 <(echo "$before") <(payloads "$what"))"
    is "$what: three processes run" 3 "$(payloads "$what" | wc -l)"
    check "$what: killed" creel kill "$id"
    becomes "$what: nothing of it is left" 30 sh -c "! pgrep -f '^ghost-of-$$ $what' >/dev/null"
done
like "the log reports what was ended" "state directory is gone: its processes were ended" "$(cat "$agent_dir/log")"

for what in local logs; do
    remove "$what" "$what"
    is "$what: the tasks go on" "$before" "$(payloads "$what")"
    check "$what: killed" creel kill "$id"
    becomes "$what: nothing of it is left" 30 sh -c "! pgrep -f '^ghost-of-$$ $what' >/dev/null"
done
is "no task has run twice at a time" "" "$(cat "$T/out/twice" 2>/dev/null)"
becomes "no control group is left" 30 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' | grep -q ."
finish
