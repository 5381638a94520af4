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
# As after an earlier run whose history was not writable. It is read at the start only.
echo '3 applications, the last one at 1700000000000; moved at 0' > "$state/history-lost"
exits "creel admin state backup --all exits with 0" 0 admin backup --all "$T/all.tar"
mv "$state/history-lost" "$T/history-lost"
like "it says what the archive has" '^Contains: +state, history, uploaded files, configuration' "$OUTPUT"
like "it names the keys" "keys \($keys: agents, .*rm, rm_secret, users\)" "$OUTPUT"
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

# The secret key of the resource manager is lost while it runs.
keys_are() { [ "$(creel cluster health --json | jq -r '.items[] | select(.check == "keys").result')" = "$1" ]; }
becomes "creel cluster health has the key files" 30 keys_are ok
mv "$keys/rm_secret" "$T/rm_secret"
becomes "the check keys fails without rm_secret" 30 keys_are failed
like "it names the file and what to do" 'keys +failed .*rm_secret is missing: bring it back before a restart.*do not restart creel-rm' "$(creel cluster health -o wide)"
exits "creel cluster health exits with 9" 9 creel cluster health --quiet
exits "creel admin state backup --all fails without it" 1 admin backup --all "$T/without.tar"
like "it names the key and a way to bring it back" "the archive would lack the key of the resource manager: .*$keys/rm_secret is missing: .*creel admin state restore" "$OUTPUT"
check "there is no archive" test ! -e "$T/without.tar"
exits "creel keygen cluster fails: it makes no half" 1 creel keygen cluster "$keys"
like "it says which half is missing" "certificate $keys/rm exists already, but its secret half $keys/rm_secret is missing: bring that back" "$OUTPUT"
remedy=$(creel cluster health --json | jq -r '.items[] | select(.check == "keys").do' | grep -o 'tar [^;]*')
remedy=${remedy/FILE/$T/all.tar}
# shellcheck disable=SC2086 # the words of the command
check "the command of the check brings it back, wherever it is typed" env -C / $remedy
is "the secret key is as it was" "" "$(diff "$T/rm_secret" "$keys/rm_secret" 2>&1)"
becomes "the check keys is ok with it" 30 keys_are ok
# Its public half is lost.
mv "$keys/rm" "$T/rm_public"
exits "creel cluster health fails without the public half" 7 creel cluster health
like "the error names the command that makes the same key" "certificate $keys/rm is missing, but its secret half .* exists: run creel keygen cluster" "$OUTPUT"
is "creel keygen cluster makes it without a warning" "" "$(creel keygen cluster "$keys" 2>&1 | grep 'new key')"
exits "the key is the same" 0 creel cluster info
cp -r "$keys" "$T/new-keys"
rm "$T/new-keys/rm" "$T/new-keys/rm_secret"
exits "creel keygen cluster makes a new pair if both halves are missing" 0 creel keygen cluster "$T/new-keys"
like "it warns that agents and users do not have it" "new-keys/rm is a new key: agents and users" "$OUTPUT"
# An archive without it, as earlier versions made.
mkdir "$T/unpacked"
tar -xmf "$T/all.tar" -C "$T/unpacked"
rm "$T/unpacked/keys/rm_secret"
sed -i -e '/ keys\/rm_secret$/d' -e "s/^end .*/end $(($(wc -l <"$T/unpacked/MANIFEST") - 2))/" "$T/unpacked/MANIFEST"
(cd "$T/unpacked" && tar -cf "$T/without.tar" MANIFEST state.db history blobs history-lost conf keys)

# The host is gone, and with it the configuration, the keys and the state.
lose_host() { kill_nine "$(pid_of rm)"; rm -rf "$T/lost"; mkdir "$T/lost"; mv "$conf" "$keys" "$state" "$T/lost"; }
lose_host
mkdir "$conf"
exits "creel admin state restore of an archive without the secret key" 0 admin restore "$T/without.tar"
like "it warns that creel-rm does not start" "^Warning: +the archive has no secret key of the resource manager.*$keys/rm_secret" "$OUTPUT"
rm -rf "$conf" "$keys" "$state"
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
is "the record of what the history lacks is there" "" "$(diff "$T/history-lost" "$state/history-lost" 2>&1)"
rm -f "$state/history-lost"
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
# Files that the configuration names outside of its directory.
mkdir -p "$T/site/lists" && chmod 0750 "$T/site/lists" && chown root:games "$T/site/lists"
echo '<configuration><property><name>yarn.cluster.max-application-priority</name><value>7</value></property></configuration>' >"$T/site/common.xml"
hostname >"$T/site/lists/include" && echo 127.0.0.1 >>"$T/site/lists/include"
touch "$T/site/lists/exclude"
chown nobody:games "$T/site/lists/include" && chmod 0640 "$T/site/lists/include"
sed -i "s|</configuration>|\\
  <xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"$T/site/common.xml\"/>\\
  <property><name>yarn.resourcemanager.nodes.exclude-path</name><value>$T/site/lists/exclude</value></property>\\
  <property><name>yarn.resourcemanager.nodes.include-path</name><value>$T/site/lists/include</value></property>\\
  <property><name>creel.jobs.notify-command</name><value>/bin/true %i</value></property>\\
&|" "$conf/creel-site.xml"
is "the included value is in force" 7 "$(value .value conf show yarn.cluster.max-application-priority --conf "$conf")"
exits "a backup of a configuration that names files elsewhere is made" 0 admin backup --all "$T/named.tar"
for file in common.xml lists/include lists/exclude; do
    like "it says that it contains site/$file" "^Contains: .*files that the configuration names: .*$T/site/$file" "$OUTPUT"
    like "the archive has site/$file" "^files$T/site/$file\$" "$(tar -tf "$T/named.tar")"
done
like "it names the command that it does not contain" '^Not in it: .*creel.jobs.notify-command \(/bin/true\)' "$OUTPUT"

lose_host
mv "$T/site" "$T/lost/site"
mkdir "$conf"
exits "an archive whose configuration names files elsewhere is restored" 0 admin restore "$T/named.tar"
like "it names the files that were restored" "^Restored: .*files that the configuration names: .*$T/site/common.xml" "$OUTPUT"
like "it names the command that has to be installed" '^Not in it: .*creel.jobs.notify-command \(/bin/true\)' "$OUTPUT"
is "the files are as they were" "" "$(diff -r "$T/lost/site" "$T/site")"
is "a file has its owner and its mode" "nobody games 640" "$(stat -c '%U %G %a' "$T/site/lists/include")"
is "a directory has its owner and its mode" "root games 750" "$(stat -c '%U %G %a' "$T/site/lists")"
check "the resource manager starts with them" up
becomes "the node is RUNNING with them" 60 nodes_running_is 1
kill_nine "$(pid_of rm)"
echo other >"$T/site/common.xml"
rm -rf "$conf" "$keys" "$state"
mkdir "$conf"
exits "an archive is refused if a file that was here makes the configuration invalid" 7 admin restore "$T/named.tar"
check "... and the file is kept" grep -qx other "$T/site/common.xml"
is "... and nothing was put beside it" "" "$(ls "$conf")"
finish
