#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures the memory of the agent: idle, and for each further container.
. "$(dirname "$0")/lib.sh"
few=${E2E_FEW:-100}
more=${E2E_MORE:-300}
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>100000</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>1000</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
pid=$(pid_of agent)
own_kib() { awk '/^(RssAnon):/ { print $2 }' "/proc/$pid/status"; }
rss_kib() { awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status"; }
# Uses the lowest of several samples: the agent releases the memory of a burst of work within half a minute.
least=0
settles() {
    local now; now=$(own_kib)
    { [ "$least" = 0 ] || [ "$now" -lt "$least" ]; } && { least=$now; steady=0; return 1; }
    steady=$((steady + 1))
    [ "$steady" -ge 140 ]
}
settled() { least=0; steady=0; wait_until 120 settles; }

becomes "the idle agent uses less than 5 MiB of memory" 90 \
    sh -c "[ \$(awk '/^VmRSS:/ { print \$2 }' /proc/$pid/status) -lt 5120 ]"
echo "# idle: $(rss_kib) KiB resident, $(own_kib) of its own"

one=$(creel submit --id -N "$few" -m 16M -- sleep 1000)
becomes "$few containers run" 200 running_is "$one" $((few + 1))
settled
first=$least
two=$(creel submit --id -N "$more" -m 16M -- sleep 1000)
becomes "$more more containers run" 300 running_is "$two" $((more + 1))
settled
each=$(((least - first) * 1024 / (more + 1)))
echo "# $first KiB with $((few + 1)) containers, $least with $((few + more + 2)): $each bytes for each"
check "each further container takes at most 4 KiB of memory" [ "$each" -le 4096 ]

check "creel kill accepts both jobs" creel kill "$one" "$two"
becomes "no process of the jobs is left" 120 sh -c "! pgrep -f '^sleep 1000\$' >/dev/null"
finish
