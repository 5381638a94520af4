#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel container resize: a job that needs more memory gets it and lives; increases that wait; decreases; refusals;
# kill -9 of the resource manager and the agent around a change.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>8</value></property>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>64</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>2048</value></property>
</configuration>
X
cat >"$T/conf/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1</value></property>
  <property><name>yarn.scheduler.capacity.resource-calculator</name><value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property>
</configuration>
X
up() { creel dev up --dir "$T/dev" -n 1 --conf "$T/conf" >"$T/up.log" 2>&1; }
cluster_up -n 1 --conf "$T/conf"

# limit_of CONTAINER: prints the memory limit that the kernel applies, in MiB.
limit_of() {
    local path
    path=$(find /sys/fs/cgroup -path "*/$cgroup-*/$1/memory.limit_in_bytes" -o -path "*/$cgroup-*/$1/memory.max" 2>/dev/null | head -1)
    echo $(($(cat "$path") >> 20))
}
limit_is() { [ "$(limit_of "$1")" = "$2" ]; }

# The job waits for a file, then uses 200 MB: more than it asked for.
cat >"$T/hungry" <<'S'
#!/bin/sh
while [ ! -e "$1" ]; do sleep 0.1; done
head -c 200m /dev/zero | tail -c 190m >/dev/null && echo fed
S
chmod +x "$T/hungry"
id=$(creel submit --id -m 64M -n hungry -- "$T/hungry" "$T/out/go")
becomes "the job runs" 60 running_is "$id" 1
cid=$(first_container "$id")
is "the kernel limits the job to 64 MiB" 64 "$(limit_of "$cid")"

exits "creel container resize --wait exits with 0 when the job has more memory" 0 creel container resize "$cid" -m 512M --wait --timeout 30
like "it prints the new size" "^$cid: has 512M" "$OUTPUT"
is "the kernel limits the job to 512 MiB" 512 "$(limit_of "$cid")"
is "creel container list has the new size" 512 "$(value .memoryMb container list --app "$id")"
like "creel container show has the new size" 'Resources: +512M' "$(creel container show "$cid")"
like "creel events has the change" 'RESIZED.*512 MiB' "$(creel events --app "$id")"
is "the size has changed once" 1 "$(value .version container show "$cid")"

kill_nine "$(pid_of rm)"
up
is "after kill -9 of the resource manager the size is that of the change" 512 "$(value .memoryMb container show "$cid")"
becomes "the agent registers again" 60 nodes_running_is 1
is "the node counts the new size" 512 "$(creel node list --json | jq '.items[0].used.memoryMb // .items[0].usedMemoryMb')"
kill_nine "$(pid_of agent)"
up
becomes "the agent registers again after kill -9" 60 nodes_running_is 1
is "the kernel still limits the job to 512 MiB" 512 "$(limit_of "$cid")"
is "the version is the same" 1 "$(value .version container show "$cid")"

touch "$T/out/go"
exits "the job uses 200 MiB and succeeds" 0 creel wait "$id" --timeout 60
like "the job printed its line" fed "$(creel logs "$id" --stdout 2>/dev/null)"
exits "a container that has ended cannot be resized" 6 creel container resize "$cid" -m 64M
like "the error says why" 'does not run' "$OUTPUT"

# An increase that waits: two jobs fill the node.
one=$(creel submit --id -m 512M -n one -- sleep 600)
two=$(creel submit --id -m 512M -n two -- sleep 600)
becomes "both jobs run" 60 running_is "$two" 1
becomes "the first one too" 60 running_is "$one" 1
cid=$(first_container "$one")
exits "an increase that does not fit is accepted" 0 creel container resize "$cid" -m 768M
like "it prints that it waits, and why" "$cid: waits for 768M.*has 512M.*: asks for 1 of" "$OUTPUT"
like "creel why has the reason" 'more for a container on' "$(creel why "$one")"
is "creel container show has the wanted size" 768 "$(value .wanted.memoryMb container show "$cid")"
exits "creel container resize --cancel withdraws it" 0 creel container resize "$cid" --cancel
is "nothing waits any more" null "$(value .wanted container show "$cid")"
exits "it can be repeated, as after a lost connection" 0 creel container resize "$cid" --cancel
like "... with a warning that there is nothing to withdraw" 'no increase of it waits' "$OUTPUT"
creel container resize "$cid" -m 768M --wait --timeout 30 >"$T/wait.out" 2>&1 &
waiting=$!
exits "--wait ends after --timeout with status 124" 124 creel container resize "$cid" -m 768M --wait --timeout 1
like "the error names the option" "does not have its new size after --timeout" "$OUTPUT"
becomes "the increase waits" 30 value_is .wanted.memoryMb 768 container show "$cid"
kill_nine "$(pid_of rm)"
up
becomes "the increase still waits after kill -9 of the resource manager" 60 value_is .wanted.memoryMb 768 container show "$cid"
becomes "the agent registers again" 60 nodes_running_is 1
becomes "creel why has the reason again" 60 sh -c "creel why $one | grep 'more for a container on'"
creel kill "$two" >/dev/null
ends "the increase is served when the other job ends" 0 $waiting "$T/wait.out"
is "the kernel limits the job to 768 MiB" 768 "$(limit_of "$cid")"

