#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs that wait outside their queue: holds, begin times, deadlines.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
creel keygen user nobody >/dev/null 2>&1
reason_is() { [ "$(reason_of "$1")" = "$2" ]; }

held=$(creel submit --id --hold -m 32M -- true)
like "a held job is listed with the reason" '_0001 .*PENDING .*Held\(root\)' "$(creel ps)"
is "and why names it" Held "$(reason_of "$held")"
like "and the command that ends it" 'creel release' "$(creel why "$held")"
is "who holds it is data" '["root",false]' "$(creel status "$held" --json | jq -c '.items[0].holds[0] | [.by, .administrator]')"
is "it has no attempt" 0 "$(value .attempt status "$held")"
tab=$(printf '\t')
audit() { grep -F -c "audit USER=root${tab}IP=127.0.0.1${tab}OPERATION=$1" "$T/dev/rm/log"; }
is "the audit line of its submission has address and id" 1 \
    "$(audit "Submit Application Request${tab}TARGET=true${tab}RESULT=SUCCESS${tab}APPID=$held")"
exits "wait does not see it run" 124 creel wait "$held" --for running --timeout 1
exits "release, by the end of its id" 0 creel release "${held##*_}"
is "the audit line has the whole id" 1 "$(audit "Release Application Request${tab}RESULT=SUCCESS${tab}APPID=$held")"
exits "it runs to its end" 0 creel wait "$held" --timeout 60
exits "one that is over is not held" 6 creel hold "$held"
like "as the message states" 'is over already' "$OUTPUT"
exits "nor released" 6 creel release "$held"

theirs=$(creel --as nobody submit --id --hold -m 32M -- true)
exits "an administrator holds another user's job" 0 creel hold "$theirs" --reason 'disk is full'
like "which is reported" 'held by administrator root: disk is full' "$OUTPUT"
exits "its owner removes the own hold" 0 creel --as nobody release "$theirs"
exits "but not the administrator's" 4 creel --as nobody release "$theirs"
like "as the message states" 'administrator root: disk is full; only an administrator' "$OUTPUT"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
is "the hold outlives the resource manager" "disk is full" "$(value '.holds[0].reason' status "$theirs")"
exits "the administrator releases it" 0 creel release "$theirs"
exits "and it runs" 0 creel wait "$theirs" --timeout 60
exits "another user may not hold it" 4 creel --as nobody hold "$held"

rank=$(creel submit --id --hold -m 32M -- true)
exits "a held job gets another priority" 0 creel app priority "$rank" 4
is "which is shown" 4 "$(value .priority status "$rank")"
exits "and a lifetime" 0 creel app lifetime "$rank" 1h
like "which counts from when it enters its queue" 'counts from when it enters' "$OUTPUT"
exits "an unknown queue is refused" 3 creel app move "$rank" root.nowhere
exits "it is released" 0 creel release "$rank"
exits "and runs" 0 creel wait "$rank" --timeout 60
is "with its lifetime" 3600000 "$(creel status "$rank" --json | jq '.items[0] | .expiresMs - .eligibleMs')"

soon=$(creel submit --id --begin now+3 -m 32M -- true)
check "a job with a time waits for it" reason_is "$soon" BeginTime
like "status shows the time" "Begins at: +$(date +%Y)-" "$(creel status "$soon")"
exits "and runs then" 0 creel wait "$soon" --timeout 60
check "not before" test "$(value .eligibleMs status "$soon")" -ge "$(value .beginMs status "$soon")"
exits "a time that has passed is refused" 2 creel submit --begin 2020-01-01 -- true
like "with the reason" '\-\-begin 2020-01-01: has passed' "$OUTPUT"
exits "and what is no time" 2 creel submit --begin teatime -- true

late=$(creel submit --id --hold --deadline now+2 -m 32M -- true)
becomes "a job that waits is killed at its deadline" 30 state_is "$late" KILLED
like "with the reason" 'its deadline has come' "$(creel status "$late")"
exits "a deadline before the beginning is refused" 1 creel submit --begin now+2h --deadline now+1h -- true
like "with the reason" 'not after its time to begin' "$OUTPUT"

running=$(creel submit --id -m 32M -- sleep 1000)
becomes "a job runs" 30 state_is "$running" RUNNING
exits "it is not held any more" 6 creel hold "$running"
like "as the message states" 'has begun already' "$OUTPUT"
creel submit --hold --id -m 32M -- true >"$T/id"
exits "a held job is killed" 0 creel kill "$(cat "$T/id")"
is "and is KILLED" KILLED "$(state "$(cat "$T/id")")"
is "--dry-run shows the fields" '[true,true]' "$(creel submit --dry-run --hold --begin now+1h -- true | jq -c '.items[0] | [.hold, .beginMs > 1700000000000]')"
finish
