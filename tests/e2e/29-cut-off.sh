#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The resource manager is stopped, and the agent is killed meanwhile: containers with stop-after end in time, and
# no task runs twice at the same time.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.on-disconnect</name><value>stop-after 3s</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
cat >"$T/task" <<S
#!/bin/bash
exec 9>"$T/out/lock.\$1.\$CREEL_TASK_INDEX"
flock -n 9 || echo "task \$CREEL_TASK_INDEX of \$1" >>"$T/out/twice"
echo "\$1" >>"$T/out/begun"
exec -a "cut-off-$$ \$1" bash -c 'while [ ! -e "$T/out/end" ]; do read -rt 0.2 <> <(:); done'
S
chmod 0755 "$T/task"
payloads() { pgrep -f "^cut-off-$$ $1" | sort; }
payloads_are() { [ "$(payloads "$1" | wc -l)" = "$2" ]; }
begun_is() { [ "$(grep -c "^$1\$" "$T/out/begun")" = "$2" ]; }

ends=$(creel submit --id -N 2 -m 16M -- "$T/task" ends)
keeps=$(creel submit --id -N 2 -m 16M --on-disconnect keep -- "$T/task" keeps)
becomes "a job with stop-after runs" 60 begun_is ends 2
becomes "a job with --on-disconnect keep runs" 60 begun_is keeps 2
kept=$(payloads keeps)
kill -STOP "$(pid_of rm)"
becomes "the tasks with stop-after end while the resource manager is stopped" 20 payloads_are ends 0
is "the tasks with keep continue while the resource manager is stopped" "$kept" "$(payloads keeps)"
kill -CONT "$(pid_of rm)"
becomes "the tasks with stop-after run again when the resource manager is back" 60 payloads_are ends 2
is "the tasks with keep were not restarted" "$kept" "$(payloads keeps)"

kill -STOP "$(pid_of rm)"
agent=$(pid_of agent)
kill -KILL "$agent"
becomes "the tasks with stop-after end without an agent" 20 payloads_are ends 0
is "the tasks with keep continue without an agent" "$kept" "$(payloads keeps)"
kill -CONT "$(pid_of rm)"
check "the agent starts again" creel dev up --dir "$T/dev" -n 1 --conf "$T/conf"
becomes "the tasks with stop-after run again when the agent is back" 60 payloads_are ends 2
like "the log reports that the tasks ended after 3 s without the resource manager" "had no contact with the resource manager for 3.0 s" "$(cat "$T/dev/agent-1/log")"
touch "$T/out/end"
check "both jobs end" creel wait "$ends" "$keeps"
is "no task ran twice at the same time" "" "$(cat "$T/out/twice" 2>/dev/null)"
is "--on-disconnect with a malformed time is a usage error" 2 "$(creel run --on-disconnect stop-after=soon -- true >/dev/null 2>&1; echo $?)"
finish
