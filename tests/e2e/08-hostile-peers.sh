#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Attacks by authenticated peers: a user, an agent, an application master and unknown peers send every
# message of the schema. No daemon ends, and the job of another user neither ends nor is visible to them.
. "$(dirname "$0")/lib.sh"
COUNT=${HOSTILE_COUNT:-1200}
SEED=${HOSTILE_SEED:-1}
peer=$BUILD/tests/e2e/hostile-peer
keys=$T/dev/keys
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>4000</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"
creel keygen user nobody >/dev/null 2>&1
creel keygen agent evil.example >/dev/null 2>&1

# --- a job of another user is not accessible to them
id=$(creel submit --id -N 3 -m 16M -- sh -c "echo begin; while [ ! -e $T/out/go ]; do sleep 0.2; done; echo end")
for i in 1 2 3; do
    its=$(creel --as nobody submit --id -N 2 -m 16M -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.2; done")
done
becomes "a job of root runs" 60 running_is "$id" 4
becomes "a job of user nobody runs" 60 running_is "$its" 3
container=$(first_container "$id")
exits "another user may not list the containers of root's job" 4 creel --as nobody container list --app "$id"
exits "another user may not show a container of root's job" 4 creel --as nobody container show "$container"
is "creel container list shows a user only their own containers" 9 "$(count --as nobody container list)"
exits "another user may not read the logs of root's job" 4 creel --as nobody logs "$id"
exits "another user may not kill root's job" 4 creel --as nobody kill "$id"
is "another user does not see the command of root's job" 0 "$(creel --as nobody status "$id" --json | jq '.items[0].command | length')"

# --- all messages that can be sent
ports=$(creel dev status --dir "$T/dev" --json)
rm_port() { jq -r --arg p "$1" '.items[] | select(.role == "rm") | "127.0.0.1:\(.ports[$p])"' <<<"$ports"; }
mapfile -t agents < <(jq -r '.items[] | select(.role == "agent") | "127.0.0.1:\(.ports.agent)"' <<<"$ports")
mapfile -t words < <(creel container list --json | jq -r '.items[] | .id, .appId, .nodeId' | sort -u)
words+=("appattempt_${id#application_}_000001" "appattempt_${its#application_}_000001"
        evil.example:1 evil.example:2 "appattempt_${its#application_}_000002" root nobody default root.default sleep true stdout stderr)
find "$T"/dev/agent-*/local/usercache/nobody -name creel-token -exec stat -c '%a %U' {} + >"$T/modes"
is "each token file of an application master has mode 400 and belongs to its user" "3 400 nobody" "$(sort "$T/modes" | uniq -c | xargs)"
find "$T"/dev/agent-*/local/usercache/nobody -name creel-token | nl | while read -r n file; do
    cp "$file" "$T/token-$n"
    grep -o 'application_[0-9_]*' <<<"$file" | head -1 >"$T/app-$n"
done
before=$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid]')

say() {         # NAME ADDRESS SERVER OWN MORE...
    local name=$1
    shift
    exits "$name" 0 "$peer" "$SEED" "$COUNT" "$1" "$2" "$3" "${words[@]}" "${@:4}"
    SEED=$((SEED + 1))
}
# Its messages may end its attempt, whose key is not known any more then.
attempt_is_over() { creel status "$1" --json | jq -e '.items[0] | .state != "RUNNING" or .attempt > 1'; }
for n in 1 2 3; do
    status=0
    "$peer" "$SEED" "$COUNT" "$(rm_port am)" "$keys/rm" - "${words[@]}" "@$T/token-$n" >"$T/output-$n" 2>&1 || status=$?
    SEED=$((SEED + 1))
    case $status in
    0) pass "the resource manager still replies to application master $n after its random messages" ;;
    1) check "application master $n is disconnected after its attempt" attempt_is_over "$(cat "$T/app-$n")" ;;
    *) fail "application master $n: hostile-peer exits with status $status" "$(cat "$T/output-$n")" ;;
    esac
done
say "the port for application masters replies to a user after random messages" \
    "$(rm_port am)" "$keys/rm" "$keys/users/nobody"
raw=$BUILD/tests/hostile/raw-peer
exits "the port for application masters refuses an unknown key" 1 \
    "$raw" "$(rm_port am | cut -d: -f2)" "$keys/rm" open 1
exits "the port for application masters refuses an agent" 1 \
    "$raw" "$(rm_port am | cut -d: -f2)" "$keys/rm" open 1 "$keys/agents/evil.example"
exits "the port of an agent refuses an unknown key" 1 "$raw" "${agents[0]##*:}" "$keys/agents/default" open 1
say "an agent replies to a user after random messages" \
    "${agents[0]}" "$keys/agents/default" "$keys/users/nobody"
