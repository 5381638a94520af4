#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commands of creel inside of jobs: the token of a job is the credential of its user, until the job ends.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf" "$T/login"
site() {        # JOB-TOKENS: writes the configuration of the cluster
    cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>creel.security.job-tokens</name><value>$1</value></property>
  <property><name>creel.security.proxy-users</name><value>root nobody</value></property>
  <property><name>creel.container.allowed-system-users</name><value>root,games,news,nobody</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.admin.acl</name><value>root,nobody</value></property>
</configuration>
X
}
log=$T/dev/rm/log
tab=$(printf '\t')
begin() {       # JOB-TOKENS: starts the cluster
    local user
    site "$1"
    cluster_up -n 2 --conf "$T/conf"
    # The users have their secret keys on the login host alone, whose configuration is in $T/login. The nodes are
    # the host of the resource manager, where root has those of news, too, as after keygen user --export.
    for user in games nobody news; do
        creel keygen --quiet user "$user"
        mkdir -p "$T/login/$user"
        cp "$T/dev/keys/users/${user}_secret" "$T/login/$user/key_secret"
        [ "$user" = news ] || rm "$T/dev/keys/users/${user}_secret"
        chown -R "$user" "$T/login/$user"
        sed "s|</configuration>|<property><name>creel.security.user-key</name><value>$T/login/$user/key</value></property>&|" \
            "$CREEL_CONF_DIR/creel-site.xml" >"$T/login/$user/creel-site.xml"
    done
}
begin true
as() {          # USER COMMAND...: on the login host
    setpriv --reuid "$1" --regid "$(id -g "$1")" --clear-groups env HOME=/nonexistent CREEL_CONF_DIR="$T/login/$1" "${@:2}"
}
on_node() {     # USER COMMAND...: on a node, outside of any job
    setpriv --reuid "$1" --regid "$(id -g "$1")" --clear-groups env HOME=/nonexistent CREEL_CONF_DIR="$T/dev/agent-1/conf" "${@:2}"
}
job() {         # USER SCRIPT [OPTION...]: runs the script as a job; standard output and errors are in $OUTPUT
    local user=$1 script=$2
    shift 2
    OUTPUT=$(as "$user" creel run -m 256 "$@" -- sh -c "exec 2>&1; $script" 2>"$T/run.err")
}

exits "without a key a user of a node is refused" 4 on_node games creel ps
job games 'creel whoami --json'
is "in a job the token of the job names its user" "games job" "$(jq -r '.items[0] | "\(.user) \(.method)"' <<<"$OUTPUT")"
like "creel whoami names the job" '^application_[0-9]+_[0-9]{4}$' "$(jq -r '.items[0].appId' <<<"$OUTPUT")"
job games 'creel whoami | grep -E "^(User|Method|Job)" | wc -l' -N 3
is "the tasks of a job have its token, too" 3 "$(grep -c "^\[c0[012]\] 3$" <<<"$OUTPUT")"
job games 'creel run -m 128 -- creel whoami -o id'
is "and so have the steps of a job" games "$(tail -n 1 <<<"$OUTPUT")"
is "and so have the containers of creel alloc" "games job" \
    "$(as games creel alloc -m 128 -- creel run -- creel whoami --json 2>/dev/null | jq -r '.items[0] | "\(.user) \(.method)"')"
# shellcheck disable=SC2016 # the job expands it
job games 'stat -c "%a %U" "$CREEL_JOB_TOKEN_FILE"; [ -w "$(dirname "$CREEL_JOB_TOKEN_FILE")" ] || echo kept'
is "the file of the token can be read by the user alone, and not be replaced" "400 games kept" "$(xargs <<<"$OUTPUT")"

exits "a user whose certificate on a node is not the user's is refused there" 4 on_node news creel ps
like "the error names the file and the command" 'news_secret belongs to another user: root makes it yours .* creel keygen user news --install' "$OUTPUT"
job news 'creel whoami --json'
is "in a job of this user the token of the job counts" "news job" "$(jq -r '.items[0] | "\(.user) \(.method)"' <<<"$OUTPUT")"
mkdir "$T/named"
sed 's|</configuration>|<property><name>creel.security.user-key</name><value>/nonexistent/key</value></property>&|' \
    "$T/dev/agent-1/conf/creel-site.xml" >"$T/named/creel-site.xml"
exits "a user is refused where creel.security.user-key names a file that is not there" 4 \
    on_node games env CREEL_CONF_DIR="$T/named" creel ps
