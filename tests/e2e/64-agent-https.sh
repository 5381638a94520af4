#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The REST interface of agents over TLS (yarn.http.policy), and the links of the resource manager to it.
. "$(dirname "$0")/lib.sh"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout "$T/web.key" \
    -out "$T/web.pem" 2>/dev/null
chmod 644 "$T/web.key" # creel-web of the local cluster reads it, too
mkdir "$T/base"
conf() {
    cat >"$T/base/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.http.policy</name><value>HTTPS_ONLY</value></property>
  <property><name>creel.http.tls-certificate</name><value>$T/web.pem</value></property>
  <property><name>creel.http.tls-key</name><value>$1</value></property>
</configuration>
X
}
conf "$T/web.key"
cluster_up -n 1 --conf "$T/base"
port() { creel dev status --dir "$T/dev" --json | jq ".items[] | select(.role == \"$1\").ports.$2"; }
page() { curl -sS -m 20 --cacert "$T/web.pem" "$@"; }
node=https://127.0.0.1:$(port agent http)
rm=https://127.0.0.1:$(port web web)
is "the agent answers over TLS" "127.0.0.1" "$(page "$node/ws/v1/node" | jq -r .nodeInfo.nodeHostName)"
like "the metrics of the agent have the end of its certificate" '^creel_agent_certificate_expiry_timestamp_seconds [1-9]' "$(page "$node/metrics")"
node_id=$(value .nodeId node list)
certificate_is_checked() { creel cluster health -o wide | grep -qE "^certificates +warning +TLS certificates have to be replaced: .*$node_id expires on 2.*Z"; }
becomes "creel cluster health warns of the certificate of the agent" 20 certificate_is_checked
like "creel cluster info warns of it, too" "Warning.*$node_id expires on 2" "$(creel cluster info)"
web_is_checked() { creel cluster health -o wide | grep -qE "^certificates +warning +TLS certificates have to be replaced: .*creel-web at [^ ]+ expires on 2.*Z"; }
becomes "it warns of that of creel-web, which nobody has asked for a page yet" 20 web_is_checked
warned() { page "$rm/cluster" | grep -q "certificates: TLS certificates have to be replaced: "; }
becomes "the overview warns of it" 20 warned
like "the log of the agent warns of it" 'the certificate of creel.http.tls-certificate expires at 2[^ ]*Z: replace it, and restart creel-nm' \
    "$(cat "$T"/dev/agent-*/log)"
is "the agent does not answer without TLS" 000 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' "http${node#https}/ws/v1/node")"
is "the agent does not answer with TLS 1.1" 000 "$(page -s --tls-max 1.1 -o /dev/null -w '%{http_code}' "$node/ws/v1/node" 2>/dev/null)"
like "creel node show prints the https address of the agent" "$node/ws/v1/node" "$(creel node show "$(value .nodeId node list)")"
agent=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "agent").pid')
server=$(pgrep -P "$agent" -x creel-nm-web)
filter=2
grep -qE '__asan_init|__tsan_init' "$BUILD/creel-nm-web" && filter=0
is "creel-nm-web has no capabilities, and a filter of system calls" "0000000000000000 $filter" \
    "$(awk '/^CapEff:|^Seccomp:/ { print $2 }' "/proc/$server/status" | paste -sd ' ')"
kill -9 "$server"
another() { server_2=$(pgrep -P "$agent" -x creel-nm-web) && [ "$server_2" != "$server" ]; }
becomes "the agent starts another creel-nm-web when one has ended" 20 another
is "the restarted creel-nm-web answers over TLS" 200 "$(page -o /dev/null -w '%{http_code}' "$node/ws/v1/node")"

