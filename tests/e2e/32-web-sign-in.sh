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
like "creel token create prints a token" '^creel-[0-9a-f]{64}$' "$read"
submit=$(creel token create --for 1h --scope submit)
admin=$(creel token create --for 30m --scope admin)
is "creel token list has the scopes of the tokens" "admin submit read" "$(creel token list --json | jq -r '[.items[].scope] | join(" ")')"
unlike "creel token list does not print the tokens themselves" 'creel-' "$(creel token list -o wide)"
exits "creel token create --for 10s is a usage error" 2 creel token create --for 10s
exits "creel token create with an unknown scope is a usage error" 2 creel token create --scope all
exits "creel token revoke of an unknown id exits with 3" 3 creel token revoke 0123456789ab

# --- the header
is "a request without a token has the user dr.who" dr.who "$(page "$url/ws/v1/cluster/userinfo?user.name=root" | jq -r .requestedUser)"
is "a request with a token has the user of the token" root "$(page -H "Authorization: Bearer $read" "$url/ws/v1/cluster/userinfo" | jq -r .requestedUser)"
is "a request with an invalid token is 401" \
    401 "$(status -H "Authorization: Bearer ${read%?}x" "$url/ws/v1/cluster/info")"
id=$(creel submit --id -- sleep "$(unlike_others)")
becomes "the page of a job shows that it runs" 30 page_has "/cluster/app/$id" RUNNING
kill_with() { page -o "$T/body" -w '%{http_code}' -X PUT -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -d '{"state":"KILLED"}' "$url/ws/v1/cluster/apps/$id/state"; }
is "a token with scope read may not kill a job" 403 "$(kill_with "$read")"
like "the reply has the message of YARN" 'Unauthorized attempt to kill appid' "$(cat "$T/body")"
is "a token with scope submit may request the id of an application" 200 "$(status -X POST -H "Authorization: Bearer $submit" "$url/ws/v1/cluster/apps/new-application")"
is "a token with scope read may not" 403 "$(status -X POST -H "Authorization: Bearer $read" "$url/ws/v1/cluster/apps/new-application")"

# --- a user whose certificate is removed
creel keygen user nobody >/dev/null 2>&1
chown nobody "$T/dev/keys/users/nobody_secret"
theirs=$(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups env HOME=/nonexistent creel token create --scope submit)
lent=$(creel --as games token create)
with_token() { status -H "Authorization: Bearer $1" "$url/ws/v1/cluster/info"; }
is "the token of another user is accepted" 200 "$(with_token "$theirs")"
rm "$T/dev/keys/users/nobody"*
refused() { [ "$(with_token "$theirs")" = 401 ]; }
becomes "it is not accepted any more when the certificate of its user is removed" 30 refused
is "a token that a proxy user made for a user without a certificate is accepted" 200 "$(with_token "$lent")"

# --- the page
check "the page has a link to sign in" page_has /cluster 'href="/cluster/login"'
form=$(page "$url/cluster/login" | form_token)
sign_in() { page -o "$T/body" -w '%{http_code}' -c "$T/jar" --data-urlencode "token=$form" --data-urlencode "access=$1" "$url/cluster/login"; }
is "signing in with an invalid token is 403" 403 "$(sign_in "${submit%?}x")"
like "the page reports that the token is not valid" 'not valid, or has expired' "$(cat "$T/body")"
is "signing in without the token of the form is 403" 403 "$(status -d access="$submit" "$url/cluster/login")"
is "signing in with a token succeeds" 303 "$(sign_in "$submit")"
like "the cookie is HttpOnly" '^#HttpOnly_.*creel_token' "$(cat "$T/jar")"
check "the page has a button to sign out" page_has /cluster 'Sign out'
check "the page of the job has a form to kill it" page_has "/cluster/app/$id" 'Kill this application'
unlike "the page of the node has no form to drain it" drain "$(page -f -b "$T/jar" "$url/cluster/node/$node")"
form=$(page -b "$T/jar" "$url/cluster/app/$id" | form_token)
is "the form to kill the job is accepted" 303 "$(status -b "$T/jar" --data-urlencode "token=$form" "$url/cluster/app/$id/kill")"
exits "the job is KILLED" 0 wait_until 30 state_is "$id" KILLED
unlike "the page of a job that is over has no form" 'Kill this application' "$(page -f -b "$T/jar" "$url/cluster/app/$id")"
page -o /dev/null -b "$T/jar" -c "$T/jar" -d '' "$url/cluster/logout"
check "the page has a link to sign in after signing out" page_has /cluster 'href="/cluster/login"'
form=$(page "$url/cluster/login" | form_token)
sign_in "$admin" >/dev/null
check "a token with scope admin shows the form to drain a node" page_has "/cluster/node/$node" /drain

