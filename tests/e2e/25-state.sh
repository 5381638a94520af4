#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The state of the resource manager is truncated, damaged, emptied or an old copy: the resource manager refuses to start
# and reports the loss, or the agents keep their containers until an operator decides. After a backup and its restore no
# application number is assigned twice.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
conf=$T/dev/conf
state=$(value .value conf show creel.resourcemanager.state-dir --conf "$conf")
up() { creel dev up --dir "$T/dev" -n 1 >"$T/up.log" 2>&1; }
kill_rm() { local pid; pid=$(pid_of rm); kill -KILL "$pid"; wait_until 20 gone "$pid"; }
node_state() { value .state node list; }
node_state_is() { [ "$(node_state)" = "$1" ]; }
payloads() { pgrep -xf "sleep $naptime" | sort; }
payloads_are() { [ "$(payloads | wc -l)" = "$1" ]; }
number() { sed 's/.*_0*//' <<<"$1"; }
admin() { creel admin state "$@" --conf "$conf"; }
keep() { rm -rf "$T/kept"; cp -a "$state" "$T/kept"; }
put_back() { find "${state:?}" -mindepth 1 -delete; cp -a "$T/kept/." "$state"; }
wal() { stat -c %s "$state/state.db-wal"; }

naptime=$(unlike_others)
tasks=$(creel submit --id -N 2 -m 64M -- sleep "$naptime")
creel submit --id -m 64M -- sleep "$naptime" >/dev/null
becomes "a job of tasks and a command run" 60 payloads_are 3
for i in 1 2 3; do creel run --quiet -m 64M -- true || fail "job $i runs"; done
before=$(payloads)
kill_rm
keep

# damaged NAME REGEX COMMAND...: after COMMAND the resource manager refuses to start, and the check reports why.
damaged() {
    local name=$1 regex=$2 verdict
    shift 2
    "$@"
    exits "$name: the resource manager does not start" 9 creel-rm --conf "$conf"
    like "$name: it names what is lost" "$regex" "$OUTPUT"
    like "$name: and what to do" "creel admin state check.*creel admin state restore FILE.*creel admin state accept" "$OUTPUT"
    exits "$name: the check exits with 1" 1 admin check --json
    verdict=$(jq -r '.items[0].verdict + ": " + .items[0].problems[0]' <<<"$OUTPUT")
    like "$name: and has a verdict" "^(lost|damaged|unproven): .*" "$verdict"
    put_back
}
flip() { printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
sql() { sqlite3 "$state/state.db" "$@"; }
damaged "log cut to half" "the last [0-9]+ commits? (is|are) lost" truncate -s $(($(wal) / 2)) "$state/state.db-wal"
damaged "log without its end" "the last 1 commit is lost" truncate -s $(($(wal) - 100)) "$state/state.db-wal"
damaged "a byte of the log flipped" "commits? (is|are) lost" flip "$state/state.db-wal" $(($(wal) / 2))
damaged "log deleted" "commits" rm "$state/state.db-wal" "$state/state.db-shm"
damaged "database emptied" "is empty, and the file head beside it records" truncate -s 0 "$state/state.db"
damaged "database deleted" "is not there, and the file head" rm "$state/state.db"
damaged "head deleted" "head: is missing" rm "$state/head"
damaged "row changed" "table apps, row application_[0-9_]+: its checksum is wrong" \
    sql "UPDATE apps SET row = CAST(replace(CAST(row AS TEXT), 'sleep', 'sleeq') AS BLOB) WHERE seq = 1"
damaged "row missing" "table apps: 1 of its [0-9]+ rows are missing" sql "DELETE FROM apps WHERE seq = 1"
zero() { sql "PRAGMA wal_checkpoint(TRUNCATE)" >"$T/checkpoint"; dd if=/dev/zero of="$state/state.db" bs=4096 seek=3 count=1 conv=notrunc status=none; }
damaged "page zeroed" "state" zero
garbage() { rm "$state/state.db-wal" "$state/state.db-shm"; seq 100000 | head -c 65536 >"$state/state.db"; }
damaged "garbage" "not a database" garbage
is "meanwhile everything ran on" "$before" "$(payloads)"

check "the whole state is taken" up
becomes "with its node" 30 node_state_is RUNNING
is "and nothing was started again" "$before" "$(payloads)"
is "as the check states" sound "$(kill_rm; admin check --json | jq -r '.items[0].verdict')"

# The directory is emptied: only the agent knows the earlier state.
keep
find "${state:?}" -mindepth 1 -delete
check "in an empty directory the resource manager starts" up
becomes "its node waits for an operator" 30 node_state_is WAITING
like "and the node list has the reason" "knows another resource manager's state.*creel admin state accept" "$(creel node list -o csv)"
like "in the cluster's numbers, too" "1 node is waiting" "$(creel cluster info)"
is "with all its containers" "$before" "$(payloads)"
kill_rm
put_back
check "the state is put back" up
becomes "the node goes on" 30 node_state_is RUNNING
is "with the very same processes" "$before" "$(payloads)"
becomes "known again" 30 state_is "$tasks" RUNNING

# Backup and restore while jobs run.
for i in 1 2 3 4 5 6 7 8; do creel submit --id -m 64M -- true >>"$T/ids"; done &
load=$!
check "the running state is backed up" admin backup "$T/backup"
wait "$load"
exits "but not over a file that is there" 1 admin backup "$T/backup"
last=0
for i in 1 2 3; do id=$(creel submit --id -m 64M -- true); [ "$(number "$id")" -gt "$last" ] && last=$(number "$id"); creel wait "$id" >/dev/null; done
exits "it is not put back while the resource manager runs" 6 admin restore "$T/backup"
kill_rm
check "the backup is put back" admin restore "$T/backup"
check "and the resource manager starts with it" up
becomes "its node is there: that was the decision" 30 node_state_is RUNNING
is "what the backup knows runs on" "$before" "$(payloads)"
id=$(creel submit --id -m 64M -- true)
check "the next job has a number of its own" [ "$(number "$id")" -gt "$last" ]
creel wait "$id" --timeout 60s >/dev/null
is "and runs" FINISHED "$(state "$id")"

# An old copy of the whole directory.
kill_rm
keep
up || fail "the resource manager comes up" "$(cat "$T/up.log")"
becomes "the node is there" 30 node_state_is RUNNING
for i in 1 2 3; do id=$(creel submit --id -m 64M -- true); creel wait "$id" >/dev/null; done
last=$(number "$id")
kill_rm
put_back
up || fail "the resource manager comes up" "$(cat "$T/up.log")"
becomes "an old copy is noticed by the agent" 30 node_state_is WAITING
is "what runs goes on" "$before" "$(payloads)"
check "the operator accepts it" creel admin state accept --yes
becomes "the node comes" 30 node_state_is RUNNING
is "with what the copy knows" "$before" "$(payloads)"
id=$(creel submit --id -m 64M -- true)
check "no number is given twice" [ "$(number "$id")" -gt "$last" ]
creel wait "$id" --timeout 60s >/dev/null
is "the next job runs" FINISHED "$(state "$id")"

# Accepted while it is stopped, and an emptied directory.
kill_rm
rm -f "$state/state.db" "$state/state.db-wal" "$state/state.db-shm"
check "what is lost is accepted" admin accept --yes
check "the resource manager starts, empty" up
becomes "the node comes" 30 node_state_is RUNNING
becomes "what is not known any more ends" 60 payloads_are 0
id=$(creel submit --id -m 64M -- true)
creel wait "$id" --timeout 60s >/dev/null
is "and jobs run" FINISHED "$(state "$id")"
finish
