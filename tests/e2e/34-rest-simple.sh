#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# REST with creel.http.auth = simple: clients of YARN without Kerberos submit, poll, read logs and kill with user.name alone.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>creel.http.auth</name><value>simple</value></property>
  <property><name>creel.security.proxy-users</name><value>root,creel-web,hue</value></property>
  <property><name>yarn.resourcemanager.webapp.cross-origin.enabled</name><value>true</value></property>
  <property><name>hadoop.http.cross-origin.allowed-origins</name><value>https://*.ui.example.org,*</value></property>
  <property><name>hadoop.http.cross-origin.allowed-methods</name><value>GET,PUT</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"

port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
apps=http://127.0.0.1:$port/ws/v1/cluster/apps
http() { curl -sS -m 20 "$@"; }
status() { http -o "$T/body" -w '%{http_code}' "$@"; }
shown() { [ "$(http "$apps/$1/state" | jq -r .state)" = "$2" ]; }
new_id() { http -X POST "$apps/new-application$1" | jq -r '."application-id"'; }
json='Content-Type: application/json' xml='Content-Type: application/xml'
sleeps=$(unlike_others)

check "the log of creel-web warns" grep -q 'creel.http.auth is simple: every program on the hosts 127.0.0.1 ::1 may act as any user' "$T/dev/web/log"
# An id that was requested without a user, a body of JSON
id=$(new_id '')
is "a submission with user.name is accepted" 202 "$(status -D "$T/head" -H "$json" "$apps?user.name=root" -d '{"application-id": "'"$id"'",
  "application-name": "one", "am-container-spec": {"commands": {"command": "echo begun; exec sleep '"$sleeps"'"}}, "resource": {"memory": 64, "vCores": 1}}')"
is "Location is the address of the application" "$apps/$id" "$(sed -n 's/\r$//; s/^Location: //p' "$T/head")"
becomes "the application runs" 30 shown "$id" RUNNING
is "it is of the user that was named" root "$(http "$apps/$id" | jq -r .app.user)"
log=$(http "$apps/$id/appattempts" | jq -r '.appAttempts.appAttempt[0] | "http://\(.nodeHttpAddress)/ws/v1/node/containerlogs/\(.containerId)/stdout?raw=1"')
becomes "the agent serves its log" 20 sh -c "curl -sS -m 20 '$log' | grep -qx begun"
is "it is killed with user.name" 202 "$(status -X PUT -H "$json" -d '{"state": "KILLED"}' "$apps/$id/state?user.name=root")"
becomes "the application is KILLED" 30 shown "$id" KILLED
# A value outside of the limits of messages is the user's mistake, and no failure of the connection
bad=$(new_id '?user.name=root')
is "a variable with a bad name is refused" 400 "$(status -H "$json" "$apps?user.name=root" -d '{"application-id": "'"$bad"'",
  "am-container-spec": {"commands": {"command": "true"}, "environment": {"entry": [{"key": "A=B", "value": "1"}]}}}')"
like "the message names the field" 'A=B' "$(cat "$T/body")"
# A body of XML, and a cookie instead of the parameter
id=$(http -c "$T/jar" -X POST "$apps/new-application?user.name=root" | jq -r '."application-id"')
is "a submission with YARN's cookie is accepted" 202 "$(status -b "$T/jar" -H "$xml" "$apps" -d "<application-submission-context>
  <application-id>$id</application-id><am-container-spec><commands><command>exec sleep $sleeps</command></commands></am-container-spec>
  <resource><memory>64</memory><vCores>1</vCores></resource></application-submission-context>")"
becomes "the application runs" 30 shown "$id" RUNNING
is "a page of another site cannot kill it" 403 "$(status -X PUT -H 'Origin: http://evil.example.org' -H "$json" -d '{"state": "KILLED"}' "$apps/$id/state?user.name=root")"
is "nor can one whose name leads to this host" 401 "$(status -X PUT -H 'Host: evil.example.org' -H 'Origin: http://evil.example.org' -H "$json" -d '{"state": "KILLED"}' "$apps/$id/state?user.name=root")"
# Pages of other sites that are allowed (CORS)
ui='Origin: https://a.ui.example.org'
origin() { http -o /dev/null -D - "$@" | tr -d '\r' | sed -n 's/^Access-Control-\([A-Za-z-]*\): /\1 /p' | sort | paste -sd'|'; }
is "a browser learns what a page of an allowed site may send" \
    'Allow-Headers X-Requested-With,Content-Type,Accept,Origin|Allow-Methods GET,PUT|Allow-Origin https://a.ui.example.org|Max-Age 1800' \
    "$(origin -X OPTIONS -H "$ui" -H 'Access-Control-Request-Method: PUT' "$apps/$id/state")"
is "its page may read" 'Allow-Origin https://a.ui.example.org' "$(origin -H "$ui" "$apps")"
is "and change" 200 "$(status -X PUT -H "$ui" -H 'Sec-Fetch-Site: cross-site' -H "$json" -d '{"priority": 0}' "$apps/$id/priority?user.name=root")"
is "a page that only * matches may read" 'Allow-Origin http://other.example.org' "$(origin -H 'Origin: http://other.example.org' "$apps")"
is "web pages are read by no page of another site" '' "$(origin -H "$ui" "http://127.0.0.1:$port/cluster")"
is "users in creel.security.proxy-users act for others" '{"rmLoginUser":"root","requestedUser":"ann"}' "$(http "${apps%/apps}/userinfo?user.name=hue&doAs=ann" | jq -c '.rmLoginUser = "root"')"
is "other users do not" 403 "$(status -X PUT -H "$json" -d '{"state": "KILLED"}' "$apps/$id/state?user.name=bob&doAs=root")"
like "the message names both" 'User: bob is not allowed to impersonate root' "$(cat "$T/body")"
is "a state is read as XML" "<appstate><state>RUNNING</state></appstate>" "$(http -H 'Accept: application/xml' "$apps/$id/state" | sed 's/^<?[^>]*>//')"
is "it is killed with a body of XML" 202 "$(status -X PUT -H "$xml" -H 'Accept: application/xml' -d '<appstate><state>KILLED</state></appstate>' "$apps/$id/state?user.name=root")"
becomes "the application is KILLED" 30 shown "$id" KILLED
is "pages have no users" 401 "$(status -d reason=x "http://127.0.0.1:$port/cluster/app/$id/kill?user.name=root")"
finish
