#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# client_conf_check.sh - creel conf check of a directory with queues of either scheduler: TAP
#
# Files of tests/configs/capacity and fair that begin with good- are accepted, with bad- refused; each says
# what is printed in comments at its beginning, "says: ...".
set -u
top=${srcdir:-$(dirname "$0")/../..}
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
    while read -r says; do
        grep -qF -- "$says" <<<"$output" || problem="${problem}expected: $says
got: $output"
    done < <(sed -n 's/^<!-- says: \(.*\) -->$/\1/p' "$file")
    report "$name" "$problem"
done
rm "$T/capacity-scheduler.xml" "$T/fair-scheduler.xml"
output=$("$creel" conf check "$T" 2>&1) || output="status $?: $output"
report "without one the fair scheduler has root.default" \
    "$(grep -v 'is not there: root.default is all\|: good, with 1 warning' <<<"$output")"
site capacity.CapacityScheduler
output=$("$creel" conf check "$T" 2>&1) || output="status $?: $output"
report "no file is the shipped one" "$(grep -v ': good$' <<<"$output")"
echo "1..$n"
exit $failed
