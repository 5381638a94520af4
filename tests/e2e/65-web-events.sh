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

check "the registration of the node" has events "s ago\|REGISTERED\|[^|]*\|\|\|\|version "
exits "a job" 0 creel run -n 'first <b>' -- true
id=$(creel submit --id --hold -n later -- sh -c 'echo one; exec sleep $0' "$(unlike_others)")
becomes "the hold of a job, and who set it" 20 has "events?app=$id" "\|HELD\|$id\|root\|root\|root.default\|"
creel release "$id" >"$T/release"
becomes "its container" 30 has "events?app=$id&kind=container" "\|STARTED\|container_[^|]*\|root\|\|root.default\|on "
becomes "the page noticed its release" 20 has "events?app=$id" "\|RELEASED\|"
check "an event has the text as text" has "events?kind=app" "\|SUBMITTED\|[^|]*\|root\|root\|root.default\|first &lt;b&gt;"
check "a job that has ended" has "events?kind=app" "\|FINISHED\|[^|]*\|root\|\|root.default\|exit 0"
exits "the node is drained" 0 creel node drain "$node" --reason 'new <disk>'
becomes "by whom, and why" 20 has "events?node=$node" "\|DRAINING\|[^|]*\|\|root\|\|new &lt;disk&gt;"
check "its events have its containers" has "events?node=$node" "\|STARTED\|container_"
check "and no applications" sh -c '! "$@"' _ grep -q SUBMITTED <(rows "events?node=$node")
exits "a queue is changed" 0 creel conf set root.default.maximum-applications=500
becomes "by whom" 20 has "events?kind=queue" "\|CONFIGURED\|root.default\|\|root\|\|maximum-applications=500"
check "it is an event of this queue" has "events?queue=root.default&kind=queue" "CONFIGURED"
exits "a queue is stopped" 0 creel queue stop root.default
becomes "which the page notices" 20 has "events?kind=queue" "\|(STOPPED|DRAINING)\|root.default\|"
is "sorted by event" "$(rows 'events?sort=event' | cut -d'|' -f2)" "$(rows 'events?sort=event' | cut -d'|' -f2 | LC_ALL=C sort)"
is "in pages of two" 2 "$(rows 'events?n=2' | wc -l)"
exits "the job is killed" 0 creel kill "$id" --reason 'not <needed>'
becomes "who killed it is in the text" 30 has "events?app=$id" "\|KILLED\|$id\|root\|\|root.default\|.*killed by root: not &lt;needed&gt;"

# --- usage
becomes "the usage of users" 30 has "history/usage?by=user" "^root\|2\|1\|0\|1\|"
check "that of queues" has "history/usage?by=queue" "^root.default\|2\|1\|0\|1\|"
check "that of hours" has "history/usage?since=1d" "^20[0-9-]* [0-9]*:00\|"
check "with charts" grep -q '<figure class="chart">' <(curl -sS -m 20 "$url/history/usage?since=1d")
check "a filter" has "history/usage?by=user&state=KILLED" "^root\|1\|0\|0\|1\|"
finish
