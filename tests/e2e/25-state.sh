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
becomes "two jobs with three processes run" 60 payloads_are 3
for i in 1 2 3; do creel run --quiet -m 64M -- true || fail "short job $i succeeds"; done
before=$(payloads)
kill_rm
keep

# damaged NAME REGEX COMMAND...: after COMMAND the resource manager refuses to start, and the check reports why.
damaged() {
    local name=$1 regex=$2 verdict
    shift 2
    "$@"
    exits "$name: the resource manager does not start" 9 creel-rm --conf "$conf"
    like "$name: the error names what is lost" "$regex" "$OUTPUT"
    like "$name: the error names the three commands to use" "creel admin state check.*creel admin state restore FILE.*creel admin state accept" "$OUTPUT"
    exits "$name: creel admin state check exits with 1" 1 admin check --json
    verdict=$(jq -r '.items[0].verdict + ": " + .items[0].problems[0]' <<<"$OUTPUT")
    like "$name: creel admin state check has a verdict and a problem" \
        "^(lost|damaged|unproven): .*" "$verdict"
    put_back
}
flip() { printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
sql() { sqlite3 "$state/state.db" "$@"; }
damaged "write-ahead log truncated to half" "the last [0-9]+ commits? (is|are) lost" truncate -s $(($(wal) / 2)) "$state/state.db-wal"
damaged "write-ahead log without its last 100 bytes" \
    "the last 1 commit is lost" truncate -s $(($(wal) - 100)) "$state/state.db-wal"
damaged "write-ahead log with a changed byte" \
    "commits? (is|are) lost" flip "$state/state.db-wal" $(($(wal) / 2))
damaged "write-ahead log deleted" "commits" rm "$state/state.db-wal" "$state/state.db-shm"
damaged "database emptied" "is empty, and the file head beside it records" truncate -s 0 "$state/state.db"
damaged "database deleted" "is not there, and the file head" rm "$state/state.db"
damaged "file head deleted" "head: is missing" rm "$state/head"
damaged "row of table apps changed" "table apps, row application_[0-9_]+: its checksum is wrong" \
    sql "UPDATE apps SET row = CAST(replace(CAST(row AS TEXT), 'sleep', 'sleeq') AS BLOB) WHERE seq = 1"
damaged "row of table apps deleted" \
    "table apps: 1 of its [0-9]+ rows are missing" sql "DELETE FROM apps WHERE seq = 1"
zero() { sql "PRAGMA wal_checkpoint(TRUNCATE)" >"$T/checkpoint"; dd if=/dev/zero of="$state/state.db" bs=4096 seek=3 count=1 conv=notrunc status=none; }
damaged "database page zeroed" "state" zero
garbage() { rm "$state/state.db-wal" "$state/state.db-shm"; seq 100000 | head -c 65536 >"$state/state.db"; }
damaged "database replaced by text" "not a database" garbage
is "the containers were not restarted during these tests" "$before" "$(payloads)"

check "the resource manager starts with the complete state" up
becomes "the node is RUNNING with the complete state" 30 node_state_is RUNNING
is "the containers were not restarted by that start" "$before" "$(payloads)"
is "creel admin state check reports a sound state" \
    sound "$(kill_rm; admin check --json | jq -r '.items[0].verdict')"

# The directory is emptied: only the agent knows the earlier state.
keep
find "${state:?}" -mindepth 1 -delete
check "the resource manager starts with an empty state directory" up
becomes "the node is WAITING for a decision of the operator" 30 node_state_is WAITING
like "creel node list has the reason and the command to use" "knows another resource manager's state.*creel admin state accept" "$(creel node list -o csv)"
like "creel cluster info counts the waiting node" "1 node is waiting" "$(creel cluster info)"
is "the containers of the waiting node continue" "$before" "$(payloads)"
kill_rm
put_back
check "the resource manager starts with the former state" up
becomes "the node is RUNNING with the former state" 30 node_state_is RUNNING
is "the containers were not restarted with the former state" "$before" "$(payloads)"
becomes "the job is RUNNING with the former state" 30 state_is "$tasks" RUNNING

# Backup and restore while jobs run.
for i in 1 2 3 4 5 6 7 8; do creel submit --id -m 64M -- true >>"$T/ids"; done &
load=$!
check "creel admin state backup exits with 0 while jobs are submitted" admin backup "$T/backup"
wait "$load"
exits "creel admin state backup does not replace a file" 1 admin backup "$T/backup"
exits "creel admin state backup makes another copy" 0 admin backup "$T/backup.2"
like "it prints the commit of the copy" '^Commit: +[1-9]' "$OUTPUT"
unlike "and no newest commit, which is not known of a copy" '^Newest' "$OUTPUT"
last=0
for i in 1 2 3; do id=$(creel submit --id -m 64M -- true); [ "$(number "$id")" -gt "$last" ] && last=$(number "$id"); creel wait "$id" >/dev/null; done
exits "creel admin state restore is refused while the resource manager runs" 6 admin restore "$T/backup"
kill_rm
echo "no database" >"$T/none"
exits "creel admin state restore of a file that is no backup exits with 1" 1 admin restore "$T/none"
like "its error names the file and the command that makes a backup" "$T/none: is no backup of the state: creel admin state backup FILE makes one; nothing was changed" "$OUTPUT"
check "creel admin state restore exits with 0 while the resource manager is stopped" admin restore "$T/backup"
check "the resource manager starts with the restored backup" up
becomes "the node is RUNNING without creel admin state accept" 30 node_state_is RUNNING
is "the containers were not restarted after the restore" "$before" "$(payloads)"
id=$(creel submit --id -m 64M -- true)
check "the next job has an application number that was not used before" [ "$(number "$id")" -gt "$last" ]
creel wait "$id" --timeout 60s >/dev/null
is "the next job is FINISHED" FINISHED "$(state "$id")"

# An old copy of the whole directory.
kill_rm
keep
up || fail "the resource manager starts" "$(cat "$T/up.log")"
becomes "the node is RUNNING" 30 node_state_is RUNNING
for i in 1 2 3; do id=$(creel submit --id -m 64M -- true); creel wait "$id" >/dev/null; done
last=$(number "$id")
kill_rm
put_back
up || fail "the resource manager starts" "$(cat "$T/up.log")"
becomes "the node is WAITING because the state is an old copy" 30 node_state_is WAITING
is "the containers continue with the old copy" "$before" "$(payloads)"
check "creel admin state accept exits with 0" creel admin state accept --yes
becomes "the node is RUNNING after creel admin state accept" 30 node_state_is RUNNING
is "the containers were not restarted after creel admin state accept" "$before" "$(payloads)"
id=$(creel submit --id -m 64M -- true)
check "no application number is assigned twice after the old copy" [ "$(number "$id")" -gt "$last" ]
creel wait "$id" --timeout 60s >/dev/null
is "a new job is FINISHED after creel admin state accept" FINISHED "$(state "$id")"

# Accepted while it is stopped, and an emptied directory.
kill_rm
rm -f "$state/state.db" "$state/state.db-wal" "$state/state.db-shm"
check "creel admin state accept exits with 0 while the resource manager is stopped" admin accept --yes
check "the resource manager starts with an emptied state" up
becomes "the node is RUNNING after creel admin state accept" 30 node_state_is RUNNING
becomes "containers that the state does not have are ended" 60 payloads_are 0
id=$(creel submit --id -m 64M -- true)
creel wait "$id" --timeout 60s >/dev/null
is "a new job is FINISHED with the emptied state" FINISHED "$(state "$id")"

# --- the file of the state is removed under the running resource manager
check_is() { creel cluster health -o wide | grep -qE "^state-store +$1 "; }
becomes "the check of the state is ok" 30 check_is ok
id=$(creel submit --id -m 64M -- sleep 600)
becomes "a job runs" 30 state_is "$id" RUNNING
rm -f "$state/state.db"
becomes "creel cluster health fails when state.db was removed" 30 check_is failed
like "it names the way out" 'state.db was removed.*creel admin state backup FILE.*systemctl stop creel-rm.*state.rescued-TIME.db.*creel admin state restore' "$(creel cluster health -o wide)"
exits "creel cluster health exits with 9" 9 creel cluster health
like "a submission is refused, and the error names the file" 'submissions cannot be stored now: .*state.db was removed' "$(creel submit -m 64M -- true 2>&1)"
check "the job can be killed" creel kill "$id"
becomes "it is KILLED" 30 state_is "$id" KILLED
check "creel admin state backup saves the state that the resource manager has" admin backup "$T/saved.db"
kill_rm # without a stop that writes the state
rm -f "$state/state.db-wal" "$state/state.db-shm"
check "that backup is restored" admin restore "$T/saved.db"
check "the resource manager starts with the backup" up
is "it has what happened after the loss" KILLED "$(state "$id")"
becomes "the node is RUNNING with the backup" 30 node_state_is RUNNING
becomes "the check of the state is ok with the backup" 30 check_is ok

# It is stopped in order.
id=$(creel submit --id -m 64M -- sleep 600)
becomes "a job runs with the backup" 30 state_is "$id" RUNNING
rm -f "$state/state.db"
becomes "creel cluster health fails again" 30 check_is failed
check "the job can be killed again" creel kill "$id"
becomes "it is KILLED again" 30 state_is "$id" KILLED
pid=$(pid_of rm)
kill "$pid"
becomes "the resource manager stops" 20 gone "$pid"
like "its log names the file with the state, and the command" 'the state is saved as .*state.rescued-[0-9]+.db; before the next start: creel admin state restore' "$(cat "$T/dev/rm/log")"
check "that file is restored" admin restore "$state"/state.rescued-*.db
check "the resource manager starts with it" up
is "it has what happened after the loss" KILLED "$(state "$id")"
becomes "the node is RUNNING without a decision" 30 node_state_is RUNNING
becomes "the check of the state is ok again" 30 check_is ok

# --- the table of its files
names=$(sed -n 's/^    F("\([^"]*\)".*/\1/p' "$(dirname "$0")/../../rm/net/rescue/state_files.h")
unknown=$(for path in "$state"/*; do
    known=0
    # shellcheck disable=SC2053 # a pattern
    for name in $names; do [[ $(basename "$path") == $name ]] && known=1; done
    [ "$known" = 1 ] || basename "$path"
done)
is "each file of the state directory is in the table of state_files.h" "" "$unknown"

# --- the log, the head, the directory
rm -f "$state/head"
becomes "a removed head is made again" 30 test -s "$state/head"
check "the check of the state stays ok" check_is ok
: >"$state/state.db-wal"
becomes "creel cluster health fails when the log of state.db was emptied" 30 check_is failed
like "it names the log" 'state.db-wal was written to by another process' "$(creel cluster health -o wide)"
pid=$(pid_of rm)
kill "$pid"
becomes "the resource manager stops" 20 gone "$pid"
check "what it has written is restored" admin restore "$(ls -t "$state"/state.rescued-*.db | head -1)"
check "the resource manager starts with it" up
becomes "the check of the state is ok with it" 30 check_is ok
id=$(creel submit --id -m 64M -- true)
creel wait "$id" --timeout 60s >/dev/null

becomes "the state directory is removed, also while the resource manager writes to it" 10 rm -rf "$state"
becomes "creel cluster health fails when the state directory was removed" 30 check_is failed
becomes "it names the command that makes the directory" 30 sh -c "creel cluster health -o wide | grep -q 'install -d -m 700 -o creel -g creel $state'"
exits "creel admin state backup fails without the directory" 1 admin backup "$T/nowhere.db"
like "it names the command, too" 'no state directory.*install -d -m 700 ' "$OUTPUT"
install -d -m 700 "$state"
becomes "creel admin state backup saves the state when the directory is there" 30 admin backup "$T/saved2.db"
becomes "the state directory is removed again" 10 rm -rf "$state"
pid=$(pid_of rm)
kill "$pid"
becomes "the resource manager stops without its state directory" 20 gone "$pid"
exits "it does not start with an empty state" 9 creel-rm --conf "$conf"
like "it names the file with the state" 'state.db: is not there, and .*creel admin state restore .*state.rescued-[0-9]+.db' "$OUTPUT"
exits "creel admin state check exits with 1" 1 admin check
like "it names the file, too" 'Verdict: +lost.*creel admin state restore .*state.rescued-[0-9]+.db' "$(tr '\n' ' ' <<<"$OUTPUT")"
check "it has made the directory, and what it has written is restored" admin restore "$state"/state.rescued-*.db
check "the resource manager starts with it" up
is "it has what was accepted before the loss" FINISHED "$(state "$id")"
becomes "the node is RUNNING without a decision" 30 node_state_is RUNNING
finish
