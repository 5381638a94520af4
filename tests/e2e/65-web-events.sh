#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages of events and of usage, of a real cluster: each event has its object, its time and who caused it.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.configuration.store.class</name><value>memory</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"
port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
url=http://127.0.0.1:$port/cluster
node=$(value .nodeId node list)
# rows QUERY: each row of the table of a page as one line, "TIME ago|EVENT|OBJECT|USER|BY|QUEUE|MORE".
rows() {
    curl -sS -m 20 "$url/$1" | tr -d '\n' | sed -e 's|.*<tbody>||' -e 's|</tbody>.*||' -e 's|</tr>|\n|g' -e 's|</td>|\||g' |
        sed -e 's/<[^>]*>//g' -e '/^$/d'
}
has() { rows "$1" | grep -qE -- "$2"; }

check "the page of events has the registration of the node" has events "s ago\|REGISTERED\|[^|]*\|\|\|\|version "
exits "a job succeeds" 0 creel run -n 'first <b>' -- true
id=$(creel submit --id --hold -n later -- sh -c 'echo one; exec sleep $0' "$(unlike_others)")
becomes "the page of events has the hold of a job and the user who set it" 20 has "events?app=$id" "\|HELD\|$id\|root\|root\|root.default\|"
creel release "$id" >"$T/release"
becomes "the page of events has the start of a container of the released job" 30 has "events?app=$id&kind=container" "\|STARTED\|container_[^|]*\|root\|\|root.default\|on "
becomes "the page of events has the release of the job" 20 has "events?app=$id" "\|RELEASED\|"
check "the page of events shows a job name with HTML as text" has "events?kind=app" "\|SUBMITTED\|[^|]*\|root\|root\|root.default\|first &lt;b&gt;"
check "the page of events has the end of a job with its exit status" has "events?kind=app" "\|FINISHED\|[^|]*\|root\|\|root.default\|exit 0"
exits "creel node drain accepts the node" 0 creel node drain "$node" --reason 'new <disk>'
becomes "the page of events has the user who drained a node, and the reason" 20 has "events?node=$node" "\|DRAINING\|[^|]*\|\|root\|\|new &lt;disk&gt;"
check "the events of a node have its containers" has "events?node=$node" "\|STARTED\|container_"
unlike "the events of a node have no applications" SUBMITTED "$(rows "events?node=$node")"
exits "creel conf set changes a queue" 0 creel conf set root.default.maximum-applications=500
becomes "the page of events has the user who changed a queue" 20 has "events?kind=queue" "\|CONFIGURED\|root.default\|\|root\|\|maximum-applications=500"
check "the events of a queue have its changes" has "events?queue=root.default&kind=queue" "CONFIGURED"
exits "creel queue stop stops a queue" 0 creel queue stop root.default
becomes "the page of events has the stop of the queue" 20 has "events?kind=queue" "\|(STOPPED|DRAINING)\|root.default\|"
is "the page of events is sorted by event when the URL requests that" "$(rows 'events?sort=event' | cut -d'|' -f2)" "$(rows 'events?sort=event' | cut -d'|' -f2 | LC_ALL=C sort)"
is "the page of events has two rows when the URL requests two" 2 "$(rows 'events?n=2' | wc -l)"
exits "creel kill accepts a reason" 0 creel kill "$id" --reason 'not <needed>'
becomes "the event of the killed job has the user who killed it and the reason" 30 has "events?app=$id" "\|KILLED\|$id\|root\|\|root.default\|.*killed by root: not &lt;needed&gt;"

# --- usage
becomes "the page of usage has the usage of each user" 30 has "history/usage?by=user" "^root\|2\|1\|0\|1\|"
check "the page of usage has the usage of each queue" has "history/usage?by=queue" "^root.default\|2\|1\|0\|1\|"
check "the page of usage has the usage of each hour" has "history/usage?since=1d" "^20[0-9-]* [0-9]*:00\|"
check "the page of usage has charts" grep -q '<figure class="chart">' <(curl -sS -m 20 "$url/history/usage?since=1d")
check "the page of usage counts killed jobs only when the URL filters by state" has "history/usage?by=user&state=KILLED" "^root\|1\|0\|0\|1\|"
finish
