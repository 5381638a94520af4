#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# /metrics of creel-web has each metric of docs/guide/rest.md, and the counters follow what happens.
. "$(dirname "$0")/lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'X'
<configuration>
  <property><name>creel.http.auth</name><value>token</value></property>
  <property><name>creel.metrics.users</name><value>true</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/base"

port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
url=http://127.0.0.1:$port
# of SERIES: prints its value; nothing if there is no such series.
of() { curl -sS -m 20 "$url/metrics" | awk -v name="$1" '{ value = $NF; sub(/ [^ ]*$/, "") } $0 == name { print value }'; }
# more_than NUMBER SERIES: whether its value is higher.
more_than() { awk -v now="$(of "$2")" -v before="$1" 'BEGIN { exit !(now != "" && now + 0 > before + 0) }'; }

# --- each metric is there
# Of the fair scheduler alone: creel_queue_fair_share_bytes; with TLS alone: the end of the certificate; with MUNGE
# alone: creel_munge_up.
names() { awk -F'|' '/^\| metric \| labels/ { on = 1 } on && !/^\|/ { exit } on { print $2 }' "$top/docs/guide/rest.md" |
    grep -oE '\b(creel|process)_[a-z_]+' | grep -vE 'fair_share|certificate_expiry|munge_up'; }
have_all() {
    curl -sS -m 20 "$url/metrics" | sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' | sort >"$T/there"
    missing=$(names | sort | comm -23 - "$T/there")
    [ -z "$missing" ]
}
check "the guide lists the metrics" test "$(names | wc -l)" -gt 45
becomes "each metric of the guide is there" 20 have_all
is "none is missing" "" "$missing"
is "the guide has each metric" "" "$(names | sort | comm -13 - "$T/there" | grep -v fair_share)"

# --- each pool is there
# pools: prints the pools of the resource manager that tools/check-style lists.
pools() { sed -n "/^pools='/,/'$/p" "$top/tools/check-style" | sed "s/^pools='//" | awk '$1 ~ /^rm\// { print $2 }' | tr -d "'"; }
check "tools/check-style lists pools" test "$(pools | wc -l)" -ge 8
is "each pool has its use, its limit, and what was refused" "" \
    "$(pools | while read -r pool; do
        for sample in "creel_pool_used{pool=\"$pool\"}" "creel_pool_limit{pool=\"$pool\"}" \
            "creel_pool_refused_total{pool=\"$pool\",reason=\"full\"}" "creel_pool_refused_total{pool=\"$pool\",reason=\"owner\"}"; do
            [ -n "$(of "$sample")" ] || echo "$sample"
        done
    done)"

# --- a job
queue=root.default
ended=$(of "creel_app_run_seconds_count{queue=\"$queue\"}")
placed=$(of creel_sched_allocations_total)
written=$(of 'creel_state_write_seconds_count{backend="sqlite"}')
finished=$(of 'creel_apps_total{result="finished"}')
job=$(creel submit --id -m 256M -- sleep "$(unlike_others)")
becomes "a job runs" 30 state_is "$job" RUNNING
becomes "its user has its memory" 20 more_than 268435455 "creel_user_memory_bytes{queue=\"$queue\",user=\"root\"}"
becomes "its wait is counted" 20 more_than 0 "creel_app_wait_seconds_count{queue=\"$queue\"}"
creel kill "$job" >"$T/kill.log" 2>&1
exits "another job ends" 0 creel run -n short -- true
becomes "the duration of both jobs is counted" 20 more_than "$((${ended:-0} + 1))" "creel_app_run_seconds_count{queue=\"$queue\"}"
becomes "one has finished" 20 more_than "$finished" 'creel_apps_total{result="finished"}'
check "the scheduler has placed containers" more_than "$((placed + 1))" creel_sched_allocations_total
check "transactions were written" more_than "$written" 'creel_state_write_seconds_count{backend="sqlite"}'
check "an event of the scheduler was measured" more_than 0 creel_sched_tick_seconds_count
check "the state has a size" more_than 0 creel_state_size_bytes
check "heartbeats were measured" more_than 0 creel_heartbeat_delay_seconds_count
check "creel-rm has memory" more_than 1000000 process_resident_memory_bytes
check "and open files" more_than 3 process_open_fds
check "and so has creel-web" more_than 3 creel_web_open_fds
becomes "a user without containers has no series" 20 sh -c "! curl -sS -m 20 '$url/metrics' | grep -q '^creel_user_memory_bytes{'"

