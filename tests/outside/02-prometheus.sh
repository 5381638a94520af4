#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prometheus scrapes a cluster as docs/guide/rest.md describes, and finds what the rules and the dashboard of contrib/
# name; promtool and the parser of prometheus-client judge /metrics. The alerts fire on a cluster that is broken, and no longer
# when it is mended. PROGRAMS is the folder that fetch filled.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
: "${PROGRAMS:?PROGRAMS must name the folder that tests/outside/fetch filled}"
top=$(cd "$here/../.." && pwd)
promtool=$PROGRAMS/prometheus/usr/bin/promtool
rules=$top/contrib/prometheus
dashboards=$top/contrib/grafana
prometheus=
trap '[ -z "$prometheus" ] || kill "$prometheus" 2>/dev/null; cleanup' EXIT

# judge_rules RULES TESTS: checks the rules, and runs their tests.
judge_rules() {
    check "promtool accepts $1" "$promtool" check rules "$rules/$1"
    cp "$rules/$1" "$here/$2" "$T/"
    awk '/^ *annotations:$/ { skip = 1; next } skip && /^          / { next } { skip = 0; print }' "$rules/$1" >"$T/without-annotations.yml"
    check "promtool test rules passes for $1" sh -c "cd '$T' && '$promtool' test rules '$2'"
    is "each alert of $1 has a test" "" "$(comm -23 <(sed -n 's/.*- alert: //p' "$rules/$1" | sort -u) <(sed -n 's/.*alertname: \([A-Za-z]*\).*/\1/p' "$here/$2" | sort -u))"
}
judge_rules creel.rules.yml rules-test.yml
judge_rules creel-agents.rules.yml rules-test-agents.yml

mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'Y'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
</configuration>
Y
cluster_up -n 2 --conf "$T/base"
port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
agent=$(creel dev status --dir "$T/dev" --json | jq '[.items[] | select(.role == "agent").ports.http][0]')
# Two nodes of 1 GiB: two jobs run, and the third waits.
for _ in 1 2 3; do creel submit --id -m 700M -- sleep "$(unlike_others)"; done >"$T/jobs"
two_run() { count_is 2 app list --state RUNNING; }
becomes "two jobs run, and a third waits" 30 two_run

# --- what /metrics has
scrape() { curl -sS -m 20 -H "Accept: $2" "http://127.0.0.1:$1/metrics"; }
for it in "creel-web $port" "an agent $agent"; do
    scrape "${it##* }" text/plain >"$T/metrics"
    check "promtool accepts the metrics of ${it% *}" sh -c "'$promtool' check metrics <'$T/metrics'"
    scrape "${it##* }" application/openmetrics-text >"$T/open"
    check "prometheus-client parses the metrics of ${it% *} as OpenMetrics" "$PROGRAMS/python/bin/python" -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
assert len(list(parse(sys.stdin.read()))) > 5' <"$T/open"
done

# --- the configuration of the guide, with this address and a shorter interval
listen=127.0.0.1:$((port + 1000))
awk '/^    scrape_configs:/ { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' "$top/docs/guide/rest.md" |
    sed "s/rm\.example\.org:8088/127.0.0.1:$port/" >"$T/scrape.yml"
# The rules are those of contrib/, but an alert fires after two seconds in place of its `for`, and figures are old after eight
# seconds in place of 120.
mkdir "$T/short"
for it in "$rules"/*.yml; do
    sed 's/^\( *for: \).*/\12s/; s/\(creel_rm_time_seconds > \)120$/\18/' "$it" >"$T/short/${it##*/}"
done
is "the age of figures is shortened in the copy of the rules" 1 "$(grep -c 'creel_rm_time_seconds > 8$' "$T/short/creel.rules.yml")"
{ printf 'global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: ["short/*.yml"]\n'; cat "$T/scrape.yml"; } >"$T/prometheus.yml"
check "promtool accepts the configuration of the guide" "$promtool" check config "$T/prometheus.yml"
like "the configuration of the guide discovers the agents" "127.0.0.1:$agent" "$("$promtool" check service-discovery "$T/prometheus.yml" creel-agents 2>&1)"
"$PROGRAMS/prometheus/usr/bin/prometheus" --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
    --web.listen-address="$listen" --log.level=warn >"$T/prometheus.log" 2>&1 & prometheus=$!
