#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Users sign in to the web pages and REST by HTTP Basic authentication, with passwords that PAM checks.
. "$(dirname "$0")/lib.sh"
[ -x "$BUILD/creel-pam" ] || { echo "1..0 # SKIP built without PAM"; exit 0; }
mkdir "$T/base" "$T/pam"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
</configuration>
X
cat >"$T/base/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.root.acl_administer_queue</name><value> </value></property>
  <property><name>yarn.scheduler.capacity.root.default.acl_administer_queue</name><value> </value></property>
</configuration>
X

# The password of NAME is "right: NAME"; locked has no valid account; the module never answers for silent*.
mkfifo "$T/pam/never"
cat >"$T/pam/authenticate" <<X
#!/bin/bash
echo "\$PAM_USER \$PAM_RHOST" >>$T/pam/checks
IFS= read -r -d '' password
case \$PAM_USER in silent*) exec cat $T/pam/never ;; esac
[ "\$password" = "right: \$PAM_USER" ]
X
cat >"$T/pam/account" <<'X'
#!/bin/bash
[ "$PAM_USER" != locked ]
X
chmod +x "$T/pam/authenticate" "$T/pam/account"
cat >"$T/pam/creel-test" <<X
auth    sufficient pam_exec.so quiet expose_authtok $T/pam/authenticate
auth    required   pam_deny.so
account sufficient pam_exec.so quiet $T/pam/account
account required   pam_deny.so
X
cluster_up -n 1 --conf "$T/base"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout "$T/web.key" -out "$T/web.pem" 2>/dev/null
export CREEL_PAM_DIRECTORY=$T/pam

