#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Users sign in by MUNGE: a munged that the test starts proves who they are. Others have certificates.
. "$(dirname "$0")/lib.sh"
grep -q 'define HAVE_LIBMUNGE 1' "$BUILD/config.h" || { echo "1..0 # SKIP configured without MUNGE"; exit 0; }
munge=$T/munge
peer=$BUILD/tests/e2e/munge-peer
mkdir -m 0755 "$munge"
(umask 077 && head -c 128 /dev/urandom >"$munge/key")

munged=
start_munged() {
    munged --foreground --socket "$munge/socket" --key-file "$munge/key" --pid-file "$munge/pid" \
        --seed-file "$munge/seed" --log-file "$munge/log" >"$munge/out" 2>&1 &
    munged=$!
    wait_until 30 test -S "$munge/socket" || { fail "munged starts" "$(cat "$munge/out" "$munge/log")"; finish; }
}
stop_munged() { kill "$munged" && wait "$munged"; munged=; rm -f "$munge/socket"; } 2>/dev/null
trap 'if [ -n "$munged" ]; then kill -CONT "$munged"; kill "$munged"; fi 2>/dev/null; cleanup' EXIT

mkdir "$T/conf"
site() {        # IDENTITY: writes the configuration of the cluster
    cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>creel.security.identity</name><value>$1</value></property>
  <property><name>creel.security.munge-socket</name><value>$munge/socket</value></property>
  <property><name>creel.security.munge-validity-ms</name><value>4s</value></property>
  <property><name>creel.container.allowed-system-users</name><value>root,games,nobody,bin</value></property>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
</configuration>
X
}
as() {          # USER COMMAND...
    local group
    group=$(id -g "$1" 2>/dev/null) || group=$1
    setpriv --reuid "$1" --regid "$group" --clear-groups env HOME=/nonexistent "${@:2}"
}
identity_of() { as "$1" creel whoami --json | jq -r '.items[0] | "\(.user) \(.method)"'; }
log=$T/dev/rm/log
rm_address() { echo "127.0.0.1:$(jq .client "$T/dev/rm/state/ports")"; }
sign_ins() { wc -l <"$T/dev/rm/state/signed-in"; }
signed_in_at_least() { [ "$(sign_ins)" -ge "$1" ]; }

start_munged
site certificate,munge
cluster_up -n 1 --conf "$T/conf"
like "the log of the resource manager has the methods by which users sign in" 'users sign in by certificate and munge \(creel.security.identity\)' "$(cat "$log")"
creel keygen user nobody >/dev/null 2>&1
chown nobody "$T/dev/keys/users/nobody_secret"

# --- both at once
is "a user without a certificate runs a job" games "$(as games creel run -- id -un 2>/dev/null)"
is "a user with a certificate runs a job" nobody "$(as nobody creel run -- id -un 2>/dev/null)"
is "creel whoami prints munge for a user without a certificate" "games munge" "$(identity_of games)"
is "creel whoami prints certificate for a user with one" "nobody certificate" "$(identity_of nobody)"
exits "creel --as of a user who may not act for others is refused" 4 as games creel --as nobody whoami
like "the error for --as names both users" "user games may not act for nobody" "$OUTPUT"
exits "a user without an account name is refused" 4 as 4242 creel ps
like "the error for a user without an account name has the user id" 'user id 4242 has no name on the host of the resource manager' "$OUTPUT"

# --- a certificate is removed
creel keygen user bin >/dev/null 2>&1
exits "creel keygen user --remove removes a certificate" 0 creel keygen user --remove bin
check "both files of the certificate are gone" sh -c "! ls $T/dev/keys/users/bin*"
like "it names MUNGE, by which the user can still sign in" '^bin can still sign in by MUNGE \(creel.security.identity has munge\): remove the account bin ' "$OUTPUT"
like "it names access tokens of the user" '^access tokens of bin for the web pages, if there are any, are still valid: creel token list --all' "$OUTPUT"
like "it names jobs of the user and their tokens" '^jobs of bin that have not ended, if there are any, go on, and act as this user with their tokens: creel kill --user bin$' "$OUTPUT"
is "the user can still sign in by MUNGE" "bin munge" "$(identity_of bin)"
exits "creel keygen user --remove of a user without a certificate exits with 3" 3 creel keygen user --remove bin
like "the error names the file" 'there is no certificate .*/users/bin$' "$OUTPUT"

# --- rights
id=$(as games creel submit --id -- sh -c "echo out; while [ ! -e $T/out/go ]; do sleep 0.2; done")
becomes "a job of a MUNGE user runs" 60 state_is "$id" RUNNING
exits "another MUNGE user may not kill the job" 4 as bin creel kill "$id"
exits "a user with a certificate may not kill the job of another user" 4 as nobody creel kill "$id"
exits "a MUNGE user may not act for another user" 4 as bin creel --as games kill "$id"
becomes "the owner of the job reads its output from the agent" 30 sh -c "setpriv --reuid games --regid games --clear-groups env HOME=/ creel logs $id | grep -x out"
tab=$(printf '\t')
check "the audit line of a MUNGE user has the method munge" grep -q "audit USER=bin${tab}.*RESULT=FAILURE.*${tab}AUTH=munge" "$log"
check "the audit line of a user with a certificate has the method certificate" grep -q "audit USER=nobody${tab}.*${tab}AUTH=certificate" "$log"

