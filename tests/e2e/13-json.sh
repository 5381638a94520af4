#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The JSON output of every command is valid under its schema, on a cluster with objects in many states. The test fails
# for a command that it does not know.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
schemas=$BUILD/docs/schema
mkdir "$T/base"
echo '<configuration><property><name>yarn.scheduler.configuration.store.class</name><value>memory</value></property></configuration>' >"$T/base/yarn-site.xml"
cluster_up -n 2 --conf "$T/base"

# Applications in many states: succeeded, failed, killed, with many tasks, running, pending.
waits="while [ ! -e $T/out/go ]; do sleep 0.1; done"
echo words >"$T/words"
well=$(creel submit --id -T first -T "a b" -n 'a "name" with é' -f "$T/words" -- cat words)
badly=$(creel submit --id -e A=b -C / -- sh -c 'exit 7')
oom=$(creel submit --id -N 2 -m 16M -p 3 -- sh -c 'head -c 100m /dev/zero | tail -c 90m >/dev/null; exit $?')
killed=$(creel submit --id -- sleep 1000)
becomes "the application that will be killed is RUNNING" 60 state_is "$killed" RUNNING
creel kill "$killed" >/dev/null 2>&1
exits "creel wait exits with 0 when four applications have ended" 0 \
    creel wait "$well" "$badly" "$oom" "$killed" --timeout 60
fetched=$(creel submit --id --scratch --fetch out -- sh -c 'echo x >out')
creel wait "$fetched" >/dev/null 2>&1
runs=$(creel submit --id -N 3 -m 16M -- sh -c "$waits")
held=$(creel submit --id --hold -- true)
array=$(creel submit --id --hold --array 0-9%1 -- true)
becomes "a job of three tasks runs" 60 running_is "$runs" 4
all=$(value .total.memoryMb cluster info)
# (Each uses more than half of a node, and three of them use less than both nodes.)
for _ in 1 2 3; do pending=$(creel submit --id -m "$((all * 13 / 50))M" -- sh -c "$waits"); done
becomes "an application that waits for resources has a reason" 60 \
    sh -c "creel status $pending --json | jq -e '.items[0].reasonCode'"
container=$(first_container "$runs")
node=$(creel node list -o id | head -1)
idle=$(creel node list -o id | tail -1)

