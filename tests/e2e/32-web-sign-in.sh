#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Users sign in to the web pages with tokens of creel token create.
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
page() { curl -sS -m 20 "$@"; }
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
finish
