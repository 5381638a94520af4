#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files capacity-scheduler.xml for different versions of YARN: the resource manager starts with the intended
# queues, or reports the error with its place and does not start.
. "$(dirname "$0")/lib.sh"
rm_pid=
trap '[ -z "$rm_pid" ] || kill -9 "$rm_pid"; cleanup' EXIT
check "creel keygen cluster makes the keys" creel keygen cluster "$T/keys"

property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }
q() { property "yarn.scheduler.capacity.$1" "$2"; }
# conf NAME [KEY VALUE]...: makes a configuration directory, with the queues from standard input.
conf() {
    dir=$T/$1
    shift
    mkdir "$dir"
    cat >"$dir/capacity-scheduler.xml"
    {
        echo '<configuration>'
        property yarn.resourcemanager.scheduler.class org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler
        for part in '' scheduler. resource-tracker. admin.; do property "yarn.resourcemanager.${part}address" 127.0.0.1:0; done
        property creel.security.key-dir "$T/keys"
        property creel.resourcemanager.state-dir "$dir/state"
        while [ $# -gt 0 ]; do property "$1" "$2"; shift 2; done
        echo '</configuration>'
    } >"$dir/yarn-site.xml"
}

# runs NAME SAYS TREE: starts with the directory made last; TREE has lines "path share-of-cluster maximum".
runs() {
    local address
    exits "$1: creel conf check accepts the files" 0 creel conf check "$dir"
    like "$1: creel conf check prints the expected finding" "$2" "$OUTPUT"
    creel-rm --conf "$dir" >"$dir/log" 2>&1 & rm_pid=$!
    if ! wait_until 30 sh -c "[ -s '$dir/state/ports' ] || ! kill -0 $rm_pid" || [ ! -s "$dir/state/ports" ]; then
        fail "$1: creel-rm starts" "$(cat "$dir/log")"
        rm_pid=
        return
    fi
    address=127.0.0.1:$(jq .client "$dir/state/ports")
    is "$1: creel queue list has the expected queues and capacities" "$3" \
        "$(creel --conf "$dir" --rm "$address" queue list --json | jq -r '.items[] | "\(.path) \(.absoluteCapacity * 1e4 | round / 100) \(.absoluteMaxCapacity * 1e4 | round / 100)"')"
    kill "$rm_pid"
    ends "$1: creel-rm exits with 0 on SIGTERM" 0 "$rm_pid" "$dir/log"
    rm_pid=
    is "$1: no sanitizer reports an error" "" "$(grep -E 'runtime error|Sanitizer' "$dir/log")"
}

# stays_down NAME WHERE SAYS: creel-rm does not start, and prints the same error as creel conf check.
stays_down() {
    local checked
    exits "$1: creel conf check refuses the files" 7 creel conf check "$dir"
    checked=$(sed -n '/^creel: warning: /d; s/^creel: //p' <<<"$OUTPUT")
    exits "$1: creel-rm does not start" 7 timeout 30 creel-rm --conf "$dir"
    like "$1: the error names file, line and reason" "$dir/$2: .*$3" "$OUTPUT"
    is "$1: creel conf check and creel-rm print the same error" \
        "$checked" "$(sed -n 's/^creel-rm: //p' <<<"$OUTPUT")"
}

# --- accepted ---
conf padded <<'X'
<?xml version="1.0"?>
<!-- 队列配置：生产与开发 -->
<configuration>
  <property>
    <name>yarn.scheduler.capacity.root.queues
    </name>
    <value> dev, prod </value>
  </property>
  <property>
    <name>  yarn.scheduler.capacity.root.prod.capacity</name>
    <value>
      70
    </value>
    <description>生产</description>
  </property>
  <property><name>yarn.scheduler.capacity.root.dev.capacity	</name><value>	30	</value></property>
  <property>
    <name>yarn.scheduler.capacity.root.dev.maximum-application-lifetime
    </name>
    <value>-1
    </value>
  </property>
  <property><name>yarn.scheduler.capacity.root.dev.maximum-capacity</name><value> 50.5 </value></property>
</configuration>
X
runs "white space around names and values" ': good$' "root 100 100
root.dev 30 50.5
root.prod 70 100"

below='capacity-scheduler.xml:4: .*root\.a\.maximum-capacity: "30": root\.a never gets more than 30 % of the cluster, so its capacity of 40 % is not used above that'
conf maximum-below-capacity < <(echo '<configuration>'; q root.queues a,b; q root.a.capacity 40; q root.a.maximum-capacity 30
    q root.b.capacity 60; echo '</configuration>')
runs "a maximum capacity below the capacity" "warning: .*$below" "root 100 100
root.a 40 30
root.b 60 100"
like "a maximum capacity below the capacity: the log of creel-rm has the warning" "$below" "$(cat "$dir/log")"

conf crlf < <({
    q root.queues a,b; q root.a.capacity 12.5; q root.b.capacity 87.5; q root.b.state RUNNING
    q root.a.acl_submit_applications 'ann,bob etl'; q root.b.acl_administer_queue ' '; q root.acl_submit_applications 'carl '
} | sed '1i <!-- 没有声明的文件 -->\n<configuration>' | sed '$a </configuration>' | sed 's/$/\r/')
runs "no XML declaration, and CRLF line ends" ': good$' "root 100 100
root.a 12.5 100
root.b 87.5 100"

conf converted <<'X'
<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>
<property><name>yarn.scheduler.capacity.root.users.x.capacity</name><value>33.333</value><final>true</final><source>converter</source></property>
<property><name>yarn.scheduler.capacity.root.users.y.capacity</name><value>33.333</value><final>true</final></property>
<property><name>yarn.scheduler.capacity.root.users.z.capacity</name><value>33.334</value><final>true</final></property>
<property><name>yarn.scheduler.capacity.root.users.queues</name><value>x,y,z</value><final>true</final></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>24.996</value><final>true</final></property>
<property><name>yarn.scheduler.capacity.root.users.capacity</name><value>75.000</value><final>true</final></property>
<property><name>yarn.scheduler.capacity.root.users.ordering-policy</name><value>utilization</value></property>
<property><name>yarn.scheduler.capacity.root.users.x.ordering-policy</name><value>fair</value></property>
<property><name>yarn.scheduler.capacity.root.users.x.user-limit-factor</name><value>-1</value></property>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default,users</value></property>
<property><name>yarn.scheduler.capacity.resource-calculator</name><value>org.apache.hadoop.yarn.util.resource.DominantResourceCalculator</value></property>
</configuration>
X
runs "properties in the order of a converter, and capacities with rounding errors" ': good$' "root 100 100
root.default 25 100
root.users 75 100
root.users.x 25 100
root.users.y 25 100
root.users.z 25 100"

conf leftover < <(
    echo '<configuration>'
    q maximum-am-resource-percent 0.1; q root.queues prod; q root.queues prod,dev; q root.prod.capacity 60
    q root.dev.capacity 99; q root.dev.capacity 40
    q root.default.capacity 100; q root.default.state RUNNING; q root.default.user-limit-factor 1
    q root.default.acl_submit_applications '*'; q root.dev.maximum-capactiy 80
    q queue-mappings ' u:ann:dev , g:etl:prod '; q root.prod.disable_preemption true
    echo '</configuration>'
)
runs "duplicate properties, and properties of a removed queue" 'root\.default.*: there is no queue root\.default: this key and 3 more' "root 100 100
root.prod 60 100
root.dev 40 100"

conf weights < <(
    echo '<configuration>'
    q root.queues gold,silver,bronze; q root.gold.capacity 2w; q root.silver.capacity 1w; q root.bronze.capacity 1.0w
    q root.gold.queues left,right; q root.gold.left.capacity 3w; q root.gold.right.capacity 1w
    q root.silver.maximum-capacity 40
    echo '</configuration>'
)
runs "capacities as weights" ': good$' "root 100 100
root.gold 50 100
root.gold.left 37.5 100
root.gold.right 12.5 100
root.silver 25 40
root.bronze 25 100"

conf labels yarn.node-labels.enabled true < <(
    echo '<configuration>'
    q root.queues default,ml; q root.accessible-node-labels '*'; q root.accessible-node-labels.gpu.capacity 100
    q root.default.capacity 80; q root.ml.capacity 20; q root.ml.accessible-node-labels gpu
    q root.ml.accessible-node-labels.gpu.capacity 100; q root.ml.accessible-node-labels.gpu.maximum-capacity 100
    q root.ml.default-node-label-expression gpu; q root.ml.max-parallel-apps 5
    echo '</configuration>'
)
runs "capacities of a node label" ': good$' "root 100 100
root.default 80 100
root.ml 20 100"

# --- refused ---
conf cut < <(printf '<configuration>\n  <property><name>yarn.scheduler.capacity.root.queues</name>\n')
stays_down "a truncated file" 'capacity-scheduler.xml:3:[0-9]+' '.'

conf comment <<'X'
<configuration>
  <!-- a comment -- with dashes in it -->
</configuration>
X
stays_down "a comment with two dashes inside" 'capacity-scheduler.xml:2:[0-9]+' '.'

conf old <<'X'
<configuration>
  <property><name>mapred.capacity-scheduler.queue.default.capacity</name><value>100</value></property>
</configuration>
X
stays_down "keys of Hadoop 1" 'capacity-scheduler.xml:2' 'OLD FORMAT.*expected yarn\.scheduler\.capacity\.root\.queues'

# refused NAME LINE SAYS KEY VALUE...: checks the first line of the error, and one line for each key.
refused() {
    local name=$1 line=$2 message=$3
    shift 3
    conf "${name// /-}" < <(echo '<configuration>'; while [ $# -gt 0 ]; do q "$1" "$2"; shift 2; done; echo '</configuration>')
    stays_down "$name" "capacity-scheduler.xml:$line" "$message"
}
refused "capacities with a sum above 100" 2 'add up to 110 \(a 40, b 70\), expected 100' root.queues a,b root.a.capacity 40 root.b.capacity 70
refused "a capacity that is no number" 3 '"half": expected a percentage' root.queues a root.a.capacity half
refused "weights beside percentages" '[34]' 'root\.[ab]' root.queues a,b root.a.capacity 40 root.b.capacity 1w
refused "a RUNNING queue below a STOPPED queue" 6 'root\.a is STOPPED' root.queues a root.a.capacity 100 root.a.state STOPPED \
    root.a.queues b root.a.b.state RUNNING root.a.b.capacity 100
refused "a user limit that is no number" 4 'minimum-user-limit-percent' root.queues a root.a.capacity 100 root.a.minimum-user-limit-percent many
refused "an invalid queue mapping" 4 'queue-mappings' root.queues a root.a.capacity 100 queue-mappings x:bob:a
refused "two errors in one file" \
    3 'half' root.queues a,b root.a.capacity half root.b.state GONE root.b.capacity 1
like "two errors in one file: the second one is reported" "$dir/capacity-scheduler.xml:4: .*\"GONE\": expected RUNNING or STOPPED" "$OUTPUT"

conf preemption yarn.resourcemanager.scheduler.monitor.enable true \
    yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round plenty \
    < <(echo '<configuration>'; q root.queues a; q root.a.capacity 100; echo '</configuration>')
stays_down "a preemption property that is no number" \
    'yarn-site.xml:[0-9]+' 'total_preemption_per_round: "plenty": expected'
finish
