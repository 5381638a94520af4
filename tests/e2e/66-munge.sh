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
like "the log has how users sign in" 'users sign in by certificate and munge \(creel.security.identity\)' "$(cat "$log")"
creel keygen user nobody >/dev/null 2>&1
chown nobody "$T/dev/keys/users/nobody_secret"

# --- both at once
is "a user without a certificate runs a job" games "$(as games creel run -- id -un 2>/dev/null)"
is "a user with a certificate runs one" nobody "$(as nobody creel run -- id -un 2>/dev/null)"
is "the method of the first is MUNGE" "games munge" "$(identity_of games)"
is "the method of the second is the certificate" "nobody certificate" "$(identity_of nobody)"
exits "a user without an account name is refused" 4 as 4242 creel ps
like "the message names the user id" 'user id 4242 has no name on the host of the resource manager' "$OUTPUT"

# --- rights
id=$(as games creel submit --id -- sh -c "echo out; while [ ! -e $T/out/go ]; do sleep 0.2; done")
becomes "a job of a MUNGE user runs" 60 state_is "$id" RUNNING
exits "another MUNGE user may not kill it" 4 as bin creel kill "$id"
exits "a user with a certificate may not either" 4 as nobody creel kill "$id"
exits "nor may a MUNGE user act for others" 4 as bin creel --as games kill "$id"
becomes "its owner reads its output from the agent" 30 sh -c "setpriv --reuid games --regid games --clear-groups env HOME=/ creel logs $id | grep -x out"
tab=$(printf '\t')
check "the audit line has the method" grep -q "audit USER=bin${tab}.*RESULT=FAILURE.*${tab}AUTH=munge" "$log"
check "that of a certificate has it, too" grep -q "audit USER=nobody${tab}.*${tab}AUTH=certificate" "$log"

# --- keys expire after 4 s, and outlast a restart of the resource manager
container=$(first_container "$id")
as games creel container exec "$container" -- sh -c "echo begin; while [ ! -e $T/out/go-exec ]; do sleep 0.2; done; echo end" >"$T/exec" 2>&1 &
exec=$!
as games creel logs -f "$id" >"$T/follow" 2>&1 &
follow=$!
becomes "a command runs in its container" 30 grep -x begin "$T/exec"
becomes "the logs are followed" 30 grep -x out "$T/follow"
before=$(sign_ins)
becomes "both clients sign in again" 30 signed_in_at_least $((before + 2))
kill_nine "$(pid_of rm)"
check "the resource manager is started again" creel dev up --dir "$T/dev"
before=$(sign_ins)
becomes "both clients sign in there" 30 signed_in_at_least $((before + 2))
touch "$T/out/go-exec"
ends "the command in the container ends" 0 $exec "$T/exec"
is "with its output" "begin end" "$(xargs <"$T/exec")"
touch "$T/out/go"
ends "the logs end with the job" 0 $follow "$T/follow"

# --- credentials that must not count
as games "$peer" "$munge/socket" "$(rm_address)" "$T/dev/keys/rm" >"$T/attempts" 2>&1
attempts=$(cat "$T/attempts")
like "a guest must sign in first" '^before 12 ' "$attempts"
like "a credential for another purpose is refused" '^purpose 4 .*was not made to sign in to creel' "$attempts"
like "one for another cluster is refused" '^cluster 4 .*was made for another cluster' "$attempts"
like "that of another connection is refused" '^stolen 4 .*was made for another connection' "$attempts"
like "a good one counts" '^first accepted' "$attempts"
like "it counts once" '^again 12 .*was used before' "$attempts"
like "the connection is a user's then" '^after accepted' "$attempts"
like "it counts over no other connection" '^late 12 .*was used before' "$attempts"
like "refusals are logged" 'client at 127.0.0.1: not signed in: ' "$(cat "$log")"

check "random messages of a guest end nothing" timeout 100 "$BUILD/tests/e2e/hostile-peer" 66 300 "$(rm_address)" "$T/dev/keys/rm" - games root

# --- munged is silent, or away
kill -STOP "$munged"
exits "a silent munged ends the command" 4 timeout 60 setpriv --reuid games --regid games --clear-groups creel ps
like "the message has what to type" 'munged does not answer on this host: root starts it with: systemctl start munge' "$OUTPUT"
check "users with certificates go on meanwhile" timeout 20 creel ps
kill -CONT "$munged"
becomes "a munged that answers again is used" 30 setpriv --reuid games --regid games --clear-groups creel ps
stop_munged
exits "without munged the command fails" 4 as games creel ps
like "the message has both remedies" 'creel keygen user games --install.*systemctl start munge' "$OUTPUT"
exits "a user with a certificate does not need it" 0 as nobody creel ps

# --- MUNGE alone
start_munged
site munge
creel dev down --dir "$T/dev" >/dev/null 2>&1
cluster_up -n 1 --conf "$T/conf"
like "the log has what is accepted" 'users sign in by munge .*certificates are accepted of proxy users alone' "$(cat "$log")"
is "a user with a certificate signs in by MUNGE" "nobody munge" "$(identity_of nobody)"
is "root has a certificate" "root certificate" "$(identity_of root)"
like "the configuration shows it" '^munge$' "$(creel conf show creel.security.identity)"
rm "$T/dev/keys/users/root_secret"
exits "without one root is refused" 4 creel ps
like "the message has what to do" 'root cannot sign in by MUNGE .*creel keygen user root' "$OUTPUT"
site 'munge,kerberos'
exits "an unknown method is an error of the configuration" 7 creel conf check "$T/conf"
like "the message names key and word" 'creel.security.identity: kerberos: expected certificate, munge, or both' "$OUTPUT"
site munge
stop_munged
like "a munged that does not run is a warning" 'nobody can sign in by MUNGE on this host' "$(creel conf check "$T/conf" 2>&1)"
finish
