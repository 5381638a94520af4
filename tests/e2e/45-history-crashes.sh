#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The resource manager is killed while the disk of the history is full, and at any moment under load: each ended
# application and container is in the history once, although the resource manager keeps only two ended applications.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
printf '<configuration><property><name>%s</name><value>%s</value></property></configuration>\n' \
    yarn.resourcemanager.max-completed-applications 2 >"$T/conf/yarn-site.xml"
history=$T/dev/rm/state/history
trap 'umount -l "$history" 2>/dev/null; cleanup' EXIT
cluster_up -n 1 --conf "$T/conf"
busy='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
up() { creel dev up --dir "$T/dev" --conf "$T/conf" >"$T/up.log" 2>&1 || { cat "$T/up.log"; return 1; }; }

# rows TABLE: the number of rows in all files, and the number of different ids.
rows() {
    python3 - "$1" "$history"/*.db <<'PYTHON'
import sqlite3, sys
key = {"apps": "seq", "containers": "seq, attempt, epoch, number"}[sys.argv[1]]
rows = [row for file in sys.argv[2:] for row in sqlite3.connect(file).execute("SELECT %s FROM %s" % (key, sys.argv[1]))]
print(len(rows), len(set(rows)))
PYTHON
}
rows_are() { [ "$(rows "$1")" = "$2" ]; }
# count_rows FILE TABLE CONDITION
count_rows() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM %s WHERE %s" % (sys.argv[2], sys.argv[3])).fetchone()[0])' "$@"; }
kept_is() { [ "$(count_rows "$T/dev/rm/state/state.db" apps true)" = "$1" ]; }

kill_nine "$(pid_of rm)"
mkdir -p "$history"
mount -t tmpfs -o size=16m,mode=0700 creel-e2e "$history"
up
exits "a job succeeds before the disk is full" 0 creel run --quiet -m 32M -n before -- sh -c "$busy"
becomes "the history has it" 30 rows_are apps "1 1"
dd if=/dev/zero of="$history/fill" bs=1k count=40000 2>/dev/null
for i in 1 2 3 4 5; do creel run --quiet -m 32M -N 2 -n "full-$i" -- sh -c "$busy" >/dev/null 2>&1; done
becomes "creel cluster info warns that the history is not written" 30 \
    sh -c "creel cluster info | grep '^Warning: *the history is not written: .*disk is full.*; the state keeps [1-9][0-9]* forgotten application'"
is "the resource manager keeps two ended applications" 2 "$(creel app list --json | jq '.items | length')"
kill_nine "$(pid_of rm)"
check "the resource manager starts while the disk of the history is full" up
becomes "a job succeeds" 60 creel run --quiet -m 32M -N 2 -n full-6 -- sh -c "$busy"
becomes "creel cluster info warns again" 30 sh -c "creel cluster info | grep '^Warning: *the history is not written'"
is "the resource manager keeps two ended applications after the restart" 2 "$(creel app list --json | jq '.items | length')"
kill_nine "$(pid_of rm)"
rm "$history/fill"
check "the resource manager starts when there is room" up
becomes "the history has every application once" 60 rows_are apps "7 7"
becomes "the history has every container once" 60 rows_are containers "19 19"
is "creel history apps lists all" "full-6 full-5 full-4 full-3 full-2 full-1 before" \
    "$(creel history apps --quiet --json | jq -r '[.items[].name] | join(" ")')"
is "the containers have their usage" 19 "$(count_rows "$history"/*.db containers "cpu_time_us > 0 AND memory_peak_bytes > 0")"
becomes "the state has only the applications that the resource manager keeps" 60 kept_is 2
becomes "creel cluster info does not warn any more" 30 sh -c "! creel cluster info | grep '^Warning: *the history'"

# Kills at any moment, with a history that can be written.
jobs=$(size 24 200)
(for ((i = 0; i < jobs; i++)); do
    until creel submit --id -m 16M -n load -N 2 -- true >>"$T/ids" 2>/dev/null; do sleep 0.2; done
done; touch "$T/submitted") &
for ((kill = 0; kill < $(size 5 20); kill++)); do
    wait_until 60 sh -c "creel app list --state ALL --json 2>/dev/null | jq -e '.items | length >= 2' >/dev/null"
    sleep "0.$((RANDOM % 10))"
    kill_nine "$(pid_of rm)"
    up || break
done
becomes "all jobs are submitted" 120 test -e "$T/submitted"
for id in $(cat "$T/ids"); do creel wait "$id" --timeout 120 >/dev/null 2>&1; done
all=$((7 + $(sort -u "$T/ids" | wc -l)))
echo "# $(rows apps) applications, $(rows containers) containers"
becomes "the history has every application once after the kills" 60 rows_are apps "$all $all"
like "the history has every container once after the kills" '^([0-9]+) \1$' "$(rows containers)"
becomes "all of them have ended containers" 60 sh -c "[ \"\$(creel history apps --limit 1000 -n load --fields JobID,NodeList --no-header --csv | grep -c ',.')\" = $((all - 7)) ]"
becomes "the state has only the applications that the resource manager keeps after the kills" 60 kept_is 2
finish
