#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The web pages of a real cluster: their content, permissions for changes, and the effect of crashes.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>creel.http.auth</name><value>proxy</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"

port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
url=http://127.0.0.1:$port
like "creel dev up prints the address of the web pages" "web pages: $url" "$(cat "$T/up.log")"
page() { curl -sS -m 20 "$@"; }
page_has() { page "$url$1" | grep -qF -- "$2"; }
status() { page -o /dev/null -w '%{http_code}' "$@"; }

is "/ redirects to the overview" "302 $url/cluster" "$(page -o /dev/null -w '%{http_code} %{redirect_url}' "$url/")"
becomes "the overview shows the node" 20 page_has /cluster '1 running'
id=$(creel submit --id -n 'a <b>job</b>' -- sh -c 'printf "\033[1mone\033[0m <i>two</i>\n\377"; exec sleep $0' "$(unlike_others)")
becomes "the list of applications shows the job" 20 page_has /cluster/apps "$id"
check "the list of applications shows the name of the job, escaped" \
    page_has /cluster/apps 'a &lt;b&gt;job&lt;/b&gt;'
becomes "the page of the job shows that it runs" 30 page_has "/cluster/app/$id" RUNNING
becomes "the page of the job shows its container" 20 page_has "/cluster/app/$id" container_
check "the page of queues shows root" page_has /cluster/scheduler root.default
node=$(value .nodeId node list)
check "the page of nodes shows the node" page_has /cluster/nodes "${node%%:*}"
becomes "the page of the node shows its container" 20 page_has "/cluster/node/$node" "${id#application_}"
container=$(first_container "$id")
log=$url/cluster/app/$id/logs/$container/stdout
becomes "the page of the log shows the output, escaped" 20 page_has "${log#"$url"}" 'one &lt;i&gt;two&lt;/i&gt;'
check "the page of the log has no escape sequences, and ? for bytes that are no text" page_has "${log#"$url"}" $'two&lt;/i&gt;\n?'
is "the log as text has the bytes of the output" "$(printf '\033[1mone\033[0m <i>two</i>\n\377' | md5sum)" "$(page "$log?raw=1" | md5sum)"
like "the log as text has a Content-Security-Policy with sandbox" 'ontent-[Ss]ecurity-[Pp]olicy: default-src .none.; sandbox' "$(page -D - -o /dev/null "$log?raw=1")"
is "the log of a file outside the log directory is 404" 404 "$(status "${log%stdout}%2E%2E%2Fpasswd")"
is "the log of a container under another application is 404" 404 "$(status "$url/cluster/app/application_1_0001/logs/$container/stdout")"
is "the page of an unknown application is 404" 404 "$(status "$url/cluster/app/application_1_0001")"

utilization() { page "$url/ws/v1/cluster/nodes" | jq -e ".nodes.node[0].resourceUtilization.$1 > 0" >/dev/null; }
becomes "the REST interface has the CPU utilization of the node" 20 utilization nodeCPUUsage
check "the REST interface has the memory utilization of the node" utilization nodePhysicalMemoryMB

# --- the stream of events
curl -sN -m 120 "$url/cluster/changes?topics=app:$id" >>"$T/stream" &
stream=$!
has_event() { grep -qx "data: $1" "$T/stream"; }
becomes "a stream begins with what has changed" 20 has_event app
: >"$T/stream"
other=$(creel submit --id -- true)
exits "another job ends" 0 creel wait "$other"
becomes "the page shows it" 20 page_has "/cluster/app/$other" FINISHED
check "it is no event of this job's stream" sh -c "! grep -q data '$T/stream'"
is "topics that do not exist are refused" 400 "$(status "$url/cluster/changes?topics=jobs")"

# --- changes
is "killing a job without a user is 401" 401 "$(status -d reason=x "$url/cluster/app/$id/kill")"
is "killing a job with user.name in the URL is 401" \
    401 "$(status -d reason=x "$url/cluster/app/$id/kill?user.name=root")"
is "a header of the proxy with two names is 403" 403 "$(page -o "$T/body" -w '%{http_code}' -H 'X-Remote-User: root, ann' "$url/cluster/app/$id")"
like "the message names the header" 'header X-Remote-User that is not the name of one user' "$(cat "$T/body")"
token=$(page -H 'X-Remote-User: root' "$url/cluster/app/$id" | grep -oE 'name="token" value="[^"]*"' | head -1 | cut -d'"' -f4)
is "a user named by the proxy may kill a job" 303 "$(status -H 'X-Remote-User: root' --data-urlencode "token=$token" -d reason=test "$url/cluster/app/$id/kill")"
exits "the job is KILLED" 0 wait_until 30 state_is "$id" KILLED
becomes "the page of the job shows KILLED" 20 page_has "/cluster/app/$id" KILLED
becomes "and which is an event" 20 has_event app
kill "$stream"

