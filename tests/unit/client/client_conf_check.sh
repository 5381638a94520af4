#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# client_conf_check.sh - test: creel conf check of directories with queues of either scheduler; prints TAP
#
# Files of tests/configs/capacity and fair whose names begin with good- must be accepted, those with bad- refused.
# The output must contain the texts that "says: ..." comments at the beginning of each file list.
set -u
top=${srcdir:-$(dirname "$0")/../../..}
creel=${BUILD:-.}/creel
T=$(mktemp -d /tmp/creel-conf-check.XXXXXX)
trap 'rm -rf "$T"' EXIT
n=0 failed=0

report() {      # NAME PROBLEM
    n=$((n + 1))
    if [ -z "$2" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        sed 's/^/# /' <<<"$2"
        failed=1
    fi
}

site() {        # CLASS
    cat >"$T/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.resourcemanager.scheduler.class</name>
  <value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.$1</value></property>
</configuration>
X
}
for file in "$top"/tests/configs/{capacity,fair}/*.xml; do
    name=$(basename "$file" .xml)
    case $file in
        */fair/*) name="fair, $name"; site fair.FairScheduler; cp "$file" "$T/fair-scheduler.xml" ;;
        *) site capacity.CapacityScheduler; cp "$file" "$T/capacity-scheduler.xml" ;;
    esac
    output=$("$creel" conf check "$T" 2>&1)
    status=$?
    case $name in *good-*) want=0 ;; *) want=7 ;; esac
    problem=
    [ $status = $want ] || problem="status $status, expected $want: $output"
    while read -r message; do
        grep -qF -- "$message" <<<"$output" || problem="${problem}expected: $message
got: $output"
    done < <(sed -n 's/^<!-- says: \(.*\) -->$/\1/p' "$file")
    report "$name" "$problem"
done
rm "$T/capacity-scheduler.xml" "$T/fair-scheduler.xml"
output=$("$creel" conf check "$T" 2>&1) || output="status $?: $output"
report "without one the fair scheduler has root.default" \
    "$(grep -v 'is not there: root.default is all\|: good, with 1 warning\|^access: ' <<<"$output")"
site capacity.CapacityScheduler
output=$("$creel" conf check "$T" 2>&1) || output="status $?: $output"
report "no file is the shipped one" "$(grep -v ': good$\|^access: ' <<<"$output")"

# judged NAME WANT SAYS SCHEDULER [FILE KEY VALUE]...: checks further errors that the RM would refuse
judged() {
    local name=$1 want=$2 message=$3 status=0 problem=
    rm -rf "$T"; mkdir "$T"
    printf '<configuration><property><name>%s</name><value>%s</value></property>\n</configuration>\n' \
        yarn.resourcemanager.scheduler.class "$4" >"$T/yarn-site.xml"
    shift 4
    while [ $# -gt 0 ]; do
        [ -f "$T/$1" ] && sed -i '$d' "$T/$1" || echo '<configuration>' >"$T/$1"
        printf '  <property><name>%s</name><value>%s</value></property>\n</configuration>\n' "$2" "$3" >>"$T/$1"
        shift 3
    done
    output=$("$creel" conf check "$T" 2>&1) || status=$?
    [ $status = "$want" ] || problem="status $status, expected $want: $output"
    grep -qE -- "$message" <<<"$output" || problem="${problem}expected: $message
got: $output"
    report "$name" "$problem"
}
for scheduler in CapacityScheduler FifoScheduler; do
    judged "$scheduler: a smallest container of nothing" 7 \
        'yarn-site\.xml:2: yarn\.scheduler\.minimum-allocation-mb: "0": expected a number from 1' \
        $scheduler yarn-site.xml yarn.scheduler.minimum-allocation-mb 0
    judged "$scheduler: nor of no vcores" 7 'yarn-site\.xml:2: yarn\.scheduler\.minimum-allocation-vcores: "0"' \
        $scheduler yarn-site.xml yarn.scheduler.minimum-allocation-vcores 0
    judged "$scheduler: a largest that cannot be" 7 'yarn-site\.xml:2: yarn\.scheduler\.maximum-allocation-mb: "2000000000": expected' \
        $scheduler yarn-site.xml yarn.scheduler.maximum-allocation-mb 2000000000
    judged "$scheduler: a unit that nobody knows" 7 'resource-types\.xml:3: yarn\.resource-types\.disk\.units: "GB"' \
        $scheduler resource-types.xml yarn.resource-types disk resource-types.xml yarn.resource-types.disk.units GB
    judged "$scheduler: what a node offers of memory" 7 'node-resources\.xml:2: yarn\.nodemanager\.resource-type\.memory-mb' \
        $scheduler node-resources.xml yarn.nodemanager.resource-type.memory-mb 4096
    judged "$scheduler: a node's offer that is no amount" 7 'node-resources\.xml:2: yarn\.nodemanager\.resource-type\.disk: "much"' \
        $scheduler node-resources.xml yarn.nodemanager.resource-type.disk much
done
judged "keys in a file from which they are not read" 0 'is not read from resource-types\.xml' FifoScheduler \
    resource-types.xml yarn.scheduler.minimum-allocation-mb 0
judged "types are counted by fifo" 0 ': good' FifoScheduler resource-types.xml yarn.resource-types disk
judged "not by the calculator of memory alone" 7 \
    'resource-types\.xml:2: yarn\.resource-types: "disk": the calculator counts memory alone' \
    CapacityScheduler resource-types.xml yarn.resource-types disk
judged "but by the dominant one" 0 ': good' CapacityScheduler resource-types.xml yarn.resource-types disk \
    capacity-scheduler.xml yarn.scheduler.capacity.resource-calculator DominantResourceCalculator \
    capacity-scheduler.xml yarn.scheduler.capacity.root.queues default \
    capacity-scheduler.xml yarn.scheduler.capacity.root.default.capacity 100
judged "a vector of a queue may name them" 0 ': good' CapacityScheduler resource-types.xml yarn.resource-types disk \
    capacity-scheduler.xml yarn.scheduler.capacity.resource-calculator DominantResourceCalculator \
    capacity-scheduler.xml yarn.scheduler.capacity.root.queues default \
    capacity-scheduler.xml yarn.scheduler.capacity.root.default.capacity '[memory=1024,vcores=2,disk=5]'
judged "and no others" 7 'capacity-scheduler\.xml:4: .*there is no resource called "gpu"' CapacityScheduler \
    capacity-scheduler.xml yarn.scheduler.capacity.resource-calculator DominantResourceCalculator \
    capacity-scheduler.xml yarn.scheduler.capacity.root.queues default \
    capacity-scheduler.xml yarn.scheduler.capacity.root.default.capacity '[memory=1024,vcores=2,gpu=5]'
judged "user.name in requests is believed" 0 \
    'warning: creel\.http\.auth is simple: every program on the hosts 127\.0\.0\.1 ::1 may act as any user over REST' \
    CapacityScheduler creel-site.xml creel.http.auth simple
judged "a typing error in a key of YARN" 0 \
    'warning: .*yarn\.resourcemanager\.recovery\.enabled2: unknown key, ignored, did you mean yarn\.resourcemanager\.recovery\.enabled\?' \
    CapacityScheduler yarn-site.xml yarn.resourcemanager.recovery.enabled2 true
judged "a key of YARN without an effect is no typing error" 0 \
    'yarn\.resourcemanager\.recovery\.enabled: "false": has no effect here: ' \
    CapacityScheduler yarn-site.xml yarn.resourcemanager.recovery.enabled false
judged "Kerberos of Hadoop changes what the cluster does" 0 \
    'hadoop\.security\.authentication: "kerberos": has no effect here: creel has no Kerberos' \
    CapacityScheduler yarn-site.xml hadoop.security.authentication kerberos
echo "1..$n"
exit $failed
