#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The host of the resource manager is gone: a new one gets the backup of `creel admin state backup --all`, or the
# configuration, the keys and the backup of the state, and running jobs continue.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
conf=$T/dev/conf keys=$T/dev/keys
state=$(value .value conf show creel.resourcemanager.state-dir --conf "$conf")
admin() { creel admin state "$@" --conf "$conf"; }
up() { creel dev up --dir "$T/dev" -n 1 >"$T/up.log" 2>&1; }
payloads() { pgrep -xf "sleep $naptime" | sort; }
payloads_are() { [ "$(payloads | wc -l)" = "$1" ]; }
ended_in_history() { [ "$(creel history apps --json | jq '.items | length')" -ge 1 ]; }

echo "data of the job" >"$T/data"
creel run --quiet -m 64M -f "$T/data" -- cat data >"$T/first" 2>&1 || fail "a job ends" "$(cat "$T/first")"
naptime=$(unlike_others)
id=$(creel submit --id -m 64M -N 2 -f "$T/data" -- sleep "$naptime")
becomes "a job runs" 60 payloads_are 2
becomes "the history has the job that ended" 60 ended_in_history
before=$(payloads)

# A user owns the secret key of that name; one that root keeps belongs to root.
exits "a user has a certificate" 0 creel keygen user nobody --install --dir "$keys"
chown nobody "$keys/users/creel-web_secret"
exits "creel admin state backup exits with 0" 0 admin backup "$T/state.backup"
like "it says what the backup has" '^Contains: +applications, nodes, settings' "$OUTPUT"
like "it names what is not in it, and where that is" "^Not in it: +history \($state/history\), uploaded files \($state/blobs\), keys \($keys\), configuration \($conf\): creel admin state backup --all" "$OUTPUT"
exits "creel admin state backup --all exits with 0" 0 admin backup --all "$T/all.tar"
like "it says what the archive has" '^Contains: +state, history, uploaded files, configuration' "$OUTPUT"
like "it warns of secret keys" '^Secret: +it has the secret keys of this host: its mode is 0600' "$OUTPUT"
is "the mode of the archive is 0600" 600 "$(stat -c %a "$T/all.tar")"
is "nothing else is left beside it" "" "$(find "$T" -maxdepth 1 -name 'all.tar.*')"
like "it has the secret key of the resource manager" '^keys/rm_secret$' "$(tar -tf "$T/all.tar")"
like "it has the uploaded file" '^blobs/.+' "$(tar -tf "$T/all.tar")"
exits "creel admin state backup --all does not replace a file" 1 admin backup --all "$T/all.tar"
exits "creel admin state backup --all refuses a file in a directory that it would contain" 1 admin backup --all "$conf/all.tar"
like "... and names the directory" "is in $conf, which the backup has" "$OUTPUT"
mv "$keys/users" "$T/users"
exits "creel admin state restore of the archive is refused while the resource manager runs" 6 admin restore "$T/all.tar"
check "... and brings back no key that was removed" test ! -e "$keys/users"
mv "$T/users" "$keys/users"
ln -s /etc/shadow "$state/blobs/link"
exits "a backup of a directory with a link is made" 0 admin backup --all "$T/link.tar"
is "... and does not have the file to which the link leads" "" "$(tar -tvf "$T/link.tar" | grep 'blobs/.*link$')"
rm "$state/blobs/link"

# The host is gone, and with it the configuration, the keys and the state.
lose_host() { kill_nine "$(pid_of rm)"; rm -rf "$T/lost"; mkdir "$T/lost"; mv "$conf" "$keys" "$state" "$T/lost"; }
lose_host
mkdir "$conf"
exits "creel admin state restore puts the archive on a bare host" 0 admin restore "$T/all.tar"
like "it says what was restored" '^Restored: +state, history, uploaded files; of the configuration' "$OUTPUT"
is "the configuration is as it was" "" "$(diff -r "$T/lost/conf" "$conf")"
is "the keys are as they were" "" "$(diff -r "$T/lost/keys" "$keys")"
is "the secret key has its mode" 600 "$(stat -c %a "$keys/rm_secret")"
is "the secret key of a user belongs to that user" "nobody 600" "$(stat -c '%U %a' "$keys/users/nobody_secret")"
is "... and no other one" "root 600" "$(stat -c '%U %a' "$keys/users/creel-web_secret")"
is "the state directory has its mode" 700 "$(stat -c %a "$state")"
is "nothing of the restore is left" "" "$(find "$state" -maxdepth 1 -name 'restore-*')"
check "the resource manager starts on the new host" up
becomes "the node is RUNNING" 60 nodes_running_is 1
becomes "the job is RUNNING" 60 state_is "$id" RUNNING
is "its tasks were not restarted" "$before" "$(payloads)"
becomes "the history has the job that ended before" 60 ended_in_history
is "the uploaded file is there: it is not uploaded again" 1 "$(find "$state/blobs" -type f -size 16c | wc -l)"

# The same with a copy of the configuration and the keys, and a backup of the state alone.
exits "the new host makes a backup of the state" 0 admin backup "$T/state.backup.2"
lose_host
cp -a "$T/lost/conf" "$T/lost/keys" "$T/dev"
exits "creel admin state restore makes the state directory of a bare host" 0 admin restore "$T/state.backup.2"
check "the resource manager starts with the state alone" up
becomes "the node is RUNNING with the state alone" 60 nodes_running_is 1
becomes "the job is RUNNING with the state alone" 60 state_is "$id" RUNNING
is "its tasks were not restarted then" "$before" "$(payloads)"

creel run --quiet -m 64M -- true || fail "a job ends on the new host"
becomes "the history begins again" 60 ended_in_history

# A host that has been used: what the archive replaces is moved, files of keys and configuration are kept.
kill_nine "$(pid_of rm)"
echo "<configuration/>" >"$conf/mapred-site.xml.kept"
exits "creel admin state restore of the archive on a used host exits with 0" 0 admin restore "$T/all.tar"
like "it keeps the keys of a host that has them" "no keys: $keys has those of a resource manager" "$OUTPUT"
like "it names where the former state is" '^Moved to: +.*/before-restore-' "$OUTPUT"
check "the former history is there, too" test -d "$(sed -n 's/^Moved to: *//p' <<<"$OUTPUT")/history"
exits "creel kill ends the job" 0 sh -c "creel dev up --dir $T/dev -n 1 >$T/up.log 2>&1 && creel kill $id"
finish