# --- the end of tokens
revoked=$(creel token list --json | jq -r '.items[] | select(.scope == "admin").id')
exits "creel token revoke exits with 0" 0 creel token revoke "$revoked"
becomes "the user of the revoked token is signed out" 20 page_has /cluster 'href="/cluster/login"'
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >"$T/up2.log" 2>&1
becomes "other tokens are valid after a restart of the resource manager" 20 sh -c "curl -sS -m 20 -H 'Authorization: Bearer $read' '$url/ws/v1/cluster/userinfo' | grep -q root"
is "creel token list --all has four tokens after the restart" 4 "$(count token list --all)"

# --- TLS, by a second creel-web
# new_certificate NAME [DAYS]
new_certificate() { openssl req -x509 -newkey rsa:2048 -nodes -days "${2:-2}" -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout "$T/$1.key" -out "$T/$1.pem" 2>/dev/null; }
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
exits "creel-web does not start without the TLS key file" 7 creel-web --conf "$T/https"
like "the error for a missing TLS key file names the property and the file" "creel.http.tls-key: $T/missing.key cannot be read: No such file" "$OUTPUT"
https_conf "$T/web.pem"
exits "creel-web does not start with a TLS key file without a key" 7 creel-web --conf "$T/https"
like "the error for a file without a TLS key names the missing line PRIVATE KEY" \
    'has no line with PRIVATE KEY' "$OUTPUT"
https_conf "$T/other.key"
exits "creel-web does not start with the TLS key of another certificate" 7 creel-web --conf "$T/https"
like "the error for the key of another certificate names both properties" \
    'creel.http.tls-certificate and creel.http.tls-key: .*certificate' "$OUTPUT"
https_conf "$T/web.key"
creel-web --conf "$T/https" 2>"$T/https/log" &
web=$!
becomes "creel-web starts with certificate and key" 20 grep -q 'with TLS' "$T/https/log"
url=https://127.0.0.1:$(sed -n 's/.* on port \([0-9]*\) with TLS.*/\1/p' "$T/https/log")
options=(--cacert "$T/web.pem")
becomes "the overview is served over TLS" 20 page_has /cluster '1 running'
answer=$(printf 'POST /cluster HTTP/1.1\r\nHost: h\r\nContent-Length: 0x10\r\n\r\n' |
    timeout 20 openssl s_client -quiet -connect "${url#https://}" 2>/dev/null)
is "a damaged request over TLS gets one answer" 1 "$(grep -c '^HTTP/1.1 400 ' <<<"$answer")"
like "that answer has the security headers" 'Content-Security-Policy: ' "$answer"
is "the overview is not served over HTTP" \
    000 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "http${url#https}/cluster")"
is "a client that does not trust the certificate gets no page" 000 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "$url/cluster")"
is "a client with TLS 1.1 gets no page" \
    000 "$(page -s --tls-max 1.1 -o /dev/null -w '%{http_code}' "$url/cluster" 2>/dev/null)"
like "the log warns of a certificate that expires within 30 days" 'the certificate of creel.http.tls-certificate expires at 2[^ ]*Z' "$(cat "$T/https/log")"
like "the overview warns, too" 'The certificate of these pages expires on ' "$(page "$url/cluster")"
is_checked() { creel cluster health -o wide | grep -qE "^certificates +warning .*$1 expires on 2"; }
becomes "creel cluster health warns of it, too" 20 is_checked 'creel-web at [^ ]+'
like "the metrics have the time" '^creel_web_certificate_expiry_timestamp_seconds [1-9]' "$(page "$url/metrics")"
form=$(page "$url/cluster/login" | form_token)
like "the cookie is HttpOnly, SameSite=Strict and Secure" \
    '^[Ss]et-[Cc]ookie: creel_token=.*; HttpOnly; SameSite=Strict; Secure' \
    "$(page -D - -o /dev/null --data-urlencode "token=$form" --data-urlencode "access=$read" "$url/cluster/login")"