say "an agent replies to a user with an application master's token" "${agents[1]}" "$keys/agents/default" "$keys/users/nobody" "@$T/token-1"
exits "the resource manager closes the connection of an agent that sends 2 MiB" 0 \
    "$raw" "$(rm_port agent | cut -d: -f2)" "$keys/rm" long 2048 "$keys/agents/evil.example"
exits "the resource manager accepts a message of 1 MiB from an agent" 1 "$raw" "$(rm_port agent | cut -d: -f2)" "$keys/rm" long 1024 "$keys/agents/evil.example"
say "the port for agents replies to an agent after random messages" \
    "$(rm_port agent)" "$keys/rm" "$keys/agents/evil.example"
say "the port for clients replies to a user after random messages" \
    "$(rm_port client)" "$keys/rm" "$keys/users/nobody"
say "the port for administrators replies to a user after random messages" \
    "$(rm_port admin)" "$keys/rm" "$keys/users/nobody"

pids=()
for i in 1 2; do
    for role in "client users/nobody" "agent agents/evil.example" "am users/nobody"; do
        own=$keys/${role#* }
        "$peer" $((SEED + 100 * i)) "$COUNT" "$(rm_port "${role% *}")" "$keys/rm" "$own" \
            "${words[@]}" "@$T/token-1" >>"$T/all.log" 2>&1 &
        pids+=($!)
    done
    "$peer" $((SEED + 100 * i)) "$COUNT" "${agents[i - 1]}" "$keys/agents/default" "$keys/users/nobody" \
        "${words[@]}" "@$T/token-1" >>"$T/all.log" 2>&1 &
    pids+=($!)
done
silent=0
for pid in "${pids[@]}"; do wait "$pid" || silent=$((silent + 1)); done
is "every port replies after random messages of eight peers at the same time" \
    "0 $(cat "$T/all.log")" "$silent "

# --- nothing has changed
is "no daemon was restarted" "$before" "$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid]')"
is "root's job still runs" 4 "$(running_containers "$id")"
its=$(creel --as nobody submit --id -N 2 -m 16M -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.2; done")
becomes "a new job of user nobody runs" 60 running_is "$its" 3
check "user nobody can connect to the resource manager" \
    "$raw" "$(rm_port client | cut -d: -f2)" "$keys/rm" open 1 "$keys/users/nobody"
check "user nobody can connect to an agent" \
    "$raw" "${agents[0]##*:}" "$keys/agents/default" open 1 "$keys/users/nobody"
cp -r "$T/dev/conf" "$T/nobody"
cp -p "$keys/users/nobody" "$keys/users/nobody_secret" "$T/nobody"
sed -i "s|user-key</name><value>|&$T/nobody/nobody|" "$T/nobody/creel-site.xml"
chatty=$(creel --conf "$T/nobody" submit --id -m 16M -- sh -c "while [ ! -e $T/out/go ]; do echo line; sleep 0.1; done")
creel --conf "$T/nobody" logs -f "$chatty" >"$T/followed" 2>&1 &
follower=$!
becomes "creel logs -f prints the output of the user's job" 60 grep -q line "$T/followed"
# The client is stopped with SIGSTOP, so that it does not close the connection itself.
kill -STOP "$follower"
rm "$keys/users/nobody"
becomes "an agent closes the connection of a user whose certificate is removed" 20 \
    grep -q "the resource manager does not know its key any more" "$T"/dev/agent-*/log
becomes "the agent refuses a new connection with the removed certificate" 20 sh -c \
    "! '$raw' ${agents[0]##*:} '$keys/agents/default' open 1 '$T/nobody/nobody'"
kill -CONT "$follower"
ends "creel logs -f of that user exits with 4" 4 "$follower"
like "creel logs -f names the removed certificate" 'creel: .*creel-rm refused our key; was our public certificate removed' "$(grep -v '^line$' "$T/followed")"
becomes "the resource manager refuses a connection with the removed certificate" 20 sh -c "! '$raw' $(rm_port client | cut -d: -f2) '$keys/rm' open 1 '$keys/users/nobody'"
touch "$T/out/go"
becomes "the job of that user is FINISHED" 60 state_is "$its" FINISHED
becomes "root's job is FINISHED" 60 state_is "$id" FINISHED
is "the logs of root's job are complete" "3 begin 3 end" "$(creel logs "$id" 2>/dev/null | sed 's/^\[[^]]*\] //' | sort | uniq -c | xargs)"
creel ps --json | jq -r '.items[] | select(.user == "nobody") | .id' | while read -r app; do creel kill "$app" || true; done >/dev/null 2>&1
becomes "only the two nodes of the cluster are RUNNING" 30 nodes_running_is 2
exits "a new job succeeds after the attacks" 0 creel run -- true
for pid in $(creel dev status --dir "$T/dev" --json | jq '.items[].pid'); do kill "$pid"; done
becomes "all daemons stop on SIGTERM" 20 sh -c "! creel dev status --dir '$T/dev' --json | jq -e '.items[] | select(.pid)'"
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
