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
check "conf check finds nothing wrong with it" creel conf check "$T/conf"
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
    becomes "both agents are back" 30 nodes_running_is 2
}

# --- list of queues ---
is "the tree has every queue, each below its parent" 'root prod dev etl ml few closed' \
    "$(creel queue tree --no-header --columns queue | xargs)"
is "a queue's part is of its parent's part" '0.2 0.25 409 512' \
    "$(queue etl '[.absoluteCapacity, .absoluteMaxCapacity, .minimum.memoryMb, .maximum.memoryMb] | map(. * 1000 | round / 1000)' | tr -d '[]' | tr , ' ')"
is "the list has the same figures" "$(creel queue show dev.ml --json | jq .items[0].minimum)" \
    "$(creel queue list --json | jq '.items[] | select(.path == "root.dev.ml") | .minimum')"
like "explain tells how a guarantee came about" "50% of its parent's: it is guaranteed 20.0% of the cluster, 409 MiB" "$(creel queue explain ml)"
like "and that a queue is stopped" 'stopped' "$(creel queue explain closed)"
exits "a queue that is not there is not shown" 3 creel queue show nowhere
like "with access lists off everybody may" 'yes: yarn.acl.enable is false' "$(creel queue access few --user bin)"

# --- accepted submissions ---
exits "prod takes a job" 0 creel run -q prod -- true
exits "so does a leaf by its path" 0 creel run -q root.dev.etl -- true
exits "and by its name" 0 creel run -q ml -- true
exits "a queue that nobody defined does not" 3 creel submit -q nowhere -- true
like "and those that there are are named" 'nowhere.*root\.prod, root\.dev\.etl' "$OUTPUT"
exits "nor does one with queues below it" 3 creel submit -q dev -- true
exits "nor a stopped one" 6 creel submit -q closed -- true
like "this is reported" 'root\.closed: is stopped' "$OUTPUT"
first=$(waiting go -q few -m 16M)
exits "a queue with as many applications as it may have takes no more" 6 creel submit -q few -m 16M -- true
like "and the message names the key" 'root\.few.*1 app' "$OUTPUT"
exits "--test-only gives the same answer" 6 creel submit -q few -m 16M --test-only -- true
exits "what is too large for every container never runs" 8 creel submit -q prod -m 2g --test-only -- true
exits "what is too large for its queue neither" 8 creel submit -q etl -m 600M --test-only -- true
like "this is reported with the queue's maximum" 'root\.dev\.etl.*512' "$OUTPUT"
exits "what fits begins at once" 0 creel submit -q etl -m 200M --test-only -- true
like "in that queue" 'root\.dev\.etl.*at once' "$(tr '\n' ' ' <<<"$OUTPUT")"

# --- reasons for waiting ---
ml=$(waiting go -q ml -N 3 -m 208M)
becomes "a job comes to what one user may have" 60 running_is "$ml" 3
becomes "which is why its last task waits" 30 reason_is "$ml" UserLimit
is "with the figures of the user" '[true,480,208,416]' "$(reasons "$ml" UserLimit)"
etl=$(waiting go -q etl -N 3 -m 208M)
becomes "another fills its queue up to the maximum" 60 running_is "$etl" 3
becomes "its last task waits for the queue's limit" 30 reason_is "$etl" QueueLimit
is "with the figures" '[true,480,208,512]' "$(reasons "$etl" QueueLimit)"
like "in words" 'dev\.etl uses 23\.4% of the cluster, its maximum is 25%' "$(creel why "$etl")"
like "and in the list" 'QueueLimit\(dev\.etl 94% of max 25%\)' "$(creel ps -o wide)"
other=$(creel --as daemon submit --id -q ml -m 208M -- true)
becomes "a user with nothing there waits for the parent" 30 reason_is "$other" ParentLimit
is "creel ps -u lists the jobs of a user" "$other" "$(creel ps -u daemon -o id)"
is "creel ps -a -q lists those of all users in a queue" "$(printf '%s\n' "$ml" "$other" | sort)" "$(creel ps -a -q ml -o id | sort)"
is "creel ps -s lists those in a state" "$other" "$(creel ps -u daemon,root -q ml -s PENDING -o id)"
exits "creel ps -a -u is refused" 2 creel ps -a -u root
is "with its figures" '[true,960,208,1024]' "$(reasons "$other" ParentLimit)"
is "the queue's users are listed" 'daemon root' "$(creel queue users ml -o id | sort | xargs)"
is "with what they use" 480 "$(creel queue users ml --json | jq '.items[] | select(.user == "root") | .used.memoryMb')"
master=$(waiting go -q etl -N 2 -m 16M)
becomes "masters may hold a tenth of a queue" 30 reason_is "$master" AmLimit
is "and it reports how much that is" '[true,64,64,64]' "$(reasons "$master" AmLimit)"
like "in words" 'masters of dev\.etl may hold 64 MiB together and hold 64 MiB; its own needs 64 MiB' "$(creel why "$master")"
like "the queue reports an application that waits" '1 application waits for a limit on applications or their masters' "$(creel queue explain etl)"
is "and not that nobody does" "" "$(creel queue explain etl | grep 'Nothing waits')"
exits "--test-only does not promise what the queue has not" 0 creel submit -q etl -m 208M --test-only -- true
like "but reports what would block it" 'later: QueueLimit' "$OUTPUT"
exits "an application with room elsewhere is moved there" 0 creel app move "$other" prod
exits "and ends well" 0 creel wait "$other" --timeout 60
is "in its new queue" root.prod "$(queue_of "$other")"
exits "it is not moved where nobody may be" 6 creel app move "$master" closed
exits "nor anywhere when it is over" 6 creel app move "$other" etl
touch "$T/out/go"
exits "all goes on" 0 creel wait "$etl" "$ml" "$master" "$first" --timeout 60
is "and ends well" "FINISHED FINISHED FINISHED FINISHED" "$(for id in "$etl" "$ml" "$master" "$first"; do state "$id"; done | xargs)"