kill "$web" && wait "$web"

# --- certificates of clients
new_certificate authority 90 && new_certificate web 90
signed() { # NAME SUBJECT AUTHORITY [EXTENSION]
    openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$T/$1.key" -out "$T/$1.csr" 2>/dev/null
    openssl x509 -req -in "$T/$1.csr" -CA "$T/$3.pem" -CAkey "$T/$3.key" -CAcreateserial -days 2 -out "$T/$1.pem" -extfile <(echo "${4:-basicConstraints=CA:FALSE}") 2>/dev/null
}
signed user /CN=root authority && signed stranger /CN=root other && signed server /CN=root authority extendedKeyUsage=serverAuth
signed two /CN=root/CN=ann authority && signed spaced "/CN=a b" authority && signed plus '/CN=a\+b' authority
https_conf "$T/web.key"
sed -i "s#</configuration>#<property><name>creel.http.tls-client-ca</name><value>$T/authority.pem</value></property></configuration>#" "$T/https/creel-site.xml"
cp "$T/authority.pem" "$T/authority.good" && printf '%s\n' '-----BEGIN CERTIFICATE-----' bad '-----END CERTIFICATE-----' >"$T/authority.pem"
exits "creel-web does not start with authorities that are no certificates" 7 creel-web --conf "$T/https"
like "the error for bad authorities names their property, too" 'creel.http.tls-key, or creel.http.tls-client-ca: ' "$OUTPUT"
mv "$T/authority.good" "$T/authority.pem"
creel-web --conf "$T/https" 2>"$T/https/log2" &
web=$!
becomes "creel-web starts with an authority of clients" 20 grep -q 'with TLS' "$T/https/log2"
url=https://127.0.0.1:$(sed -n 's/.* on port \([0-9]*\) with TLS.*/\1/p' "$T/https/log2")
unlike "the log does not warn of a certificate that is valid for 90 days" 'expires' "$(cat "$T/https/log2")"
becomes "the overview is served with that certificate" 20 page_has /cluster '1 running'
warns_not() { page "$url/cluster" >"$T/overview" && grep -q 'running' "$T/overview" && ! grep -q 'expires' "$T/overview"; }
becomes "the overview does not warn, either" 20 warns_not
who() { page "$@" "$url/ws/v1/cluster/userinfo" | jq -r .requestedUser; }
with() { echo --cert "$T/$1.pem" --key "$T/$1.key"; }
is "a request without a certificate has the user dr.who" dr.who "$(who)"
# shellcheck disable=SC2046 # options
is "a request with a certificate has the user that it names" root "$(who $(with user))"
becomes "creel cluster health warns of the certificate of that user" 90 is_checked 'user root of creel-web at [^ ]+'
# shellcheck disable=SC2046
is "the name of the user is that of the certificate, without escapes" a+b "$(who $(with plus))"
# shellcheck disable=SC2046
is "that user may change something" 200 "$(status $(with user) -X POST "$url/ws/v1/cluster/apps/new-application")"
# shellcheck disable=SC2046
is "a page of another site may not" 403 "$(status $(with user) -H 'Origin: https://evil.example.org' -X POST "$url/ws/v1/cluster/apps/new-application")"
# shellcheck disable=SC2046
is "a token in the header counts, not the certificate" 403 "$(status $(with user) -H "Authorization: Bearer $read" -X POST "$url/ws/v1/cluster/apps/new-application")"
for other in stranger:'is not signed by an authority' server:'is not valid for clients' two:'has no common name, or more than one' spaced:'has a common name that is not the name of a user'; do
    # shellcheck disable=SC2046
    is "the certificate ${other%%:*} is refused" 403 "$(page $(with "${other%%:*}") -o "$T/body" -w '%{http_code}' "$url/ws/v1/cluster/userinfo")"
    like "the message says why" "The certificate of the client ${other#*:}" "$(cat "$T/body")"
done
kill "$web" && wait "$web"
finish