# --- links of the resource manager
id=$(creel submit --id -- sh -c 'echo one two; exec sleep $0' "$(unlike_others)")
becomes "a job runs" 30 state_is "$id" RUNNING
link() { page "$rm/ws/v1/cluster/apps/$id" | jq -r .app.amContainerLogs; }
linked() { case $(link) in "$node"/node/containerlogs/*) true ;; *) false ;; esac; }
becomes "the REST interface of the resource manager links the logs of the job by https" 20 linked
listed() { page "$(link)" | grep -q 'stdout : Total file length is 8 bytes'; }
becomes "the page of that link lists the logs" 20 listed
like "the page of a log shows the log" '>one two' "$(page "$(link)/stdout/?start=-4096")"
is "the service discovery for Prometheus has the scheme https" https "$(page "$rm/prometheus/sd" | jq -r '.[0].labels.__scheme__')"
like "yarn container -status has the link over TLS" "LOG-URL : $node/node/containerlogs/" \
    "$(creel-yarn container -status "$(value .id container list --app "$id")")"
page -N -m 120 "$rm/cluster/changes?topics=app:$id" >>"$T/stream" &
stream=$!
has_event() { grep -qx "data: app" "$T/stream"; }
becomes "a stream of events over TLS begins with what has changed" 20 has_event
: >"$T/stream"
is "creel-web serves pages beside the stream" 200 "$(page -o /dev/null -w '%{http_code}' "$rm/cluster")"
exits "creel kill accepts the job" 0 creel kill "$id"
becomes "the stream has the event of the change" 20 has_event
kill "$stream"

# --- a key that is removed while the services run is noticed before their next start
check_is() { creel cluster health --json | jq -r '.items[] | select(.check == "'"$1"'") | .result + ": " + .text' | grep -qE "$2"; }
mv "$T/web.key" "$T/moved.key"
becomes "the check certificates names the file that creel-web lacks" 60 check_is certificates \
    "^failed: .*creel-web at [^ ]+: the next start of creel-web will fail: creel.http.tls-key: $T/web.key: No such file"
becomes "the check node-reports names the file that the agent lacks" 60 check_is node-reports "^warning: .*creel.http.tls-key: $T/web.key: No such file"
mv "$T/moved.key" "$T/web.key"
becomes "the check certificates ends when the file is back" 60 check_is certificates '^warning: .* expires on '
becomes "the check node-reports is ok when the file is back" 60 check_is node-reports '^ok: '

# --- a key that is missing: the agent works without its interface until the file is there
mv "$T/web.key" "$T/moved.key"
kill "$agent"
gone() { ! kill -0 "$agent" 2>/dev/null; }
becomes "the agent ends on SIGTERM" 30 gone
cluster_up -n 1 --conf "$T/base"
becomes "an agent whose TLS key is missing logs the configuration key and the file" 20 grep -rq "creel.http.tls-key: $T/web.key cannot be read" "$T/dev/agent-1"
becomes "an agent whose TLS key is missing is RUNNING" 30 eval '[ "$(creel node list --json | jq -r ".items[0].state")" = RUNNING ]'
mv "$T/moved.key" "$T/web.key"
serves() { [ "$(page -o /dev/null -w '%{http_code}' "$node/ws/v1/node" 2>/dev/null)" = 200 ]; }
becomes "the agent answers over TLS when the file exists again" 30 serves

# --- a certificate that is not valid yet
creel dev down --dir "$T/dev" >/dev/null
openssl req -new -key "$T/web.key" -subj /CN=localhost -out "$T/request" 2>/dev/null
mkdir "$T/ca" && touch "$T/ca/index" && echo 01 >"$T/ca/serial"
printf '%s\n' '[ca]' 'default_ca = site' '[site]' "database = $T/ca/index" "serial = $T/ca/serial" "new_certs_dir = $T/ca" \
    'default_md = sha256' 'policy = names' '[names]' 'commonName = supplied' >"$T/ca/conf"
openssl ca -batch -notext -selfsign -config "$T/ca/conf" -keyfile "$T/web.key" -in "$T/request" -out "$T/web.pem" \
    -startdate 20900101000000Z -enddate 20910101000000Z 2>/dev/null
cluster_up -n 1 --conf "$T/base"
becomes "the check certificates names one of creel-web that is not valid yet" 60 check_is certificates \
    '^failed: .*creel-web at [^ ]+: the certificate is not valid before 2090-01-01'
becomes "the check node-reports names one of an agent that is not valid yet" 60 check_is node-reports \
    '^warning: .*the certificate of the REST interface is not valid before 2090-01-01'

# --- a creel-web that is stopped is not expected any more
is_quiet() { ! kill -0 "$web" 2>/dev/null; }
becomes "the check web knows creel-web" 60 check_is web '^ok: creel-web reports to the resource manager'
web=$(pgrep -f "^[^ ]*creel-web --conf $T/dev")
kill "$web"
becomes "creel-web ends on SIGTERM" 20 is_quiet
becomes "the check web does not expect a creel-web that was stopped" 20 check_is web '^ok: no creel-web is known'
finish