# arguments_of COMMAND: prints one line of arguments for each call to test; nothing if COMMAND has no JSON output.
arguments_of() {
    case $1 in
        ps) echo; echo "--sort -app" ;;
        status) for id in "$well" "$badly" "$oom" "$killed" "$runs" "$pending"; do echo "$id"; done ;;
        why) for id in "$well" "$badly" "$oom" "$killed" "$runs" "$pending"; do echo "$id"; done; echo "$well $runs" ;;
        wait) echo "$well $badly $oom"; echo "--for running $runs" ;;
        fetch) echo "$fetched --out $T/fetched" ;;
        submit) echo "-n submitted -- true"; echo "--wait -- true"; echo "--dry-run -N 3 -m 1g -c 2 -q default -T x -e A=b -C / -f $T/words -- sh -c true"
                echo "--dry-run --am -- true"; echo "--dry-run -t 1h --preempt-signal USR1 -- true"
                echo "--test-only -- true" ;;
        run) echo "--dry-run -- true" ;;
        alloc) echo "--dry-run -m 1g -- true"; echo "--test-only -N 2" ;;
        version) echo; echo --all ;;
        whoami) echo ;;
        "token create") echo "--for 1h --scope submit --note test"; echo "--join --uses 2 --for 5m"; echo "--join" ;;
        "token list") echo; echo --all; echo --join ;;
        "app list") echo; echo "--state FINISHED"; echo "--since 1h --limit 2" ;;
        hold) echo "$held --reason later" ;;
        "app set") echo "$array --at-once 2" ;;
        "app move") echo "$runs default" ;;
        "app priority") echo "$runs 1" ;;
        "app lifetime") echo "$runs 1d"; echo "$runs +1d" ;;
        "app containers") echo "$well"; echo "$runs"; echo "$oom" ;;
        "app attempts"|"history attempts") echo "$well" ;;
        top) echo; echo "users -b"; echo "nodes -b" ;;
        events) echo; echo "--app $well" ;;
        "history apps") echo; echo "--state FAILED --since 1h" ;;
        "history usage") echo; echo "--by queue"; echo "--by day --since 1h"; echo "--by hour" ;;
        "history efficiency") echo; echo "$well $runs"; echo "--by user" ;;
        "container list") echo; echo "--app $runs"; echo "--node $node" ;;
        "container stats") echo; echo "--app $well"; echo "$container" ;;
        "container show") echo "$container" ;;
        "node list") echo; echo "-R"; echo "--summary" ;;
        "node show") echo "$node" ;;
        "node drain") echo "$idle --reason kernel --deadline 1h"; echo "$idle --reason kernel --no-deadline" ;;
        "node undrain") echo "$idle" ;;
        "admin log-level") echo; echo "rm info"; echo "$node info"; echo nodes ;;
        "node decommission") echo "$node --reason kernel --deadline 2h" ;;
        "node recommission") echo "$node" ;;
        "node resources") echo "$idle vcores=4 --for 1h"; echo "$idle default" ;;
        "label map") echo ;;
        "queue list"|"queue tree") echo ;;
        "queue show"|"queue explain") echo default; echo root ;;
        "queue users") echo default ;;
        "queue access") echo default; echo "default --user nobody" ;;
        "queue start") echo default ;;
        "admin refresh") echo queues; echo nodes; echo "nodes -g 60"; echo acls; echo groups; echo all ;;
        "cluster info"|"cluster health") echo ;;
        "conf show") echo; echo yarn.resourcemanager.address; echo "--rm"; echo "--rm yarn.resourcemanager.address" ;;
        "conf apply") echo ;;
        "conf versions") echo ;;
        "container signal") echo "$container CONT" ;;
        "container resize") echo "$container -m 64M" ;;
        "keygen cluster") echo "$T/keys" ;;
        "keygen user"|"keygen agent"|kill|release|"conf check"|"conf diff"|"conf set"|"conf rollback"|"queue stop"|"conf convert fair-to-capacity"|"app requeue"|"app rerun"|"token revoke"|"admin drain-all"|"admin undrain-all"|"admin state") ;;         # below
        "dev status") echo "--dir $T/dev" ;;
        "dev up") echo "--dir $T/dev -n 2" ;;
        "node label") echo "$node remove" ;;
        "label list"|"label add"|"label remove") ;;     # there is none here; 20-node-labels.sh has some
        # Commands whose output is written by other programs, for a shell, or for a person; and creel dev down.
        logs|attach|"setup rm"|"setup node"|"setup client"|"container logs"|"container exec"|help|"dev env"|"dev down") ;;
        *) return 1 ;;
    esac
}