# --- failed sign-ins
refused=$(of 'creel_auth_failures_total{service="creel-web"}')
is "a request with a wrong token is 401" 401 \
    "$(curl -sS -m 20 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer creel-$(printf '0%.0s' {1..64})" "$url/ws/v1/cluster/info")"
becomes "it is counted" 20 more_than "$refused" 'creel_auth_failures_total{service="creel-web"}'
refused=$(of 'creel_auth_failures_total{service="creel-rm"}')
mkdir "$T/stranger"
cp -r "$T/dev/conf" "$T/dev/keys" "$T/stranger/"
rm -f "$T"/stranger/keys/users/*
sed -i "s|$T/dev/keys|$T/stranger/keys|" "$T/stranger/conf/creel-site.xml"
creel --conf "$T/stranger/conf" keygen user root >"$T/keygen.log" 2>&1
exits "a key that the resource manager does not know is refused" 4 creel --conf "$T/stranger/conf" --timeout 5 ps
becomes "it is counted" 20 more_than "$refused" 'creel_auth_failures_total{service="creel-rm"}'

# --- requests
is "the path of a request is its route" "" "$(curl -sS -m 20 "$url/metrics" | grep '^creel_http' | grep -E 'path="[^"]*(application_|container_)')"
curl -sS -m 20 -o /dev/null "$url/ws/v1/cluster/apps/$job"
curl -sS -m 20 -o /dev/null "$url/no/such/page"
becomes "a request of an application is counted by its route" 20 more_than 0 'creel_http_requests_total{path="/ws/v1/cluster/apps/*",code="200"}'
check "a request without a route is counted" more_than 0 'creel_http_requests_total{path="other",code="404"}'

# --- refreshes
last=creel_config_last_reload_success_timestamp_seconds
before=$(of 'creel_config_reload_total{part="queues",result="success"}')
time=$(of "$last{part=\"queues\"}")
exits "a refresh of the queues" 0 creel admin refresh queues
becomes "it is counted" 20 more_than "$before" 'creel_config_reload_total{part="queues",result="success"}'
check "its time is there" more_than "$time" "$last{part=\"queues\"}"
time=$(of "$last{part=\"queues\"}")
echo '<configuration' >"$T/dev/conf/capacity-scheduler.xml"
exits "a refresh of a file with an error is refused" 7 creel admin refresh queues
becomes "that is counted, too" 20 more_than 0 'creel_config_reload_total{part="queues",result="failure"}'
is "the time of the last success stays" "$time" "$(of "$last{part=\"queues\"}")"
mv "$T/dev/conf/capacity-scheduler.xml" "$T/damaged.xml"
before=$(of 'creel_config_reload_total{part="groups",result="success"}')
exits "a refresh of another part" 0 creel admin refresh groups
becomes "it is counted by its part" 20 more_than "$before" 'creel_config_reload_total{part="groups",result="success"}'
is "it does not hide the refusal" "0 1" \
    "$(of 'creel_config_last_reload_successful{part="queues"}') $(of 'creel_config_last_reload_successful{part="groups"}')"

# --- OpenMetrics
like "histograms have buckets, sum and count in OpenMetrics" 'creel_app_run_seconds_bucket\{queue="root.default",le="\+Inf"\} 2' \
    "$(curl -sS -m 20 -H 'Accept: application/openmetrics-text' "$url/metrics")"
# PROMTOOL: a program promtool, if there is one (tests/outside/fetch).
[ -z "${PROMTOOL:-}" ] || check "promtool accepts the metrics" sh -c "curl -sS -m 20 '$url/metrics' | '$PROMTOOL' check metrics"
finish