# web_conf DIRECTORY ADDRESS [PROPERTY VALUE]...: a configuration of creel-web
web_conf() {
    local directory=$T/$1 address=$2
    shift 2
    mkdir -p "$directory"
    sed -e "s/127.0.0.1:[0-9]*/$address/" -e '/<\/configuration>/d' "$T/dev/web/conf/creel-site.xml" >"$directory/creel-site.xml"
    set -- creel.http.auth basic creel.http.pam-service creel-test creel.http.tls-certificate "$T/web.pem" creel.http.tls-key "$T/web.key" "$@"
    while [ $# -gt 0 ]; do
        echo "  <property><name>$1</name><value>$2</value></property>"
        shift 2
    done >>"$directory/creel-site.xml"
    echo "</configuration>" >>"$directory/creel-site.xml"
}

# --- the start
web_conf plain 0.0.0.0:0
exits "creel-web does not start with basic authentication and without TLS" 7 creel-web --conf "$T/plain"
like "the error for a missing TLS names the keys" 'creel.http.auth: basic .* needs TLS: set yarn.http.policy to HTTPS_ONLY, with creel.http.tls-certificate and creel.http.tls-key, or let yarn.resourcemanager.webapp.address' "$OUTPUT"
web_conf missing 127.0.0.1:0 creel.http.pam-service missing
exits "creel-web does not start without the file of the PAM service" 7 creel-web --conf "$T/missing"
like "the error for the PAM service names the file" 'creel.http.pam-service: there is no file /etc/pam.d/missing' "$OUTPUT"
web_conf loopback 127.0.0.1:0
creel-web --conf "$T/loopback" 2>"$T/loopback/log" &
web=$!
becomes "creel-web serves without TLS on a loopback address" 20 grep -q 'ready: ' "$T/loopback/log"
kill "$web" && wait "$web"
web_conf https 127.0.0.1:0 yarn.http.policy HTTPS_ONLY
creel-web --conf "$T/https" 2>"$T/https/log" &
web=$!
becomes "creel-web serves with TLS" 20 grep -q 'with TLS' "$T/https/log"
url=https://127.0.0.1:$(sed -n 's/.* on port \([0-9]*\) with TLS.*/\1/p' "$T/https/log")

page() { curl -sS -m 30 --cacert "$T/web.pem" "$@"; }
status() { page -o "$T/body" -w '%{http_code}' "$@"; }
as() { local user=$1; shift; page -u "$user:right: $user" "$@"; }
status_as() { local user=$1; shift; status -u "$user:right: $user" "$@"; }
wrong() { status -u "$1:guess-4711" "$url/cluster"; }
no_process() { [ -z "$(pgrep -f "$1")" ]; }
checks_of() { grep -c "^$1 " "$T/pam/checks"; }

# --- the password
is "a request without a user is refused" 401 "$(status "$url/ws/v1/cluster/info")"
like "the reply to a request without a user has the scheme Basic" '^[Ww][Ww][Ww]-[Aa]uthenticate: Basic realm="creel"' "$(page -D - -o "$T/body" "$url/cluster")"
is "a malformed Authorization header is refused" 401 "$(status -H 'Authorization: Basic !!!' "$url/cluster")"
is "a user in the URL is refused" 401 "$(status "$url/ws/v1/cluster/info?user.name=ann")"
becomes "a user with the right password sees the pages" 20 sh -c "curl -sS -m 20 --cacert $T/web.pem -u 'ann:right: ann' $url/cluster | grep -q ann"
is "the REST interface has the user of the password" ann "$(as ann "$url/ws/v1/cluster/userinfo" | jq -r .requestedUser)"
is "PAM checks the password of several requests once" 1 "$(checks_of ann)"
like "PAM gets the address of the client" '^ann 127.0.0.1$' "$(cat "$T/pam/checks")"
is "a wrong password is refused" 401 "$(wrong ann)"
is "the right password of a locked account is refused" 401 "$(status_as locked "$url/cluster")"
like "the log has an audit line for a user who signed in" 'USER=ann.IP=127.0.0.1.OPERATION=signIn.RESULT=SUCCESS.AUTH=pam' "$(cat "$T/https/log")"
like "the log has an audit line for a user who was refused" 'USER=locked.IP=127.0.0.1.OPERATION=signIn.RESULT=FAILURE.DESCRIPTION=the account is locked or expired' "$(cat "$T/https/log")"
check "the log has no password" sh -c "! grep -qE 'right: |guess-4711' '$T/https/log'"

# --- changes
id=$(creel submit --id -- sleep "$(unlike_others)")
exits "a job of root is RUNNING" 0 wait_until 30 state_is "$id" RUNNING
becomes "the REST interface shows the job to root" 20 sh -c "curl -sS -m 20 --cacert $T/web.pem -u 'root:right: root' $url/ws/v1/cluster/apps/$id/state | grep -q RUNNING"
kill_as() { status_as "$1" -X PUT -H 'Content-Type: application/json' -d '{"state":"KILLED"}' "$url/ws/v1/cluster/apps/$id/state"; }
is "another user may not kill the job" 403 "$(kill_as ann)"
like "the reply to the other user has the message of YARN" 'Unauthorized attempt to kill appid' "$(cat "$T/body")"
is "a form without its token is refused" 403 "$(status_as root -d '' "$url/cluster/app/$id/kill")"
is "a request from a page of another site is refused" 403 "$(status_as root -H 'Origin: https://other.example' -X PUT -H 'Content-Type: application/json' -d '{"state":"KILLED"}' "$url/ws/v1/cluster/apps/$id/state")"
node=$(value .nodeId node list)
unlike "the page of the node has no form to drain it for a user who signed in by password" drain "$(as root -f "$url/cluster/node/$node")"
like "root may kill the job" '^20[02]$' "$(kill_as root)"
exits "the job is KILLED" 0 wait_until 30 state_is "$id" KILLED

# --- modules that do not answer
for i in 1 2 3 4; do
    page -o /dev/null -w '%{http_code} %{time_total}\n' -u "silent$i:x" "$url/cluster" >"$T/silent$i" &
    silent[i]=$!
done
becomes "four PAM modules do not answer" 20 sh -c "[ \$(grep -c ^silent '$T/pam/checks') = 4 ]"
is "a client with four unanswered requests gets status 429" 429 "$(status -u silent5:x "$url/cluster")"
is "a user who has signed in is served while PAM modules do not answer" 200 "$(status_as ann "$url/cluster")"
wait "${silent[@]}"
is "requests whose PAM module does not answer get status 503" "503 503 503 503" "$(cut -d' ' -f1 "$T"/silent? | paste -sd' ')"
becomes "no process of these PAM modules is left" 10 no_process "cat $T/pam/never"

# --- guesses
for i in 2 3 4 5; do
    is "guess $i is refused" 401 "$(wrong ann)"
done
is "a sixth wrong password gets status 429" 429 "$(wrong ann)"
is "the right password gets status 429 after too many wrong ones" 429 "$(status_as ann "$url/cluster")"
like "the reply with status 429 has the header Retry-After" '^[Rr]etry-[Aa]fter: 60' "$(page -D - -o /dev/null -u ann:guess-4711 "$url/cluster")"
is "another user is served after the wrong passwords" 200 "$(status_as ben "$url/cluster")"

# --- creel-pam ends
helper=$(pgrep -P "$web" creel-pam)
kill -9 "$helper"
becomes "creel-web starts creel-pam again when it has ended" 20 sh -c "[ \$(curl -s -o /dev/null -w '%{http_code}' -m 20 --cacert $T/web.pem -u 'kim:right: kim' $url/cluster) = 200 ]"
kill "$web" && wait "$web"
becomes "creel-pam ends when creel-web ends" 10 no_process "creel-pam creel-test $T/pam"
finish
