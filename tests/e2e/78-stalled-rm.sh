#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel-web notices a resource manager that is stopped (its gateway and its connections remain) and one that is killed: load
# balancers, metrics, REST and open pages show it within seconds, and no longer when it answers again.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.http.stale-after</name><value>6s</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"
url=http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
rest=$url/ws/v1/cluster
get() { curl -sS -m 20 "$@"; }
status() { get -o /dev/null -w '%{http_code}' "$@"; }
status_is() { [ "$(status "$url$1")" = "$2" ]; }
metric_is() { get "$url/metrics" | grep -qx "$1 $2"; }
page_has() { get "$url$1" | grep -qF -- "$2"; }
rm_state() { get "$rest/info" | jq -r '.clusterInfo | "\(.state) \(.haState)"'; }
headers() { get -o "$T/body" -D - "$1" | tr 'A-Z\r' 'a-z '; }
# Requests /cluster as the script of an open page does: the ETag of the page that it shows is in $T/etag.
changed_page() {
    get -o "$T/page" -D "$T/head" -H "If-None-Match: $(cat "$T/etag" 2>/dev/null)" "$url/cluster"
    sed -n 's/^ETag: *\([^\r]*\)\r*$/\1/Ip' "$T/head" >"$T/etag"
    grep -q '^HTTP/1.1 200' "$T/head"
}
changed_page_has() { changed_page && grep -q "$1" "$T/page"; }
changed_page_lacks() { changed_page && ! grep -q "$1" "$T/page"; }
has_event() { grep -q '^data:.*trouble' "$T/stream"; }

# well WHEN: what creel-web shows of a resource manager that answers.
well() {
    becomes "$1: /isActive is 200" 30 status_is /isActive 200
    is "$1: it has YARN's text" "I am Active!" "$(get "$url/isActive")"
    is "$1: REST has the states of an active resource manager" "STARTED ACTIVE" "$(rm_state)"
    check "$1: the metric is 1" metric_is creel_rm_active 1
    is "$1: REST answers" 200 "$(status "$rest/apps")"
    unlike "$1: pages are up to date" 'not up to date' "$(get "$url/cluster")"
}

# ill WHEN: what it shows of one that does not answer.
ill() {
    becomes "$1: /isActive is that of a standby resource manager" 10 status_is /isActive 405
    is "$1: it has YARN's text" "I am not Active!" "$(get "$url/isActive")"
    is "$1: REST has no state of an active resource manager" "STOPPED STANDBY" "$(rm_state)"
    like "$1: nor have the beans" '"State" : "standby"' "$(get "$url/jmx?qry=Hadoop:service=ResourceManager,name=RMInfo")"
    check "$1: the metric is 0" metric_is creel_rm_active 0
    check "$1: pages show what is known" page_has '/cluster/apps?state=ALL' sleeper
    becomes "$1: REST refuses to answer from an old copy" 20 status_is /ws/v1/cluster/apps 503
    headers "$rest/apps" >"$T/head"
    like "$1: the answer has the time after which to try again" '^retry-after: [0-9]+' "$(cat "$T/head")"
    like "$1: and the age of the copy" '^age: ([6-9]|[1-9][0-9]+)' "$(cat "$T/head")"
    like "$1: its message names the key" 'is [0-9]+ s old .creel.http.stale-after is 6 s' "$(cat "$T/body")"
    is "$1: monitors still get the state of the resource manager" "STOPPED STANDBY" "$(rm_state)"
}

id=$(creel submit --id -n sleeper -- sleep 600)
becomes "a job runs" 30 state_is "$id" RUNNING
well "at first"
like "REST has the age of the copy" '^age: [0-2] ' "$(headers "$rest/apps")"

# --- stopped: no connection is lost
curl -sN -m 120 "$url/cluster/changes?topics=cluster" >>"$T/stream" &
stream=$!
changed_page
rm=$(pid_of rm)
: >"$T/stream"
kill -STOP "$rm"
becomes "an open page gets an event when the resource manager is stopped" 10 has_event
check "the page that it then requests says that it is old, and of what time" \
    changed_page_has 'not up to date: creel-rm at .* does not answer. It shows the cluster as of <time>'
ill "stopped"
for path in history conf "app/$id" queue/root.default events; do
    # (a request without an answer would end after 10 s)
    is "/cluster/$path does not wait for the resource manager" 200 "$(get -m 8 -o "$T/page" -w '%{http_code}' "$url/cluster/$path")"
    like "... and says so" 'not up to date: creel-rm at' "$(cat "$T/page")"
done
check "the page of the job shows what is known of it" page_has "/cluster/app/$id" sleeper
is "REST does not wait for it, either" 503 "$(status -m 8 "$rest/scheduler-conf")"
like "a command names the causes, and how to see which one it is" \
    'begin the handshake: creel-rm may be stopped, wait for a disk, or fail to start its gateways \(on its host: .*ps -o stat= -C creel-rm; journalctl -u creel-rm -p err\), or another program' \
    "$(creel node list --timeout 3s 2>&1)"
: >"$T/stream"
kill -CONT "$rm"
becomes "an open page gets an event when the resource manager goes on" 10 has_event
becomes "the page is up to date again" 20 changed_page_lacks 'not up to date'
well "when it goes on"
check "the job still runs" state_is "$id" RUNNING

# --- killed
: >"$T/stream"
kill_nine "$rm"
becomes "an open page gets an event when the resource manager is killed" 10 has_event
ill "killed"
kill "$stream"
creel dev up --dir "$T/dev" >"$T/up2.log" 2>&1
well "after its restart"

# --- its key is revoked
mv "$T/dev/keys/users/creel-web" "$T/web-key"
becomes "the log of creel-web says that its key is refused" 60 \
    grep -qE 'the cluster cannot be read: .*creel-rm refused our key' "$T/dev/web/log"
mv "$T/web-key" "$T/dev/keys/users/creel-web"
becomes "the cluster can be read again" 60 metric_is creel_rm_active 1

# --- its gateways fail to start
rm=$(pid_of rm)
prlimit --pid "$rm" --nofile=500:500
for gateway in $(pgrep -P "$rm" -x creel-gateway); do kill -9 "$gateway"; done
gateway_starts_fail() { grep -q 'needs a limit of 1024 descriptors' "$T/dev/rm/log"; }
becomes "the log has the reason why the gateways fail" 20 gateway_starts_fail
like "a command names this cause, and how to see the reason" 'fail to start its gateways \(on its host: .*journalctl -u creel-rm -p err' \
    "$(creel node list --timeout 3s 2>&1)"
finish