# --- keys expire after 4 s, and outlast a restart of the resource manager
container=$(first_container "$id")
as games creel container exec "$container" -- sh -c "echo begin; while [ ! -e $T/out/go-exec ]; do sleep 0.2; done; echo end" >"$T/exec" 2>&1 &
exec=$!
as games creel logs -f "$id" >"$T/follow" 2>&1 &
follow=$!
becomes "a command of creel container exec runs in the container of the job" 30 grep -x begin "$T/exec"
becomes "creel logs -f prints the output of the job" 30 grep -x out "$T/follow"
before=$(sign_ins)
becomes "both clients sign in again when their keys have expired" 30 signed_in_at_least $((before + 2))
kill_nine "$(pid_of rm)"
check "creel dev up starts the resource manager again" creel dev up --dir "$T/dev"
before=$(sign_ins)
becomes "both clients sign in to the restarted resource manager" 30 signed_in_at_least $((before + 2))
touch "$T/out/go-exec"
ends "creel container exec exits with 0 after both sign-ins" 0 $exec "$T/exec"
is "creel container exec prints all output of its command" "begin end" "$(xargs <"$T/exec")"
touch "$T/out/go"
ends "creel logs -f exits with 0 when the job ends" 0 $follow "$T/follow"

# --- credentials that must not count
as games "$peer" "$munge/socket" "$(rm_address)" "$T/dev/keys/rm" >"$T/attempts" 2>&1
attempts=$(cat "$T/attempts")
like "a request before the sign-in is refused" '^before 12 ' "$attempts"
like "a credential for another purpose is refused" '^purpose 4 .*was not made to sign in to creel' "$attempts"
like "a credential for another cluster is refused" '^cluster 4 .*was made for another cluster' "$attempts"
like "a credential of another connection is refused" '^stolen 4 .*was made for another connection' "$attempts"
like "a valid credential is accepted" '^first accepted' "$attempts"
like "a credential is refused when it is used a second time" '^again 12 .*was used before' "$attempts"
like "a request after the sign-in is accepted" '^after accepted' "$attempts"
like "a credential is refused over a second connection" '^late 12 .*was used before' "$attempts"
like "the log of the resource manager has refused credentials" 'client at 127.0.0.1: not signed in: ' "$(cat "$log")"

check "random messages of a guest end no daemon" timeout 100 "$BUILD/tests/e2e/hostile-peer" 66 300 "$(rm_address)" "$T/dev/keys/rm" - games root

# --- munged is silent, or away
munge_is() { creel cluster health --json | jq -r '.items[] | select(.check == "munge") | .result + ": " + .text' | grep -qE "$1"; }
check "creel cluster health is ok while munged answers" munge_is '^ok'
kill -STOP "$munged"
becomes "creel cluster health fails when munged does not answer, without a user who signs in" 60 \
    munge_is '^failed: .*users who have not signed in yet are refused: .*munged does not answer'
exits "a command exits with 4 when munged does not answer" 4 timeout 60 setpriv --reuid games --regid games --clear-groups creel ps
like "the error for a munged that does not answer names the command that starts it" 'munged does not answer on this host: root starts it with: systemctl start munge' "$OUTPUT"
check "a user with a certificate is served while munged does not answer" timeout 20 creel ps
kill -CONT "$munged"
becomes "a command succeeds when munged answers again" 30 setpriv --reuid games --regid games --clear-groups creel ps
becomes "creel cluster health is ok when munged answers again" 60 munge_is '^ok'
stop_munged
becomes "creel cluster health fails without munged" 60 munge_is '^failed: .*munged does not answer'
exits "a command exits with 4 without munged" 4 as games creel ps
like "the error without munged names creel keygen and systemctl start munge" 'creel keygen user games --install.*systemctl start munge' "$OUTPUT"
exits "a user with a certificate is served without munged" 0 as nobody creel ps

# --- MUNGE alone
start_munged
site munge
creel dev down --dir "$T/dev" >/dev/null 2>&1
cluster_up -n 1 --conf "$T/conf"
like "the log of the resource manager has the only method, munge" 'users sign in by munge .*certificates are accepted of proxy users alone' "$(cat "$log")"
is "a user with a certificate signs in by MUNGE" "nobody munge" "$(identity_of nobody)"
is "root signs in by certificate when MUNGE is the only method" "root certificate" "$(identity_of root)"
like "creel conf show prints the method munge" '^munge$' "$(creel conf show creel.security.identity)"
rm "$T/dev/keys/users/root_secret"
exits "root without a certificate is refused" 4 creel ps
like "the error for root names the command that makes a certificate" 'root cannot sign in by MUNGE .*creel keygen user root' "$OUTPUT"
site 'munge,kerberos'
exits "creel conf check refuses an unknown method" 7 creel conf check "$T/conf"
like "the error for an unknown method names the key and the method" 'creel.security.identity: kerberos: expected certificate, munge, or both' "$OUTPUT"
site munge
stop_munged
like "creel conf check warns of a munged that does not run" 'no user can sign in by MUNGE on this host' "$(creel conf check "$T/conf" 2>&1)"
finish
