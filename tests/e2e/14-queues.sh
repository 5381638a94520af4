#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queues of the capacity scheduler: placement, reasons for waiting, moves, priorities, lifetimes, refreshes; and
# which of these survive a kill of the resource manager.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
queues=$T/conf/capacity-scheduler.xml

# site [KEY VALUE]...: writes a configuration with two nodes of 1 GiB, and users that do not exist on the system.
property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
site() {
    {
        echo '<configuration>'
        property yarn.resourcemanager.scheduler.class org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler
        property yarn.nodemanager.resource.memory-mb 1024
        property yarn.scheduler.maximum-allocation-mb 1024
        property yarn.nodemanager.resource.cpu-vcores 64
        property yarn.cluster.max-application-priority 10
        property creel.container.allowed-system-users root,daemon,games
        property hadoop.user.group.static.mapping.overrides 'root=root;daemon=daemon;bin=bin;games=games,players'
        while [ $# -gt 0 ]; do property "$1" "$2"; shift 2; done
        echo '</configuration>'
    } >"$T/conf/yarn-site.xml"
}
q() { property "yarn.scheduler.capacity.root.$1" "$2"; }
good() {
    echo '<configuration>'
    q queues prod,dev,few,closed
    q acl_submit_applications ' '; q acl_administer_queue ' '
    q prod.capacity 50; q prod.user-limit-factor 2; q prod.maximum-am-resource-percent 1
    q prod.acl_submit_applications 'daemon '
    q dev.capacity 40; q dev.maximum-capacity 50; q dev.queues etl,ml
    q dev.acl_administer_queue ' players'
    q dev.etl.capacity 50; q dev.etl.maximum-capacity 50; q dev.etl.user-limit-factor 10
    q dev.etl.state RUNNING
    q dev.ml.capacity 50; q dev.ml.maximum-am-resource-percent 1; q dev.etl.maximum-application-lifetime 3600
    q few.capacity 5; q few.maximum-applications 1
    q closed.capacity 5; q closed.state STOPPED
    echo '</configuration>'
}
site
good >"$queues"
check "creel conf check accepts the configuration" creel conf check "$T/conf"
cluster_up -n 2 --conf "$T/conf"
creel keygen user daemon bin games >/dev/null 2>&1

# waiting FILE [OPTION...]: submits a job that ends when FILE appears.
waiting() { local file=$T/out/$1; shift; creel submit --id "$@" -- sh -c "while [ ! -e $file ]; do sleep 0.1; done"; }
reason_is() { [ "$(reason_of "$1")" = "$2" ]; }
reasons() { creel why "$1" --json | jq -c ".items[0].reasons[] | select(.code == \"$2\") | [.blocking, .used.memoryMb, .asked.memoryMb, .allowed.memoryMb]"; }
queue() { creel queue show "$1" --json | jq -c ".items[0] | $2"; }
rank() { value .priority status "$1"; }
both_run() { state_is "$1" RUNNING && state_is "$2" RUNNING; }
restart_rm() {
    kill_nine "$(pid_of rm)"
    check "$1" creel dev up --dir "$T/dev" -n 2
    becomes "both agents register again" 30 nodes_running_is 2
}

# --- list of queues ---
is "creel queue tree prints every queue below its parent" 'root prod dev etl ml few closed' \
    "$(creel queue tree --no-header --columns queue | xargs)"
is "the capacity of a queue is a part of the capacity of its parent" '0.2 0.25 409 512' \
    "$(queue etl '[.absoluteCapacity, .absoluteMaxCapacity, .minimum.memoryMb, .maximum.memoryMb] | map(. * 1000 | round / 1000)' | tr -d '[]' | tr , ' ')"
is "creel queue list and creel queue show print the same guarantee" \
    "$(creel queue show dev.ml --json | jq .items[0].minimum)" \
    "$(creel queue list --json | jq '.items[] | select(.path == "root.dev.ml") | .minimum')"
like "creel queue explain shows how a guarantee is calculated" "50% of its parent's: it is guaranteed 20.0% of the cluster, 409 MiB" "$(creel queue explain ml)"
like "creel queue explain reports that a queue is stopped" 'It is stopped: it accepts no applications' "$(creel queue explain closed)"
exits "creel queue show of an unknown queue exits with 3" 3 creel queue show nowhere
like "creel queue access shows that every user may submit while yarn.acl.enable is false" 'yes: yarn.acl.enable is false' "$(creel queue access few --user bin)"

# --- accepted submissions ---
exits "a job runs in queue prod" 0 creel run -q prod -- true
exits "a job runs in a leaf queue that is given by its path" 0 creel run -q root.dev.etl -- true
exits "a job runs in a leaf queue that is given by its name" 0 creel run -q ml -- true
exits "a submission to an unknown queue is refused" 3 creel submit -q nowhere -- true
like "the error for an unknown queue lists the existing queues" \
    'nowhere.*root\.prod, root\.dev\.etl' "$OUTPUT"
exits "a submission to a parent queue is refused" 3 creel submit -q dev -- true
exits "a submission to a stopped queue is refused" 6 creel submit -q closed -- true
like "the error for a stopped queue reports that it is stopped" 'root\.closed: is stopped' "$OUTPUT"
ended=$(creel submit --id --wait -m 16M -- true 2>/dev/null | head -1)
first=$(waiting go -q few -m 16M)
exits "a submission beyond maximum-applications of the queue is refused" 6 creel submit -q few -m 16M -- true
like "the error beyond maximum-applications names the queue and its limit" 'root\.few.*1 app' "$OUTPUT"
exits "--test-only is refused beyond maximum-applications of the queue" 6 \
    creel submit -q few -m 16M --test-only -- true
# shellcheck disable=SC2086 # several words
for option in "-q few -m 16M" "-q few -m 16M -d ok:$ended" "-q closed" "-q dev" "-q nosuch" "-q prod -m 2g" "-l nosuch" "-d ok:4711" "-d corr:4711" "-d corr:${first##*_}" "--array 0-3 -d corr:${first##*_}"; do
    message=$(creel submit $option -- true 2>&1); status=$?
    OUTPUT=$(creel submit --dry-run $option -- true 2>&1 >/dev/null)
    is "--dry-run refuses $option as the submission does" "$status $message" "$? $OUTPUT"
done
exits "--dry-run accepts a job that waits while its queue is full" 0 creel submit -q few -m 16M --hold --dry-run -- true
exits "and one that waits for another job" 0 creel submit -q few -m 16M -d "ok:$first" --dry-run -- true
exits "a container larger than the maximum allocation would never run" 8 \
    creel submit -q prod -m 2g --test-only -- true
exits "a container larger than the maximum of its queue would never run" 8 \
    creel submit -q etl -m 600M --test-only -- true
like "the error for too large a container names the queue and its maximum" 'root\.dev\.etl.*512' "$OUTPUT"
exits "--test-only exits with 0 for a job that fits" 0 creel submit -q etl -m 200M --test-only -- true
like "--test-only names the queue and reports that the job starts at once" \
    'root\.dev\.etl.*at once' "$(tr '\n' ' ' <<<"$OUTPUT")"

# --- reasons for waiting ---
ml=$(waiting go -q ml -N 3 -m 208M)
becomes "a job runs up to the limit of its user" 60 running_is "$ml" 3
becomes "the last task of a job above the limit of its user waits with reason UserLimit" 30 \
    reason_is "$ml" UserLimit
is "creel why has the figures of UserLimit" '[true,480,208,416]' "$(reasons "$ml" UserLimit)"
restart_rm "the resource manager starts again while a job waits for the limit of its user"
becomes "that job waits with reason UserLimit again" 60 reason_is "$ml" UserLimit
like "creel why counts the active users, or says why there are none" 'may use .* now \((1 active user|no user counts as active: .*)\)' "$(creel why "$ml")"
large=$(creel submit --id -q etl -m 600M -- true)
becomes "creel why reports that a job larger than the maximum of its queue never runs" 30 \
    sh -c "creel why $large | grep -q 'it can never run in dev.etl, which gets at most 512 MiB now'"
creel kill "$large" >/dev/null
etl=$(waiting go -q etl -N 3 -m 208M)
becomes "a job runs up to the maximum of its queue" 60 running_is "$etl" 3
becomes "the last task of a job above the maximum of its queue waits with reason QueueLimit" 30 \
    reason_is "$etl" QueueLimit
is "creel why has the figures of QueueLimit" '[true,480,208,512]' "$(reasons "$etl" QueueLimit)"
like "creel why explains QueueLimit in words" \
    'dev\.etl uses 23\.4% of the cluster, its maximum is 25%' "$(creel why "$etl")"
like "creel ps -o wide shows QueueLimit and its figures" \
    'QueueLimit\(dev\.etl 94% of max 25%\)' "$(creel ps -o wide)"
other=$(creel --as daemon submit --id -q ml -m 208M -- true)
becomes "the job of another user waits with reason ParentLimit" 30 reason_is "$other" ParentLimit
is "creel ps -u lists the jobs of a user" "$other" "$(creel ps -u daemon -o id)"
is "creel ps -a -q lists the jobs of all users in a queue" "$(printf '%s\n' "$ml" "$other" | sort)" "$(creel ps -a -q ml -o id | sort)"
is "creel ps -s lists the jobs in a state" "$other" "$(creel ps -u daemon,root -q ml -s PENDING -o id)"
is "creel ps -s accepts the letters of Slurm" "$other" "$(creel ps -u daemon,root -q ml -s pd -o id)"
exits "creel ps -a -u is a usage error" 2 creel ps -a -u root
is "creel why has the figures of ParentLimit" '[true,960,208,1024]' "$(reasons "$other" ParentLimit)"
is "creel queue users lists the users of a queue" 'daemon root' "$(creel queue users ml -o id | sort | xargs)"
is "creel queue users shows the memory that a user has in use" 480 "$(creel queue users ml --json | jq '.items[] | select(.user == "root") | .used.memoryMb')"
master=$(waiting go -q etl -N 2 -m 16M)
becomes "an application waits with reason AmLimit" 30 reason_is "$master" AmLimit
is "creel why has the figures of AmLimit" '[true,64,64,64]' "$(reasons "$master" AmLimit)"
like "creel why explains AmLimit in words" 'masters of dev\.etl may hold 64 MiB together and hold 64 MiB; its own needs 64 MiB' "$(creel why "$master")"
like "creel queue explain counts the applications that wait for a limit" '1 application waits for a limit on applications or their masters' "$(creel queue explain etl)"
unlike "creel queue explain does not report that nothing waits" 'Nothing waits' "$(creel queue explain etl)"
exits "--test-only exits with 0 for a job that would wait" 0 creel submit -q etl -m 208M --test-only -- true
like "--test-only names QueueLimit as the reason for waiting" 'later: QueueLimit' "$OUTPUT"
exits "creel app move moves a pending application to a queue with free resources" 0 \
    creel app move "$other" prod
exits "the application moved to a queue with free resources ends" 0 creel wait "$other" --timeout 60
is "the application moved to a queue with free resources is in its new queue" root.prod "$(queue_of "$other")"
exits "creel app move to a stopped queue is refused" 6 creel app move "$master" closed
exits "creel app move of an ended application is refused" 6 creel app move "$other" etl
touch "$T/out/go"
exits "all four jobs of the queues ml, etl and few end" 0 \
    creel wait "$etl" "$ml" "$master" "$first" --timeout 60
is "all four jobs of the queues ml, etl and few are FINISHED" "FINISHED FINISHED FINISHED FINISHED" "$(for id in "$etl" "$ml" "$master" "$first"; do state "$id"; done | xargs)"

# --- priorities, lifetimes, stopped queues ---
a=$(waiting a -q prod -m 1024M)
# ($e below, above the maximum of etl, keeps the headroom of etl, 512 MiB, from the other queues, as in YARN. The rest is
# enough for $b, one of $c and $d, and a small job.)
b=$(waiting b -q prod -m 384M)
becomes "two jobs use most of the cluster" 60 both_run "$a" "$b"
c=$(waiting c -q prod -m 1024M)
d=$(waiting c -q prod -m 1024M)
e=$(waiting c -q prod -m 600M)
is "the queue lists pending jobs in the order of their submission" \
    "$c $d $e" "$(queue prod .next | jq -r '.[]' | grep -v "$a\|$b" | xargs)"
exits "creel app priority changes the priority of a pending job" 0 creel app priority "$d" 5
exits "a priority above the maximum of the cluster is accepted" 0 creel app priority "$d" 50
is "a priority above the maximum of the cluster is reduced to the maximum" 10 "$(rank "$d")"
is "the pending job with the highest priority is first" \
    "$d $c $e" "$(queue prod .next | jq -r '.[]' | grep -v "$a\|$b" | xargs)"
exits "creel app priority changes the priority of another pending job" 0 creel app priority "$e" 3
exits "creel app move moves that job to a queue with a lower maximum" 0 creel app move "$e" etl
is "the moved job waits with reason QueueLimit" QueueLimit "$(reason_of "$e")"
exits "creel queue stop stops a queue" 0 creel queue stop few
exits "a stopped queue refuses submissions" 6 creel submit -q few -- true
exits "creel queue stop stops a parent queue" 0 creel queue stop dev
is "a stopped parent and its used child are DRAINING, its unused child is STOPPED" 'DRAINING DRAINING STOPPED' "$(creel queue tree --no-header --columns state | sed -n '3,5p' | xargs)"
exits "a queue below a stopped parent refuses submissions" 6 creel submit -q etl -- true
exits "creel queue start of a queue below a stopped parent is refused" 6 creel queue start etl
exits "creel queue start starts the parent queue" 0 creel queue start dev
exits "a queue below the started parent accepts submissions" 0 creel submit -q etl --test-only -- true

restart_rm "the resource manager starts again after a kill"
is "a running job is in its queue after the restart" "root.prod RUNNING" "$(queue_of "$a") $(state "$a")"
is "a pending job is in its queue after the restart" "root.prod ACCEPTED" "$(queue_of "$c") $(state "$c")"
is "a moved job is in its new queue after the restart" "root.dev.etl" "$(queue_of "$e")"
is "priorities are kept over the restart" "0 10 3" "$(rank "$c") $(rank "$d") $(rank "$e")"
is "a queue that is STOPPED in the file is STOPPED" '"STOPPED"' "$(queue closed .state)"
touch "$T/out/a"
becomes "the pending job with the higher priority runs first" 60 state_is "$d" RUNNING
is "the pending job with the lower priority is still ACCEPTED" ACCEPTED "$(state "$c")"
exits "creel app lifetime sets the lifetime of a running job" 0 creel app lifetime "$d" 1s
becomes "the job is KILLED at the end of its lifetime" 30 state_is "$d" KILLED
like "creel why names the lifetime" 'its lifetime of .* is over' "$(creel why "$d")"
becomes "the next pending job runs" 60 state_is "$c" RUNNING
exits "creel app lifetime none is accepted in a queue with a maximum lifetime" 0 creel app lifetime "$e" none
like "creel app lifetime reports that the queue limits the lifetime" 'does not let it live longer' "$OUTPUT"
is "the lifetime of the job is still the maximum of the queue" 3600 "$(creel status "$e" --json | jq '.items[0] | (.expiresMs - .submittedMs) / 1000 | round')"
short=$(creel submit --id -q etl -m 16M --lifetime 1s -- sleep 1000)
becomes "a job with --lifetime is KILLED at the end of its lifetime" 60 state_is "$short" KILLED

# --- refresh ---
sed -i 's/prod,dev,few,closed/prod,dev,few,closed,fresh/; /root.closed.capacity/s/>5</>4</; s|</conf|<property><name>yarn.scheduler.capacity.root.fresh.capacity</name><value>1</value></property>\n&|' "$queues"
exits "a refresh adds a queue" 0 creel admin refresh queues
like "it prints each key with its old and its new value" 'root.queues: "[^"]*" -> "[^"]*"' "$OUTPUT"
exits "a refresh without a change succeeds" 0 creel admin refresh queues
like "it prints that nothing changed" '; nothing changed' "$OUTPUT"
unlike "limits have no vcores with the calculator that counts memory alone" '(Guaranteed|One user):.*vcore' \
    "$(creel queue show prod)"
exits "a priority and attempts above the maximum are reduced" 0 creel submit -q fresh -m 16M -p 99 --max-attempts 30 --id -- true
like "... and the message names the new ones" 'the priority is [0-9]+.*at most [0-9]+' "$(tr '\n' ' ' <<<"$OUTPUT")"
exits "a held job with a priority above the maximum is accepted" 0 creel submit -q fresh -m 16M --hold -p 99 --id -- true
like "... and the message names the priority" 'the priority is [0-9]+' "$OUTPUT"
creel kill "$(grep -o 'application_[0-9_]*' <<<"$OUTPUT" | head -1)" >/dev/null
exits "an array with a priority above the maximum is accepted" 0 creel submit -q fresh -m 16M --array 1-2 -p 99 --id -- true
like "... and the message names the priority" 'the priority is [0-9]+' "$OUTPUT"
creel wait "$(grep -o 'application_[0-9_]*' <<<"$OUTPUT" | head -1)" --timeout 60 >/dev/null 2>&1
exits "a job runs in the added queue" 0 creel run -q fresh -m 16M -- true
is "a running application continues after a refresh" RUNNING "$(state "$b")"
is "a running application is still in its first attempt after a refresh" \
    1 "$(creel status "$b" --json | jq .items[0].attempt)"
like "creel cluster info shows time and user of the refresh" 'refreshed .* for root' "$(creel cluster info)"
cp "$queues" "$T/good"
sed -i '/root.dev.capacity/s/40/forty/' "$queues"
line=$(grep -n forty "$queues" | cut -d: -f1)
exits "a refresh with an invalid capacity is refused" 7 creel admin refresh queues
like "the error of the refused refresh names file, line, key and value" \
    "$queues:$line: .*root\.dev\.capacity: \"forty\": expected" "$OUTPUT"
like "creel cluster info shows the refused refresh" "refused .*$queues:$line: " "$(creel cluster info)"
exits "creel conf check refuses the invalid capacity" 7 creel conf check "$T/conf"
like "creel conf check names file and line" "capacity-scheduler.xml:$line: .*root\.dev\.capacity" "$OUTPUT"
is "the former capacity is still in effect after the refused refresh" \
    0.4 "$(queue dev '.absoluteCapacity * 10 | round / 10')"
exits "the former queues still run jobs after the refused refresh" 0 creel run -q fresh -m 16M -- true
sed 's/prod,dev,few,closed,fresh/prod,dev,few,closed/; /root.closed.capacity/s/>4</>5</' "$T/good" >"$queues"
exits "a refresh that removes a running queue is refused" 7 creel admin refresh queues
like "the error of the refused refresh names the removed queue" 'root\.fresh is no longer there' "$OUTPUT"
exits "creel queue stop stops the queue to be removed" 0 creel queue stop fresh
exits "a refresh removes the stopped queue" 0 creel admin refresh queues
exits "a submission to the removed queue is refused" 3 creel submit -q fresh -- true

# --- access lists ---
site yarn.acl.enable true yarn.admin.acl root
restart_rm "the resource manager starts with yarn.acl.enable"
exits "a user in acl_submit_applications may submit" 0 creel --as daemon run -q prod -m 16M -- true
exits "a user who is not in acl_submit_applications may not submit" 4 \
    creel --as daemon submit -q etl -m 16M -- true
like "the error for a user who may not submit names the user and the queue" 'daemon.*root\.dev\.etl' "$OUTPUT"
exits "--test-only is refused for a user who may not submit" 4 \
    creel --as daemon submit -q etl -m 16M --test-only -- true
exits "--dry-run is refused, too" 4 creel --as daemon submit -q etl -m 16M --dry-run -- true
like "creel queue access shows that a user may not submit" 'no: ' "$(creel queue access etl --user daemon)"
like "creel queue access names the access list that allows a user" 'yes: acl_administer_queue of root\.dev: " players"' "$(creel queue access etl --user games)"
exits "an administrator of a queue may submit to it" 0 creel --as games run -q ml -m 16M -- true
exits "an administrator of a queue may stop it" 0 creel --as games queue stop etl
exits "an administrator of a queue may start it" 0 creel --as games queue start etl
exits "an administrator of a queue may not stop another queue" 4 creel --as games queue stop prod
exits "an administrator of a queue may not refresh queues" 4 creel --as games admin refresh queues
exits "another user may not run creel why for an application" 4 creel --as bin why "$e"
exits "another user may not move an application" 4 creel --as bin app move "$e" prod
exits "another user may not change the priority of an application" 4 creel --as bin app priority "$e" 1
exits "an administrator of a queue may run creel why for an application in it" 0 creel --as games why "$e"
exits "an administrator of a queue may move an application in it" 0 creel --as games app move "$e" ml
touch "$T/out/b" "$T/out/c"
exits "all three jobs end" 0 creel wait "$b" "$c" "$e" --timeout 60
is "all three jobs are FINISHED" \
    "FINISHED FINISHED FINISHED" "$(for id in "$b" "$c" "$e"; do state "$id"; done | xargs)"
exits "creel queue stop --drain exits with 0" 0 creel queue stop prod --drain
is "the drained queue is STOPPED" '"STOPPED"' "$(queue prod .state)"
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
