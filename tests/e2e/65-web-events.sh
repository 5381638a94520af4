#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages of events and of usage, of a real cluster: each event has its object, its time and who caused it, and
# the page has the same events as creel events.
. "$(dirname "$0")/lib.sh"
mkdir "$T/base"
cat >"$T/base/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.root.acl_administer_queue</name><value>root</value></property>
</configuration>
X
site() {
    cat >"$T/base/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.scheduler.configuration.store.class</name><value>memory</value></property>
  <property><name>yarn.acl.enable</name><value>$1</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
</configuration>
X
}
site false
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

# of_page QUERY, of_command ARGUMENT...: an event for each line, in order of time: time, name, object, user, queue, text.
of_page() {
    curl -sS -m 20 "$url/events?format=csv&since=1h&${1-}" | python3 -c '
import csv, sys
for row in reversed(list(csv.DictReader(sys.stdin))):
    text = row["text"]
    if row["exit_status"]:
        text = "exit status " + row["exit_status"] + (": " + text if text else "")
    elif row["by"] and row["event"] != "SUBMITTED":
        text = "by " + row["by"] + (": " + text if text else "")
    elif not text and row["object"] != row["node"]:
        text = row["node"]
    print(row["time"], row["event"], row["object"], row["user"], row["queue"], text)' | sort
}
of_command() {
    creel "$@" --since 1h --json | jq -r '.items[] | [(.timeAt | sub("[.][0-9]+Z"; "Z")), .event, .id, .user // "", .queue // "", .text // ""] | join(" ")' | sort
}

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

# --- the same as creel events
exits "a refresh of the queues succeeds" 0 creel admin refresh queues
becomes "the page of events has the refresh" 20 has "events?kind=queue" "\|REFRESHED\|root\|\|root\|"
like "creel events has the events of queues" 'CONFIGURED .*DRAINING .*STOPPED .*REFRESHED' "$(creel events -q root --json | jq -r '[.items[].event] | join(" ")')"
is "the page of events has the events of creel events" "$(of_command events)" "$(of_page)"
is "with an application, too" "$(of_command events --app "$id")" "$(of_page "app=$id")"
is "with a node, too" "$(of_command events --node "$node")" "$(of_page "node=$node")"
is "with a queue, too" "$(of_command events -q root.default)" "$(of_page "queue=root.default")"
site true
kill_nine "$(pid_of rm)"
check "the resource manager starts with yarn.acl.enable" creel dev up --dir "$T/dev" -n 1
# (the node may register again at any time)
web_is_the_same() { [ "$(of_page user.name=root)" = "$(of_command events)" ]; }
becomes "the page of events has the restored events of creel events" 30 web_is_the_same
like "among them is the change of the queue" "CONFIGURED root.default .*by root: maximum-applications=500" "$(of_page user.name=root)"
like "and the stop of the queue" "STOPPED root.default .*by root" "$(of_page user.name=root)"
creel keygen user nobody >/dev/null 2>&1
is "for a user who may not see the application, it has what creel events has" "$(of_command --as nobody events --app "$id")" "$(of_page "user.name=nobody&app=$id")"
unlike "this is neither the reason of the kill nor a container" 'needed|container_' "$(of_page "user.name=nobody&app=$id")"
like "its owner sees both" 'KILLED .*not <needed>' "$(of_page "user.name=root&app=$id")"

# --- usage
becomes "the page of usage has the usage of each user" 30 has "history/usage?by=user" "^root\|2\|1\|0\|1\|"
check "the page of usage has the usage of each queue" has "history/usage?by=queue" "^root.default\|2\|1\|0\|1\|"
check "the page of usage has the usage of each hour" has "history/usage?since=1d" "^20[0-9-]* [0-9]*:00\|"
check "the page of usage has charts" grep -q '<figure class="chart">' <(curl -sS -m 20 "$url/history/usage?since=1d")
check "the page of usage counts killed jobs only when the URL filters by state" has "history/usage?by=user&state=KILLED" "^root\|1\|0\|0\|1\|"
finish