like "the error names that file" 'certificate /nonexistent/key_secret is missing' "$OUTPUT"
job games "CREEL_CONF_DIR=$T/named creel whoami --json"
is "in a job the token of the job counts there, too" "games job" "$(jq -r '.items[0] | "\(.user) \(.method)"' <<<"$OUTPUT")"

# --- a driver: a job that submits, lists, explains, reads and kills
cat >"$T/driver" <<'S'
#!/bin/sh
child=$(creel submit --id -m 128 -- echo result of a child) || exit 10
creel wait "$child" || exit 11
creel logs "$child" || exit 12
creel why "$child" >/dev/null || exit 13
creel ps >/dev/null || exit 14
other=$(creel submit --id -m 128 -- sleep 600) || exit 15
creel kill "$other" || exit 16
echo "$CREEL_APP_ID $child"
S
chmod 0755 "$T" "$T/driver"
job games "$T/driver"
like "a job submits another one, waits for it and reads its output" 'result of a child' "$OUTPUT"
read -r driver child <<<"$(tail -n 1 <<<"$OUTPUT")"
is "the job that it submitted belongs to the same user" games "$(value .user status "$child")"
is "and is recorded with the job in which it was submitted" "$driver" "$(value .submittedIn status "$child")"
like "creel status prints it" "^Submitted in: +$driver" "$(creel status "$child")"
is "the driver itself was submitted in no job" null "$(value .submittedIn status "$driver")"
check "the audit lines name the job that has sent the request" \
    grep -q "audit USER=games${tab}IP=127.0.0.1${tab}OPERATION=Kill Application Request${tab}.*RESULT=SUCCESS.*${tab}AUTH=job${tab}CALLERCONTEXT=$driver" "$log"

job games "creel app rerun $child"
again=$(grep -o '^application_[0-9_]*' <<<"$OUTPUT" | tail -1)
exits "a job runs an application of its user again" 0 creel wait "$again" --timeout 60
is "and it is recorded with the application that it repeats" "$child" "$(value .rerunOf status "$again")"

# --- a resource manager with another key than the configuration has
creel keygen --quiet cluster "$T/other" >/dev/null
mkdir "$T/strange"
sed "s|</configuration>|<property><name>creel.security.key-dir</name><value>$T/other</value></property>&|" \
    "$T/dev/agent-1/conf/creel-site.xml" >"$T/strange/creel-site.xml"
job games "CREEL_CONF_DIR=$T/strange creel whoami; echo \$?"
is "a job is refused by a resource manager of another cluster" 4 "$(tail -n 1 <<<"$OUTPUT")"
like "the error names the keys as the cause, not the token" 'does it belong to another cluster\? compare the key directories' "$OUTPUT"