api() { curl -sS -m 20 -G "http://$listen/api/v1/$1" "${@:2}"; }
# results EXPRESSION: prints how many series it has now, or the error.
results() { api query --data-urlencode "query=$1" | jq -r 'if .status == "success" then .data.result | length else .error end'; }
results_are() { [ "$(results "$2")" = "$1" ]; }
some_of() { [ "$(results "$1")" -gt 0 ]; }
becomes "Prometheus scrapes creel-web and both agents" 60 results_are 3 'up == 1'
is "Prometheus has three targets" 3 "$(api targets | jq '.data.activeTargets | length')"
is "each discovered agent has the label of its rack" 2 "$(results 'up{job="creel-agents",rack="/default-rack"}')"

# --- what contrib/ names
# Only control groups of version 2 have pressure.
absent='^$'
scrape "$agent" text/plain | grep -q '^creel_agent_pressure_ratio' || absent=creel_agent_pressure_ratio
while IFS= read -r expression; do
    becomes "a dashboard has a graph of $expression" 30 some_of "$expression"
done < <(jq -r '.. | .expr? // empty' "$dashboards"/*.json | sed 's/\$queue/.*/g; s/\$instance/.*/g' | grep -v "$absent")
queues() { api label/queue/values --data-urlencode 'match[]=creel_queue_used_ratio' | jq -r '.data | join(" ")'; }
like "the variable of the dashboard has the queues" 'root.default' "$(queues)"
# Certificates are those of TLS, which this cluster does not use, nor MUNGE.
while IFS= read -r name; do
    becomes "an alert finds $name" 30 some_of "$name"
done < <(sed -n 's/^ *expr: //p' "$rules"/*.yml | grep -oE '\bcreel_[a-z_]+' | grep -vE '_certificate_|_munge_' | sort -u)
rules_of() { api rules | jq -r "[.data.groups[].rules[] | select(.health == \"$1\")] | length"; }
all_ok() { [ "$(rules_of ok)" = "$(cat "$rules"/*.yml | grep -c 'alert:')" ]; }
becomes "Prometheus evaluates each alert without an error" 30 all_ok
is "no alert fires on a cluster that works" "" "$(api alerts | jq -r '.data.alerts[] | select(.state == "firing").labels.alertname')"
is "Prometheus has the number of running applications" 2 "$(api query --data-urlencode 'query=creel_apps{state="running"}' | jq -r '.data.result[0].value[1]')"

# --- alerts on the broken cluster, and on the mended one
firing() { api alerts | jq -r '.data.alerts[] | select(.state == "firing").labels.alertname' | sort -u; }
fires() { firing | grep -qx "$1"; }
rests() { ! fires "$1"; }
rm=$(pid_of rm)
stopped=$(pid_of agent 0)
head=$T/dev/rm/state/head
kill -STOP "$stopped"
mv "$head" "$T/head" && mkfifo "$head"
becomes "CreelStateNotWritten fires when a file of the state is replaced by a FIFO" 40 fires CreelStateNotWritten
becomes "CreelNodesSilent fires when an agent is stopped" 40 fires CreelNodesSilent
becomes "CreelAgentDown fires, too" 20 fires CreelAgentDown
check "CreelResourceManagerDown does not" rests CreelResourceManagerDown
kill -CONT "$stopped"
mv "$head" "$T/fifo" && mv "$T/head" "$head"
becomes "CreelNodesSilent ends when the agent continues" 40 rests CreelNodesSilent
becomes "CreelAgentDown ends, too" 20 rests CreelAgentDown
becomes "CreelStateNotWritten ends when the file is back" 40 rests CreelStateNotWritten
kill -STOP "$rm"
becomes "CreelResourceManagerDown fires when the resource manager is stopped" 30 fires CreelResourceManagerDown
becomes "CreelFiguresOld fires, too" 30 fires CreelFiguresOld
check "CreelWebDown does not" rests CreelWebDown
kill -CONT "$rm"
becomes "CreelResourceManagerDown ends when the resource manager continues" 30 rests CreelResourceManagerDown
becomes "CreelFiguresOld ends, too" 30 rests CreelFiguresOld
# CreelStateErrors looks back for ten minutes.
nothing_fires() { [ -z "$(firing | grep -vx CreelStateErrors)" ]; }
becomes "no other alert fires on the mended cluster" 40 nothing_fires

# --- an agent that is gone
kill_nine "$(pid_of agent 1)"
becomes "Prometheus reports a target that does not answer as down" 30 results_are 1 'up == 0'
check "Prometheus logs no warning" test ! -s "$T/prometheus.log"
kill "$prometheus"
ends "Prometheus exits with 0 on SIGTERM" 0 "$prometheus" "$T/prometheus.log"
prometheus=
xargs creel kill <"$T/jobs" >"$T/kill.log" 2>&1
finish