# --- priorities, lifetimes, stopped queues ---
a=$(waiting a -q prod -m 1024M)
# ($e below, above the maximum of etl, keeps the headroom of etl, 512 MiB, from the other queues, as in YARN. The rest is
# enough for $b, one of $c and $d, and a small job.)
b=$(waiting b -q prod -m 384M)
becomes "two jobs have most of the cluster" 60 both_run "$a" "$b"
c=$(waiting c -q prod -m 1024M)
d=$(waiting c -q prod -m 1024M)
e=$(waiting c -q prod -m 600M)
is "who came first is first" "$c $d $e" "$(queue prod .next | jq -r '.[]' | grep -v "$a\|$b" | xargs)"
exits "a rank is changed" 0 creel app priority "$d" 5
exits "up to the cluster's highest" 0 creel app priority "$d" 50
is "which it then has" 10 "$(rank "$d")"
is "and is first" "$d $c $e" "$(queue prod .next | jq -r '.[]' | grep -v "$a\|$b" | xargs)"
exits "another waits, ranked and moved" 0 creel app priority "$e" 3
exits "to a queue that never has as much" 0 creel app move "$e" etl
is "which is why it waits" QueueLimit "$(reason_of "$e")"
exits "a queue is stopped" 0 creel queue stop few
exits "and takes nothing" 6 creel submit -q few -- true
exits "a parent is stopped with all below it" 0 creel queue stop dev
is "as what it has goes on it drains" 'DRAINING DRAINING STOPPED' "$(creel queue tree --no-header --columns state | sed -n '3,5p' | xargs)"
exits "a queue below it takes nothing" 6 creel submit -q etl -- true
exits "nor is it started alone" 6 creel queue start etl
exits "until the parent is" 0 creel queue start dev
exits "then it works" 0 creel submit -q etl --test-only -- true

restart_rm "a killed resource manager comes up"
is "what runs is in its queue" "root.prod RUNNING" "$(queue_of "$a") $(state "$a")"
is "what waits, too" "root.prod ACCEPTED" "$(queue_of "$c") $(state "$c")"
is "what was moved is where it was moved" "root.dev.etl" "$(queue_of "$e")"
is "ranks are kept" "0 10 3" "$(rank "$c") $(rank "$d") $(rank "$e")"
is "a queue that the file stops is stopped" '"STOPPED"' "$(queue closed .state)"
touch "$T/out/a"
becomes "the one of the higher rank comes first" 60 state_is "$d" RUNNING
is "the other waits" ACCEPTED "$(state "$c")"
exits "a lifetime is set" 0 creel app lifetime "$d" 1s
becomes "and kills" 30 state_is "$d" KILLED
like "which reports it" 'its lifetime of .* is over' "$(creel why "$d")"
becomes "the next in line runs" 60 state_is "$c" RUNNING
exits "none can be had where the queue has one" 0 creel app lifetime "$e" none
like "which reports it" 'does not let it live longer' "$OUTPUT"
is "the limit stays" 3600 "$(creel status "$e" --json | jq '.items[0] | (.expiresMs - .submittedMs) / 1000 | round')"
short=$(creel submit --id -q etl -m 16M --lifetime 1s -- sleep 1000)
becomes "a submission names its own" 60 state_is "$short" KILLED

