#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Limits that the kernel enforces, and the user as which a container runs.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
  <property><name>creel.container.pids-max</name><value>64</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"

exits "more memory than asked for is an OOM kill: 137" 137 creel run -m 32M -- \
    sh -c 'head -c 200m /dev/zero | tail -c 190m >/dev/null; exit $?'
like "and the message names the limit" 'memory limit' "$OUTPUT"
exits "the machine is not the limit" 0 creel run -m 64M -- sh -c 'head -c 20m /dev/zero | tail -c 10m >/dev/null'
nap=$(unlike_others)
exits "a fork bomb ends at its limit of processes" 2 creel run -m 64M -- \
    sh -c "for i in \$(seq 200); do sleep $nap & done; exit 0"
like "the shell cannot fork" '[Cc]annot fork' "$OUTPUT"
becomes "and leaves no process" 20 sh -c "! pgrep -f '^sleep $nap\$'"

is "a container runs as the user who submitted" root "$(creel run -- id -un 2>/dev/null)"
creel keygen user nobody >/dev/null 2>&1
is "also through --as" nobody "$(creel --as nobody run -- id -un 2>/dev/null)"
is "with that user's files" "nobody" "$(creel --as nobody run --scratch -- sh -c 'stat -c %U .' 2>/dev/null)"
exits "a user who is not listed may not" 126 sh -c 'creel --as daemon run -- id -un; [ $? != 0 ] && exit 126'
like "and is informed which key forbids it" 'allowed-system-users|min-user-id' "$OUTPUT"

shows='echo "$(umask) $(nice)"'
is "a command has the umask and the nice value of its job" "0027 7" "$(creel run --umask 027 --nice 7 -- sh -c "$shows" 2>/dev/null)"
is "so has each task" "0027 7 0027 7" "$(creel run -N 2 -m 32M --umask 27 --nice 7 -- sh -c "$shows" 2>/dev/null | grep -oE '0027 7' | xargs)"
is "a step inside a job has its own" "0007 9" "$(creel run -m 256M --umask 027 -- creel run -m 32M --umask 7 --nice 9 -- sh -c "$shows" 2>/dev/null)"
is "a umask of 0 is one, too" "0000" "$(creel --as nobody run --umask 0 -- sh -c umask 2>/dev/null)"
is "root may have a nice value below 0" -5 "$(creel run --nice -5 -- nice 2>/dev/null)"
exits "others may not" 4 creel --as nobody submit --nice -5 -- true
like "as the message states" 'nice -5: user nobody may not give less than 0; only root may' "$OUTPUT"
exits "they may have one above 0" 0 creel --as nobody run --nice 19 -- sh -c 'test "$(nice)" = 19'

id=$(creel submit --id -- sh -c 'trap "" TERM; while :; do sleep 1; done')
becomes "it runs" 60 state_is "$id" RUNNING
check "kill" creel kill "$id"
becomes "a command that ignores TERM is killed" 30 state_is "$id" KILLED
becomes "and nothing of it is left" 20 sh -c "! find /sys/fs/cgroup -type d -name 'container_*${id#application_}_*' | grep ."
finish