becomes "the page of the history shows the job" 30 page_has /cluster/history "$id"
unlike "the page of the history filters by state" "$id" "$(curl -fsS -m 20 "$url/cluster/history?state=FAILED")"
check "the page of the configuration shows the file and line of a value" page_has "/cluster/conf?q=creel.http.auth" "$T/base/yarn-site.xml:2"

# --- submission over REST
rest=$url/ws/v1/cluster/apps
as_root() { page -H 'X-Remote-User: root' -H 'Content-Type: application/json' "$@"; }
id=$(as_root -X POST "$rest/new-application" | jq -r '."application-id"')
echo four >"$T/input"
jq -n --arg id "$id" --arg path "file://$T/input" '{"application-id": $id, "application-name": "by REST",
    "resource": {"memory": 256, "vCores": 1}, "am-container-spec": {
    "commands": {"command": ["cat it;", "echo $GREETING {{USER}} >", "<LOG_DIR>/greeting"]},
    "environment": {"entry": {"key": "GREETING", "value": "hello  to"}},
    "local-resources": {"entry": {"key": "it", "value": {"resource": $path, "type": "FILE"}}}}}' >"$T/submission"
is "a submission with user.name in the URL is 401" 401 "$(status -H 'Content-Type: application/json' -d @"$T/submission" "$rest?user.name=root")"
is "an application is submitted over REST" "202 $rest/$id" \
    "$(as_root -o /dev/null -w '%{http_code} %header{location}' -d @"$T/submission" "$rest")"
exits "the submitted application ends" 0 creel wait "$id"
is "the application has the user of the request and has succeeded" "root by REST FINISHED SUCCEEDED" "$(as_root "$rest/$id" | jq -r '.app | "\(.user) \(.name) \(.state) \(.finalStatus)"')"
like "the command of the application has read its local resource" four "$(creel logs "$id")"
is "the same submission again is accepted" 202 "$(as_root -o /dev/null -w '%{http_code}' -d @"$T/submission" "$rest")"
is "a submission with an unknown application id is 400" 400 "$(sed "s/$id/application_1_0001/" "$T/submission" | as_root -o /dev/null -w '%{http_code}' -d @- "$rest")"

id=$(creel submit --id -n signalled -- sh -c 'trap "echo got TERM; exit 3" TERM; while :; do sleep 0.1; done' "$(unlike_others)")
becomes "a job runs" 30 state_is "$id" RUNNING
signal=$url/ws/v1/cluster/containers/$(first_container "$id")/signal
is "a signal command that YARN does not have is 400" 400 "$(as_root -o /dev/null -w '%{http_code}' -X POST "$signal/FOO")"
is "GRACEFUL_SHUTDOWN for the container is accepted" 200 "$(as_root -o /dev/null -w '%{http_code}' -X POST "$signal/GRACEFUL_SHUTDOWN")"
exits "the application ends after GRACEFUL_SHUTDOWN" 0 creel wait "$id"
like "the command received SIGTERM" 'got TERM' "$(creel logs "$id")"

# --- crashes
kill_nine "$(pid_of web)"
exits "a job succeeds while creel-web is down" 0 creel run -n beside -- true
check "creel dev up starts creel-web again" creel dev up --dir "$T/dev"
becomes "the list of applications has that job" 20 page_has '/cluster/apps?state=ALL' beside
kill_nine "$(pid_of rm)"
becomes "the pages report that they are not up to date without the resource manager" 20 \
    page_has /cluster 'not up to date'
check "the list of applications is shown without the resource manager" \
    page_has '/cluster/apps?state=ALL' beside
creel dev up --dir "$T/dev" >"$T/up2.log" 2>&1
exits "a job succeeds after the restart of the resource manager" 0 creel run -n afterwards -- true
becomes "the list of applications has the job from after the restart" 30 \
    page_has '/cluster/apps?state=ALL' afterwards
unlike "the pages no longer report that they are not up to date" 'not up to date' "$(curl -fsS -m 20 "$url/cluster")"

finish