# --- refresh ---
sed -i 's/prod,dev,few,closed/prod,dev,few,closed,fresh/; /root.closed.capacity/s/>5</>4</; s|</conf|<property><name>yarn.scheduler.capacity.root.fresh.capacity</name><value>1</value></property>\n&|' "$queues"
exits "a new queue is refreshed in" 0 creel admin refresh queues
exits "and works" 0 creel run -q fresh -m 16M -- true
is "a running application goes on" RUNNING "$(state "$b")"
is "on the same attempt" 1 "$(creel status "$b" --json | jq .items[0].attempt)"
like "cluster info has when and by whom" 'refreshed .* for root' "$(creel cluster info)"
cp "$queues" "$T/good"
sed -i '/root.dev.capacity/s/40/forty/' "$queues"
line=$(grep -n forty "$queues" | cut -d: -f1)
exits "a broken file is not taken" 7 creel admin refresh queues
like "by file, line, key and value" "$queues:$line: .*root\.dev\.capacity: \"forty\": expected" "$OUTPUT"
like "as cluster info shows, too" "refused .*$queues:$line: " "$(creel cluster info)"
exits "conf check finds it before the refresh" 7 creel conf check "$T/conf"
like "of the same place" "capacity-scheduler.xml:$line: .*root\.dev\.capacity" "$OUTPUT"
is "the old configuration is in force" 0.4 "$(queue dev '.absoluteCapacity * 10 | round / 10')"
exits "with all its queues" 0 creel run -q fresh -m 16M -- true
sed 's/prod,dev,few,closed,fresh/prod,dev,few,closed/; /root.closed.capacity/s/>4</>5</' "$T/good" >"$queues"
exits "a queue that runs is not taken away" 7 creel admin refresh queues
like "this is reported" 'root\.fresh is no longer there' "$OUTPUT"
exits "it is stopped" 0 creel queue stop fresh
exits "and taken away" 0 creel admin refresh queues
exits "so nobody finds it" 3 creel submit -q fresh -- true

# --- access lists ---
site yarn.acl.enable true yarn.admin.acl root
restart_rm "it comes up with access lists on"
exits "who is listed may submit" 0 creel --as daemon run -q prod -m 16M -- true
exits "but not anywhere" 4 creel --as daemon submit -q etl -m 16M -- true
like "the error names user, queue and the command that shows more" 'daemon.*root\.dev\.etl' "$OUTPUT"
exits "and not --test-only" 4 creel --as daemon submit -q etl -m 16M --test-only -- true
like "access shows why" 'no: ' "$(creel queue access etl --user daemon)"
like "and which list lets somebody in" 'yes: acl_administer_queue of root\.dev: " players"' "$(creel queue access etl --user games)"
exits "who administers a queue may submit to it" 0 creel --as games run -q ml -m 16M -- true
exits "and stop it" 0 creel --as games queue stop etl
exits "and start it" 0 creel --as games queue start etl
exits "but no other" 4 creel --as games queue stop prod
exits "nor refresh" 4 creel --as games admin refresh queues
exits "other users may not ask why an application waits" 4 creel --as bin why "$e"
exits "nobody moves it who may not" 4 creel --as bin app move "$e" prod
exits "nor ranks it" 4 creel --as bin app priority "$e" 1
exits "its queue's administrators are" 0 creel --as games why "$e"
exits "who may move it, too" 0 creel --as games app move "$e" ml
touch "$T/out/b" "$T/out/c"
exits "all ends" 0 creel wait "$b" "$c" "$e" --timeout 60
is "well" "FINISHED FINISHED FINISHED" "$(for id in "$b" "$c" "$e"; do state "$id"; done | xargs)"
exits "a queue is drained" 0 creel queue stop prod --drain
is "and is stopped then" '"STOPPED"' "$(queue prod .state)"
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
