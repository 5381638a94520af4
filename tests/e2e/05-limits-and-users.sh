#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Limits that the kernel enforces, and the user as which a container runs.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.sleep-delay-before-sigkill.ms</name><value>1000</value></property>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
  <property><name>creel.container.pids-max</name><value>64</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"

exits "a job that uses more than its memory limit is killed with status 137" 137 creel run -m 32M -- \
    sh -c 'head -c 200m /dev/zero | tail -c 190m >/dev/null; exit $?'
like "the error of a job above its memory limit names the memory limit" 'memory limit' "$OUTPUT"
# The shell would end with 0: on cgroup v1 the kernel kills one process, on v2 all.
hungry='head -c 200m /dev/zero | tail -c 190m >/dev/null'
exits "a job whose child is killed for its memory fails, also if its command ends with 0" 137 creel run -m 32M -- \
    sh -c "$hungry; exit 0"
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "$hungry; sleep 1000")
becomes "a container whose child is killed for its memory is ended" 60 state_is "$job" FAILED
creel run -d "ok:$job" -- touch "$T/began" >/dev/null 2>&1
check "a job that depends on its success does not begin" test ! -e "$T/began"
exits "a job that uses less than its memory limit succeeds" 0 creel run -m 64M -- sh -c 'head -c 20m /dev/zero | tail -c 10m >/dev/null'
nap=$(unlike_others)
exits "a fork bomb fails at its limit of processes" 2 creel run -m 64M -- \
    sh -c "for i in \$(seq 200); do sleep $nap & done; exit 0"
like "the shell reports that it cannot fork" '[Cc]annot fork' "$OUTPUT"
becomes "no process of the fork bomb is left" 20 sh -c "! pgrep -f '^sleep $nap\$'"

is "a container runs as the user who submitted the job" root "$(creel run -- id -un 2>/dev/null)"
creel keygen user nobody >/dev/null 2>&1
is "a container of creel --as nobody runs as nobody" nobody "$(creel --as nobody run -- id -un 2>/dev/null)"
is "the scratch directory of creel --as nobody belongs to nobody" \
    "nobody" "$(creel --as nobody run --scratch -- sh -c 'stat -c %U .' 2>/dev/null)"
exits "a user who is not in allowed-system-users cannot run a container" 126 \
    sh -c 'creel --as daemon run -- id -un; [ $? != 0 ] && exit 126'
like "the error for a user who is not in allowed-system-users names a configuration key" \
    'allowed-system-users|min-user-id' "$OUTPUT"

shows='echo "$(umask) $(nice)"'
is "a command has the umask and the nice value of its job" "0027 7" "$(creel run --umask 027 --nice 7 -- sh -c "$shows" 2>/dev/null)"
is "each task of a job has its umask and nice value" "0027 7 0027 7" "$(creel run -N 2 -m 32M --umask 27 --nice 7 -- sh -c "$shows" 2>/dev/null | grep -oE '0027 7' | xargs)"
is "a step inside a job has its own umask and nice value" "0007 9" "$(creel run -m 256M --umask 027 -- creel run -m 32M --umask 7 --nice 9 -- sh -c "$shows" 2>/dev/null)"
is "a job with --umask 0 has a umask of 0000" \
    "0000" "$(creel --as nobody run --umask 0 -- sh -c umask 2>/dev/null)"
is "root may have a nice value below 0" -5 "$(creel run --nice -5 -- nice 2>/dev/null)"
exits "a user other than root may not submit with a nice value below 0" 4 \
    creel --as nobody submit --nice -5 -- true
like "the error for a nice value below 0 names the user and the limit" \
    'nice -5: user nobody may not give less than 0; only root may' "$OUTPUT"
exits "a user other than root may submit with a nice value above 0" 0 \
    creel --as nobody run --nice 19 -- sh -c 'test "$(nice)" = 19'

id=$(creel submit --id -- sh -c 'trap "" TERM; while :; do sleep 1; done')
becomes "a job that ignores SIGTERM runs" 60 state_is "$id" RUNNING
check "creel kill accepts the job that ignores SIGTERM" creel kill "$id"
becomes "the job that ignores SIGTERM is KILLED" 30 state_is "$id" KILLED
becomes "no control group of the killed job is left" 20 sh -c "! find /sys/fs/cgroup -type d -name 'container_*${id#application_}_*' | grep ."

# The other meaning of a kill for memory.
creel dev down --dir "$T/dev" >/dev/null 2>&1
sed -i 's|</configuration>|<property><name>creel.container.memory-kill</name><value>process</value></property>\n&|' "$T/conf/creel-site.xml"
cluster_up -n 1 --conf "$T/conf"
exits "with memory-kill=process a job ends as its command does" 0 creel run -m 32M -- sh -c "$hungry; exit 0"
like "... and its diagnostics name the kill" 'The kernel killed a process of it' "$OUTPUT"
finish