# --- a job that requeues itself; it outlasts restarts of the daemons
# shellcheck disable=SC2016 # the job expands it
id=$(as games creel submit --id -m 128 -- sh -c 'cp "$CREEL_JOB_TOKEN_FILE" '"$T/out/token"'; until [ -e '"$T/out/go"' ]; do sleep 0.2; done
    [ "$CREEL_ATTEMPT" = 1 ] || exit 0; creel app requeue "$CREEL_APP_ID" && sleep 600')
becomes "a job has its token" 60 test -s "$T/out/token"
kill_nine "$(pid_of rm)" "$(pid_of agent 0)" "$(pid_of agent 1)"
check "creel dev up starts the daemons again" creel dev up --dir "$T/dev"
becomes "the job runs on" 60 running_is "$id" 1
token() { on_node games env CREEL_JOB_TOKEN_FILE="$T/out/token" CREEL_APP_ID="$id" creel "$@"; }
becomes "the token is valid after a restart of the resource manager" 30 token whoami
mapfile -t nodes < <(creel node list -o id)
creel node drain "${nodes[@]}" --reason "the second attempt waits" >/dev/null 2>&1
touch "$T/out/go"
second() { [ "$(value '| "\(.attempt) \(.state)"' status "$id")" = "2 ACCEPTED" ]; }
becomes "the job requeues itself with the token after the restart of the agent" 60 second
kill_nine "$(pid_of rm)"
check "creel dev up starts the resource manager again" creel dev up --dir "$T/dev"
becomes "the token is valid between two attempts after a restart of the resource manager" 30 token whoami
check "the second attempt has not begun" second
creel node undrain "${nodes[@]}" >/dev/null 2>&1
becomes "the job succeeds in its second attempt" 60 state_is "$id" FINISHED
is "it had two attempts" "2 SUCCEEDED" "$(value '| "\(.attempt) \(.finalStatus)"' status "$id")"
exits "the token of a job that has ended is refused" 4 token whoami
like "the error names the job and the reasons" "does not accept the token of the job $id \(CREEL_JOB_TOKEN_FILE\): the job has ended, .*creel.security.job-tokens.*, or .*creel.gateway.connections-per-key-max" "$OUTPUT"

# --- a job that submits the next one in the grace of its time limit
cat >"$T/chain" <<S
#!/bin/bash
cp "\$CREEL_JOB_TOKEN_FILE" $T/out/token.\$1
trap 'touch $T/out/term.\$1; until creel whoami && [ -e $T/out/end.\$1 ]; do sleep 0.2; done; creel submit --id -m 128 -- true >$T/out/next.\$1; exit 0' TERM
touch $T/out/begun.\$1
while true; do sleep 0.1; done
S
chmod 0755 "$T/chain"
for way in limit kill; do
    limit=1h
    [ $way = kill ] || limit=2s
    rm -f "$T/out/token"
    id=$(as games creel submit --id -m 128 -t $limit -- "$T/chain" $way)
    becomes "a job of the chain runs ($way)" 60 test -e "$T/out/begun.$way"
    [ $way = limit ] || as games creel kill "$id" >/dev/null 2>&1
    becomes "it gets SIGTERM ($way)" 60 test -e "$T/out/term.$way"
    becomes "its application has ended ($way)" 60 state_is "$id" KILLED
    touch "$T/out/end.$way"
    becomes "its token is valid until its processes have ended ($way)" 60 test -s "$T/out/next.$way"
    exits "the job that it submitted runs ($way)" 0 creel wait "$(cat "$T/out/next.$way")" --timeout 60
    is "it is recorded with the job that submitted it ($way)" "$id" "$(value .submittedIn status "$(cat "$T/out/next.$way")")"
    cp "$T/out/token.$way" "$T/out/token"
    refused() { ! token whoami >/dev/null 2>&1; }
    becomes "the token is refused when the processes have ended ($way)" 60 refused
done

# --- no rights of an administrator
id=$(as games creel submit --id -m 128 -- sleep 600)
job nobody "creel kill $id; echo \$?"
like "the job of an administrator may not kill the job of another user" "^4$" "$(tail -n 1 <<<"$OUTPUT")"
like "the error is that of a user without the right" "$id belongs to games: user nobody may not kill it" "$OUTPUT"
for words in 'node drain 127.0.0.1:8041 --reason x' 'admin refresh queues' 'token create' 'token create --join' '--as games ps'; do
    job nobody "creel $words; echo \$?"
    is "the job of an administrator may not: creel $words" 4 "$(tail -n 1 <<<"$OUTPUT")"
    like "the error of creel $words names the token of the job" 'application_[0-9_]+: the token of a job ' "$OUTPUT"
done
check "the audit lines have refused requests of jobs" \
    grep -q "audit USER=nobody${tab}.*OPERATION=createAccessToken${tab}.*RESULT=FAILURE${tab}.*AUTH=job${tab}CALLERCONTEXT=application_" "$log"
is "the administrator may kill it with a certificate" 0 "$(as nobody creel kill "$id" >/dev/null 2>&1; echo $?)"

# --- a certificate is removed where MUNGE is off
exits "creel keygen user --remove removes a certificate" 0 creel keygen user --remove games
unlike "it names nothing but the jobs of the user" 'MUNGE|access tokens' "$OUTPUT"
like "the jobs of the user run on" '^jobs of games that have not ended, if there are any, go on, and act as this user with their tokens: creel kill --user games$' "$OUTPUT"
becomes "the user is refused" 30 sh -c "! setpriv --reuid games --regid games --clear-groups env CREEL_CONF_DIR=$T/login/games creel whoami"

# --- switched off
creel dev down --dir "$T/dev" >/dev/null 2>&1
begin false
# shellcheck disable=SC2016 # the job expands it
job games 'creel whoami; echo "$? ${CREEL_JOB_TOKEN_FILE-unset}"'
is "a site can do without tokens of jobs" "4 unset" "$(tail -n 1 <<<"$OUTPUT")"
like "the error names the command that makes a certificate" 'creel keygen user games' "$OUTPUT"
finish
