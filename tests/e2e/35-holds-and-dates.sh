#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs that have not entered their queue: holds, begin times, deadlines.
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
like "creel ps shows a held job with reason Held" '_0001 .*PENDING .*Held\(root\)' "$(creel ps)"
is "creel why names the reason Held" Held "$(reason_of "$held")"
like "creel why names creel release" 'creel release' "$(creel why "$held")"
is "creel status --json has the user of the hold" '["root",false]' "$(creel status "$held" --json | jq -c '.items[0].holds[0] | [.by, .administrator]')"
is "a held job has no attempt" 0 "$(value .attempt status "$held")"
tab=$(printf '\t')
audit() { grep -F -c "audit USER=root${tab}IP=127.0.0.1${tab}OPERATION=$1" "$T/dev/rm/log"; }
is "the audit line of the submission has address and application id" 1 \
    "$(audit "Submit Application Request${tab}TARGET=true${tab}RESULT=SUCCESS${tab}APPID=$held")"
exits "creel wait --for running of a held job exits with 124" 124 creel wait "$held" --for running --timeout 1
exits "creel release accepts the last digits of an id" 0 creel release "${held##*_}"
is "the audit line of the release has the whole id" 1 "$(audit "Release Application Request${tab}RESULT=SUCCESS${tab}APPID=$held")"
exits "the released job ends" 0 creel wait "$held" --timeout 60
exits "creel hold of an ended job is refused" 6 creel hold "$held"
like "the error of creel hold reports that the job is over" 'is over already' "$OUTPUT"
exits "creel release of an ended job is refused" 6 creel release "$held"

held=$(creel submit --id --hold -m 32M -- true)
check "a held job gets a priority above the maximum of the cluster" creel app priority "$held" 77
exits "its release succeeds" 0 creel --quiet release "$held"
like "with --quiet, too, it says that the priority is reduced" "$held: priority 77 is reduced: the priority is 0" "$OUTPUT"
exits "with --quiet, too, creel run says that attempts are reduced" 0 creel run --quiet -m 16M --max-attempts 99 -- true
like "with the number of them" 'max-attempts 99 is above .*: at most [0-9]' "$OUTPUT"

theirs=$(creel --as nobody submit --id --hold -m 32M -- true)
exits "an administrator may hold the job of another user" 0 creel hold "$theirs" --reason 'disk is full'
like "creel hold prints the administrator and the reason" 'held by administrator root: disk is full' "$OUTPUT"
exits "the owner of a job may release their own hold" 0 creel --as nobody release "$theirs"
exits "the owner of a job may not release the hold of an administrator" 4 creel --as nobody release "$theirs"
like "the error of creel release names the administrator and the reason of the hold" \
    'administrator root: disk is full; only an administrator' "$OUTPUT"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
is "the hold is kept over a restart of the resource manager" \
    "disk is full" "$(value '.holds[0].reason' status "$theirs")"
exits "the administrator may release the hold" 0 creel release "$theirs"
exits "the job ends after the release by the administrator" 0 creel wait "$theirs" --timeout 60
exits "another user may not hold a job" 4 creel --as nobody hold "$held"

rank=$(creel submit --id --hold -m 32M -- true)
exits "creel app priority changes the priority of a held job" 0 creel app priority "$rank" 4
is "creel status shows the priority of the held job" 4 "$(value .priority status "$rank")"
exits "creel app lifetime sets the lifetime of a held job" 0 creel app lifetime "$rank" 1h
like "creel app lifetime reports that the lifetime counts from when the job enters its queue" \
    'counts from when it enters' "$OUTPUT"
exits "creel app move of a held job to an unknown queue exits with 3" 3 creel app move "$rank" root.nowhere
exits "creel release releases the held job" 0 creel release "$rank"
exits "the job with the lifetime ends" 0 creel wait "$rank" --timeout 60
is "the lifetime counted from when the job entered its queue" \
    3600000 "$(creel status "$rank" --json | jq '.items[0] | .expiresMs - .eligibleMs')"

soon=$(creel submit --id --begin now+3 -m 32M -- true)
check "a job with --begin waits with reason BeginTime" reason_is "$soon" BeginTime
like "creel status shows the begin time" "Begins at: +$(date +%Y)-" "$(creel status "$soon")"
exits "the job ends after its begin time" 0 creel wait "$soon" --timeout 60
check "the job did not enter its queue before its begin time" \
    test "$(value .eligibleMs status "$soon")" -ge "$(value .beginMs status "$soon")"
exits "a --begin in the past is a usage error" 2 creel submit --begin 2020-01-01 -- true
like "the error for a --begin in the past reports that the time has passed" \
    '\-\-begin 2020-01-01: has passed' "$OUTPUT"
exits "a malformed --begin is a usage error" 2 creel submit --begin brunch -- true
is "--begin teatime is the next 16:00" "16:00" "$(date -d "@$(($(creel submit --dry-run --begin teatime -- true | jq '.items[0].beginMs') / 1000))" +%H:%M)"

late=$(creel submit --id --hold --deadline now+2 -m 32M -- true)
becomes "a held job is KILLED at its deadline" 30 state_is "$late" KILLED
like "creel status names the deadline as the reason" 'its deadline has come' "$(creel status "$late")"
exits "a --deadline before --begin is refused" 1 creel submit --begin now+2h --deadline now+1h -- true
like "the error for --deadline reports that it is not after the begin time" \
    'not after its time to begin' "$OUTPUT"

running=$(creel submit --id -m 32M -- sleep 1000)
becomes "a job runs" 30 state_is "$running" RUNNING
exits "creel hold of a running job is refused" 6 creel hold "$running"
like "the error of creel hold reports that the job has begun" 'has begun already' "$OUTPUT"
creel submit --hold --id -m 32M -- true >"$T/id"
exits "creel kill accepts a held job" 0 creel kill "$(cat "$T/id")"
is "the held job is KILLED" KILLED "$(state "$(cat "$T/id")")"
is "creel submit --dry-run shows the hold and the begin time" '[true,true]' "$(creel submit --dry-run --hold --begin now+1h -- true | jq -c '.items[0] | [.hold, .beginMs > 1700000000000]')"

like "--test-only names Held for a job that would be held" 'later: Held' "$(creel submit --test-only --hold -m 16M -- true)"
like "--test-only names BeginTime for a job with a later begin" 'later: BeginTime: it begins in 1h5[0-9]m' "$(creel submit --test-only --begin now+2h -m 16M -- true)"
like "--test-only names Dependency for a job that depends on another" 'later: Dependency' "$(creel submit --test-only -d singleton -m 16M -- true)"
mapfile -t nodes < <(creel node list -o id)
creel node drain "${nodes[@]}" --reason test >/dev/null
exits "--test-only accepts a job while all nodes are drained" 0 creel submit --test-only -m 16M -- true
like "--test-only names NoNodes, and nodes that may come back" 'later: NoNodes: no node in service could run it, and [0-9]+ out of service could' "$OUTPUT"
exits "--test-only refuses a job that no node could run" 8 creel submit --test-only -m 900G -- true
creel node undrain "${nodes[@]}" >/dev/null
finish