mkdir "$T/json" "$T/fair"
echo '<configuration><property><name>yarn.resourcemanager.scheduler.class</name><value>FairScheduler</value></property></configuration>' >"$T/fair/yarn-site.xml"
echo '<allocations><queue name="a"><minResources>1 mb, 1 vcores</minResources></queue></allocations>' >"$T/fair/fair-scheduler.xml"
mapfile -t commands < <(creel help | sed '/^options/,$d' | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  *\(\[.*\|[A-Z].*\|  .*\)$/\1/p' | sed 's/   .*//' | sort -u)
is "creel help lists the commands" "yes" "$(printf '%s\n' "${commands[@]}" | grep -cx 'status\|app list\|dev down' | sed s/3/yes/)"
tried=0
for command in "${commands[@]}"; do
    if ! arguments_of "$command" >"$T/ways"; then
        fail "arguments_of has the command creel $command" "add it to arguments_of"
        continue
    fi
    while IFS= read -r way; do
        tried=$((tried + 1))
        name=$(printf '%02d %s %s' $tried "$command" "$way" | tr -c 'a-zA-Z0-9\n-' _ | cut -c 1-80)
        # shellcheck disable=SC2086 # several words
        creel --json $command $way >"$T/json/$name.json" 2>"$T/output" &&
            creel -o jsonl $command $way >"$T/json/$name.jsonl" 2>>"$T/output" ||
            fail "creel $command $way exits with 0 with --json and -o jsonl" "status $?
$(cat "$T/output")"
    done <"$T/ways"
done
for format in json jsonl; do            # commands that can run only once
    creel -o $format admin drain-all --reason kernel --yes >"$T/json/drain_all.$format" 2>/dev/null
    creel -o $format admin undrain-all --yes >"$T/json/undrain_all.$format" 2>/dev/null
    creel -o $format keygen user --dir "$T/keys" $format ann.$format >"$T/json/keygen_user.$format" 2>/dev/null
    creel -o $format keygen agent --dir "$T/keys" $format >"$T/json/keygen_agent.$format" 2>/dev/null
    creel -o $format token revoke --join "$(value .id token list --join)" >"$T/json/token_revoke_join.$format" 2>/dev/null
    victim=$(creel submit --id -- sleep 1000)
    creel wait --for running "$victim" >/dev/null 2>&1
    creel -o $format app requeue "$victim" --reason again >"$T/json/app_requeue.$format" 2>/dev/null
    creel -o $format kill "$victim" >"$T/json/kill_one.$format" 2>/dev/null
    creel -o $format app rerun "$(creel wait "$victim" >/dev/null 2>&1; echo "$victim")" >"$T/json/app_rerun.$format" 2>/dev/null
    creel -o $format queue stop default >"$T/json/queue_stop.$format" 2>/dev/null
    creel queue start default >/dev/null 2>&1
    creel -o $format token revoke "$(value .id token list)" >"$T/json/token_revoke.$format" 2>/dev/null
    creel -o $format release "$(creel submit --id --hold -- true)" >"$T/json/release.$format" 2>/dev/null
    check "creel kill lists the application that it killed" grep -q "$victim" "$T/json/kill_one.$format"
    creel -o $format admin state backup "$T/backup.$format" >"$T/json/state_backup.$format" 2>/dev/null
    is "creel admin state backup reports a sound state" sound "$(jq -r '(.items[0] // .).verdict' "$T/json/state_backup.$format")"
    mkdir -p "$T/bad"
    echo '<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name><value>x</value></property></configuration>' >"$T/bad/yarn-site.xml"
    creel -o $format conf check "$T/bad" >"$T/json/conf_check_bad.$format" 2>/dev/null
    cp -r "$CREEL_CONF_DIR" "$T/other.$format"
    sed -i 's|</configuration>|<property><name>yarn.acl.enable</name><value>true</value></property></configuration>|' "$T/other.$format/yarn-site.xml"
    creel -o $format conf diff --conf "$T/other.$format" >"$T/json/conf_diff.$format" 2>/dev/null
    creel -o $format conf convert fair-to-capacity "$T/fair" >"$T/json/conf_convert.$format" 2>/dev/null
    creel -o $format conf set root.default.user-limit-factor=1 >"$T/json/conf_set.$format" 2>/dev/null
    creel -o $format conf set --validate root.default.no-such-key=1 >"$T/json/conf_set_validate.$format" 2>/dev/null
    creel -o $format conf rollback 1 >"$T/json/conf_rollback.$format" 2>/dev/null
    check "creel conf diff lists the key that differs" grep -q '"yarn.acl.enable"' "$T/json/conf_diff.$format"
done
is "conf convert lists properties, and warnings" "a,default true" "$(jq -r '.items
    | "\(.[] | select(.key == "yarn.scheduler.capacity.root.queues").value) \(any(.[]; (.warning // "") | test("minResources")))"' "$T/json/conf_convert.json")"
is "creel conf check reports the file and the line" "$T/bad/yarn-site.xml 1 error" "$(jq -r '.items[0] | "\(.file) \(.line) \(.severity)"' "$T/json/conf_check_bad.json")"
exits "the JSON output of $tried commands is valid under its schema" 0 \
    "$here/valid-json.py" "$schemas" "$T/json"
is "each schema is used by a command" "$(find "$schemas" -name '*.json' ! -name LabelList.json -exec basename {} .json \; | sort -u)" \
    "$(jq -r .kind "$T"/json/*.json | sort -u)"
is "a job name with quotes and a letter beyond ASCII is printed unchanged" \
    'a "name" with é' "$(value .name status "$well")"
is "creel app list without matches prints an empty list" 0 "$(count app list --state FAILED --user nobody)"
finish
