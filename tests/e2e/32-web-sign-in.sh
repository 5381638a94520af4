#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Users sign in to the web pages with tokens of creel token create; TLS.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>creel.http.auth</name><value>token</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"

port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
url=http://127.0.0.1:$port
options=()
page() { curl -sS -m 20 "${options[@]}" "$@"; }
status() { page -o /dev/null -w '%{http_code}' "$@"; }
page_has() { page -b "$T/jar" "$url$1" | grep -qF -- "$2"; }
form_token() { grep -oE 'name="token" value="[^"]*"' | head -1 | cut -d'"' -f4; }
node=$(value .nodeId node list)

# --- the command
read=$(creel token create --note browser)
like "a token is printed" '^creel-[0-9a-f]{64}$' "$read"
submit=$(creel token create --for 1h --scope submit)
admin=$(creel token create --for 30m --scope admin)
is "the list has the tokens" "admin submit read" "$(creel token list --json | jq -r '[.items[].scope] | join(" ")')"
check "but not the tokens themselves" sh -c "! creel token list -o wide | grep -q creel-"
exits "a time without sense is refused" 2 creel token create --for 10s
exits "and a scope that does not exist" 2 creel token create --scope all
exits "and the id of no token" 3 creel token revoke 0123456789ab

# --- the header
is "without a token a request is not authenticated" dr.who "$(page "$url/ws/v1/cluster/userinfo?user.name=root" | jq -r .requestedUser)"
is "with a token it is of its user" root "$(page -H "Authorization: Bearer $read" "$url/ws/v1/cluster/userinfo" | jq -r .requestedUser)"
is "another token is refused" 401 "$(status -H "Authorization: Bearer ${read%?}x" "$url/ws/v1/cluster/info")"
id=$(creel submit --id -- sleep "$(unlike_others)")
becomes "the pages have a job" 30 page_has "/cluster/app/$id" RUNNING
kill_with() { page -o "$T/body" -w '%{http_code}' -X PUT -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -d '{"state":"KILLED"}' "$url/ws/v1/cluster/apps/$id/state"; }
is "a token for reading kills no job" 403 "$(kill_with "$read")"
like "and the answer is YARN's" 'Unauthorized attempt to kill appid' "$(cat "$T/body")"

# --- the page
check "the page has a link to sign in" page_has /cluster 'href="/cluster/login"'
form=$(page "$url/cluster/login" | form_token)
sign_in() { page -o "$T/body" -w '%{http_code}' -c "$T/jar" --data-urlencode "token=$form" --data-urlencode "access=$1" "$url/cluster/login"; }
is "another token does not sign in" 403 "$(sign_in "${submit%?}x")"
like "which the page says" 'not valid, or has expired' "$(cat "$T/body")"
is "no more does one without the form" 403 "$(status -d access="$submit" "$url/cluster/login")"
is "a token signs in" 303 "$(sign_in "$submit")"
like "as a cookie that scripts cannot read" '^#HttpOnly_.*creel_token' "$(cat "$T/jar")"
check "the page shows the user, and a button to sign out" page_has /cluster 'Sign out'
check "and a form to kill the job" page_has "/cluster/app/$id" 'Kill this application'
check "but none to drain a node" sh -c "! curl -sS -m 20 -b '$T/jar' '$url/cluster/node/$node' | grep -q drain"
form=$(page -b "$T/jar" "$url/cluster/app/$id" | form_token)
is "the form kills the job" 303 "$(status -b "$T/jar" --data-urlencode "token=$form" "$url/cluster/app/$id/kill")"
exits "the job is killed" 0 wait_until 30 state_is "$id" KILLED
page -o /dev/null -b "$T/jar" -c "$T/jar" -d '' "$url/cluster/logout"
check "after that the user can sign out" page_has /cluster 'href="/cluster/login"'
form=$(page "$url/cluster/login" | form_token)
sign_in "$admin" >/dev/null
check "a token for administrators shows the form to drain a node" page_has "/cluster/node/$node" /drain

# --- the end of tokens
revoked=$(creel token list --json | jq -r '.items[] | select(.scope == "admin").id')
exits "a token is revoked" 0 creel token revoke "$revoked"
becomes "its user is signed out" 20 page_has /cluster 'href="/cluster/login"'
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >"$T/up2.log" 2>&1
becomes "other tokens are valid after a restart of the resource manager" 20 sh -c "curl -sS -m 20 -H 'Authorization: Bearer $read' '$url/ws/v1/cluster/userinfo' | grep -q root"
is "and are in its list" 2 "$(count token list --all)"

# --- TLS, by a second creel-web
new_certificate() { openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout "$T/$1.key" -out "$T/$1.pem" 2>/dev/null; }
new_certificate web && new_certificate other
# serve_https KEYFILE: writes the configuration in $T/https.
https_conf() {
    mkdir -p "$T/https"
    sed -e 's/127.0.0.1:[0-9]*/127.0.0.1:0/' -e '/<\/configuration>/d' "$T/dev/web/conf/creel-site.xml" >"$T/https/creel-site.xml"
    cat >>"$T/https/creel-site.xml" <<X
  <property><name>yarn.http.policy</name><value>HTTPS_ONLY</value></property>
  <property><name>creel.http.tls-certificate</name><value>$T/web.pem</value></property>
  <property><name>creel.http.tls-key</name><value>$1</value></property>
</configuration>
X
}
https_conf "$T/missing.key"
exits "without a key file creel-web does not start" 7 creel-web --conf "$T/https"
like "and names the property and the file" "creel.http.tls-key: $T/missing.key cannot be read: No such file" "$OUTPUT"
https_conf "$T/web.pem"
exits "a file without a key is refused" 7 creel-web --conf "$T/https"
like "with the line that is missing" 'has no line with PRIVATE KEY' "$OUTPUT"
https_conf "$T/other.key"
exits "and so is the key of another certificate" 7 creel-web --conf "$T/https"
like "with the reason" 'creel.http.tls-certificate and creel.http.tls-key: .*certificate' "$OUTPUT"
https_conf "$T/web.key"
creel-web --conf "$T/https" 2>"$T/https/log" &
web=$!
becomes "with both it serves" 20 grep -q 'with TLS' "$T/https/log"
url=https://127.0.0.1:$(sed -n 's/.* on port \([0-9]*\) with TLS.*/\1/p' "$T/https/log")
options=(--cacert "$T/web.pem")
becomes "the pages over TLS" 20 page_has /cluster '1 running'
is "but not without" 000 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "http${url#https}/cluster")"
is "nor to those who do not know the certificate" 000 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "$url/cluster")"
is "nor with TLS 1.1" 000 "$(page -s --tls-max 1.1 -o /dev/null -w '%{http_code}' "$url/cluster" 2>/dev/null)"
form=$(page "$url/cluster/login" | form_token)
like "the cookie is for TLS alone" '^[Ss]et-[Cc]ookie: creel_token=.*; HttpOnly; SameSite=Strict; Secure' \
    "$(page -D - -o /dev/null --data-urlencode "token=$form" --data-urlencode "access=$read" "$url/cluster/login")"
kill "$web" && wait "$web"
finish