# Decreases and refusals.
exits "a decrease counts at once" 0 creel container resize "$cid" -m 128M --wait
is "the size is 128 MiB" 128 "$(value .memoryMb container show "$cid")"
becomes "the kernel limits the job to 128 MiB" 20 limit_is "$cid" 128
exits "a size above the maximum is refused" 8 creel container resize "$cid" -m 4g
like "the error names the maximum" 'above the maximum for one container' "$OUTPUT"
exits "a size above that of its node is refused" 8 creel container resize "$cid" -m 1536M
like "the error names what there is" 'node' "$OUTPUT"
exits "larger and smaller at once is refused" 1 creel container resize "$cid" -m 64M -c 2
like "the error names two steps" 'two steps' "$OUTPUT"
exits "without a size the usage is printed" 2 creel container resize "$cid"
exits "another container does not exist" 3 creel container resize container_1_0001_01_000009 -m 1g
is "the size has not changed" 128 "$(value .memoryMb container show "$cid")"
creel kill "$one" >/dev/null

# A decrease below the memory in use ends the container, on cgroup v1 as on v2, and the freed memory can be used.
one=$(creel submit --id -m 300M -- python3 -c 'x = bytearray(150 << 20)
for i in range(0, len(x), 4096): x[i] = 1
import time; time.sleep(600)')
becomes "a job runs that uses 150 MiB" 60 running_is "$one" 1
cid=$(first_container "$one")
uses_memory() { [ "$(value .memoryBytes container show "$cid")" -ge 157286400 ]; }
becomes "its use is measured" 60 uses_memory
creel container resize "$cid" -m 140M >"$T/rounded" 2>&1
is "a size that is rounded to more than it uses has no warning" 0 "$(grep -c 'warning:' "$T/rounded")"
becomes "the kernel limits the job to the rounded size" 20 limit_is "$cid" 192
creel container resize "$cid" -m 50M >"$T/less" 2>&1
like "a warning with the rounded size is printed first" 'warning: .*it used 1[5-9][0-9] MiB .*more than its new limit of 64 MiB, and may be killed' "$(head -1 "$T/less")"
is "there is one warning" 1 "$(grep -c 'warning:' "$T/less")"
becomes "the job is ended for its memory" 60 value_is .exitStatus -104 container show "$cid"

# A task of the built-in application master.
id=$(creel submit --id -N 2 -m 64M -- sleep 600)
becomes "the tasks run" 60 running_is "$id" 3
task=$(creel container list --app "$id" --json | jq -r '[.items[] | select(.master | not)][0].id')
exits "a task gets more memory" 0 creel container resize "$task" -m 256M -c 2 --wait
is "the kernel limits the task to 256 MiB" 256 "$(limit_of "$task")"
is "the task has two vcores" 2 "$(value .vcores container show "$task")"
creel kill "$id" >/dev/null

# A scheduler that counts memory alone does not change the vcores, and says so as for a submission.
kill_nine "$(pid_of rm)"
sed -i 's/Dominant\(ResourceCalculator\)/Default\1/' "$T/conf/capacity-scheduler.xml"
up
id=$(creel submit --id -m 64M -- sleep 600)
becomes "a job runs with the default calculator" 60 running_is "$id" 1
cid=$(first_container "$id")
notice="creel: $cid: [34] virtual cores are reduced: the scheduler counts memory alone, and the containers have 1; "
exits "a resize of vcores that do not count succeeds" 0 creel container resize "$cid" -c 4
like "... with the notice of creel submit" "$notice" "$OUTPUT"
exits "it succeeds with --wait and --json" 0 creel container resize "$cid" -c 4 --wait --json
like "... with the notice, too" "$notice" "$OUTPUT"
exits "memory is changed, with --quiet" 0 creel container resize "$cid" -m 512M -c 3 --wait --quiet
like "... and the notice is printed" "$notice" "$OUTPUT"
becomes "the job has 512 MiB" 20 value_is .memoryMb 512 container show "$cid"
exits "the vcores that it has can be requested" 0 creel container resize "$cid" -m 256M -c 1 --wait
is "... without a notice" 0 "$(grep -c reduced <<<"$OUTPUT")"
finish
