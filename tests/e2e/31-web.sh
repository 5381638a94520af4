#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The web pages of a real cluster: their content, rights to change something, and the effect of crashes.
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
like "dev up prints their address" "web pages: $url" "$(cat "$T/up.log")"
page() { curl -sS -m 20 "$@"; }
page_has() { page "$url$1" | grep -qF -- "$2"; }
status() { page -o /dev/null -w '%{http_code}' "$@"; }

is "/ leads to the overview" "302 $url/cluster" "$(page -o /dev/null -w '%{http_code} %{redirect_url}' "$url/")"
becomes "the overview shows the node" 20 page_has /cluster '1 running'
id=$(creel submit --id -n 'a <b>job</b>' -- sh -c 'printf "\033[1mone\033[0m <i>two</i>\n\377"; exec sleep $0' "$(unlike_others)")
becomes "the list of applications shows the job" 20 page_has /cluster/apps "$id"
check "with its name, escaped" page_has /cluster/apps 'a &lt;b&gt;job&lt;/b&gt;'
becomes "the page of the job shows that it runs" 30 page_has "/cluster/app/$id" RUNNING
becomes "and its container" 20 page_has "/cluster/app/$id" container_
check "the page of queues shows root" page_has /cluster/scheduler root.default
node=$(value .nodeId node list)
check "the page of nodes shows the node" page_has /cluster/nodes "${node%%:*}"
becomes "and the page of the node its container" 20 page_has "/cluster/node/$node" "${id#application_}"
container=$(first_container "$id")
log=$url/cluster/app/$id/logs/$container/stdout
becomes "the page of its log shows its output, escaped" 20 page_has "${log#"$url"}" 'one &lt;i&gt;two&lt;/i&gt;'
check "without escape sequences, and with ? for bytes that are no text" page_has "${log#"$url"}" $'two&lt;/i&gt;\n?'
is "as text it has the bytes" "$(printf '\033[1mone\033[0m <i>two</i>\n\377' | md5sum)" "$(page "$log?raw=1" | md5sum)"
like "in a sandbox" 'ontent-[Ss]ecurity-[Pp]olicy: default-src .none.; sandbox' "$(page -D - -o /dev/null "$log?raw=1")"
is "another file is 404" 404 "$(status "${log%stdout}%2E%2E%2Fpasswd")"
is "and the log of a container of another application" 404 "$(status "$url/cluster/app/application_1_0001/logs/$container/stdout")"
is "an application that is not there is 404" 404 "$(status "$url/cluster/app/application_1_0001")"

utilization() { page "$url/ws/v1/cluster/nodes" | jq -e ".nodes.node[0].resourceUtilization.$1 > 0" >/dev/null; }
becomes "the agent reports the processors that are in use on its node" 20 utilization nodeCPUUsage
check "and the memory" utilization nodePhysicalMemoryMB

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
is "without a user nothing is changed" 401 "$(status -d reason=x "$url/cluster/app/$id/kill")"
is "a claim is no user" 401 "$(status -d reason=x "$url/cluster/app/$id/kill?user.name=root")"
token=$(page -H 'X-Remote-User: root' "$url/cluster/app/$id" | grep -oE 'name="token" value="[^"]*"' | head -1 | cut -d'"' -f4)
is "one whom the proxy names may kill" 303 "$(status -H 'X-Remote-User: root' --data-urlencode "token=$token" -d reason=test "$url/cluster/app/$id/kill")"
exits "and the job is killed" 0 wait_until 30 state_is "$id" KILLED
becomes "which the page shows" 20 page_has "/cluster/app/$id" KILLED
becomes "and which is an event" 20 has_event app
kill "$stream"

becomes "and the page of the history" 30 page_has /cluster/history "$id"
check "which filters by state" sh -c "! curl -sS -m 20 '$url/cluster/history?state=FAILED' | grep -q '$id'"
check "the page of the configuration has origins" page_has "/cluster/conf?q=creel.http.auth" "$T/base/yarn-site.xml:2"

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
is "a claim is no user, who could submit" 401 "$(status -H 'Content-Type: application/json' -d @"$T/submission" "$rest?user.name=root")"
is "an application is submitted over REST" "202 /ws/v1/cluster/apps/$id" \
    "$(as_root -o /dev/null -w '%{http_code} %header{location}' -d @"$T/submission" "$rest")"
exits "it ends" 0 creel wait "$id"
is "as the user of the request" "root by REST FINISHED SUCCEEDED" "$(as_root "$rest/$id" | jq -r '.app | "\(.user) \(.name) \(.state) \(.finalStatus)"')"
like "its command has read the file" four "$(creel logs "$id")"
is "the same submission again is the same application" 202 "$(as_root -o /dev/null -w '%{http_code}' -d @"$T/submission" "$rest")"
is "another id is refused" 400 "$(sed "s/$id/application_1_0001/" "$T/submission" | as_root -o /dev/null -w '%{http_code}' -d @- "$rest")"

id=$(creel submit --id -n signalled -- sh -c 'trap "echo got TERM; exit 3" TERM; while :; do sleep 0.1; done' "$(unlike_others)")
becomes "a job runs" 30 state_is "$id" RUNNING
signal=$url/ws/v1/cluster/containers/$(first_container "$id")/signal
is "a command that YARN does not know is refused" 400 "$(as_root -o /dev/null -w '%{http_code}' -X POST "$signal/FOO")"
is "GRACEFUL_SHUTDOWN is sent to its container" 200 "$(as_root -o /dev/null -w '%{http_code}' -X POST "$signal/GRACEFUL_SHUTDOWN")"
exits "and it ends" 0 creel wait "$id"
like "because of TERM" 'got TERM' "$(creel logs "$id")"

# --- crashes
kill_nine "$(pid_of web)"
exits "a job runs while creel-web is gone" 0 creel run -n beside -- true
check "dev up starts it again" creel dev up --dir "$T/dev"
becomes "and the list is whole" 20 page_has '/cluster/apps?state=ALL' beside
kill_nine "$(pid_of rm)"
becomes "without the resource manager pages say that they are old" 20 page_has /cluster 'not up to date'
check "the list of before is still there" page_has '/cluster/apps?state=ALL' beside
creel dev up --dir "$T/dev" >"$T/up2.log" 2>&1
exits "a job after that" 0 creel run -n afterwards -- true
becomes "is on the page" 30 page_has '/cluster/apps?state=ALL' afterwards
check "which is up to date" sh -c "! curl -sS -m 20 '$url/cluster' | grep -q 'not up to date'"

finish
