#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The resource manager makes backups of its state by itself, keeps the newest, and health names those that fail.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>creel.state.backup-directory</name><value>$T/backups</value></property>
  <property><name>creel.state.backup-interval-ms</name><value>1000</value></property>
  <property><name>creel.state.backups-kept</name><value>2</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
backups() { find "$T/backups" -name 'creel-state-*.db' | sort; }
text_of() { creel cluster health --json | jq -r '.items[] | select(.check == "backups") | .result + ": " + .text'; }
text_is() { text_of | grep -qE "$1"; }

becomes "two backups are there" 60 sh -c "[ \$(find '$T/backups' -name 'creel-state-*.db' | wc -l) = 2 ]"
first=$(backups | head -1)
becomes "the oldest is removed" 60 test ! -e "$first"
is "no more than two are kept" 2 "$(backups | wc -l)"
becomes "creel cluster health has the time of the newest" 60 text_is '^ok: the newest backup of the state is of 2'
is "only the owner can read a backup" 600 "$(stat -c %a "$(backups | tail -1)")"

rm -rf "$T/backups" && touch "$T/backups"
becomes "creel cluster health warns when a backup fails, with the reason" 60 text_is '^warning: the last backup of the state failed .*/backups/'
rm "$T/backups"
becomes "a directory that is gone is a warning" 60 text_is "^warning: the last backup of the state failed .*$T/backups: mount it, or make it again"
check "it is not made again: it may be a mount point" [ ! -e "$T/backups" ]
mkdir -m 700 "$T/backups"
becomes "backups are made again" 60 text_is '^ok: the newest backup'

# A file system that is unmounted: no backup is written below its mount point.
mount -t tmpfs none "$T/backups"
becomes "another file system in its place is a warning" 60 text_is "^warning: .*$T/backups is not the directory that was used before: mount it again"
is "no backup is made there" "" "$(backups)"
umount "$T/backups"
becomes "backups are made again when it is back" 60 text_is '^ok: the newest backup'

# An automatic backup is restored as any other.
id=$(creel submit --id -m 64M -- sleep 100000)
becomes "a job runs" 60 state_is "$id" RUNNING
seen=$(backups | tail -1)
newer() { [ "$(backups | tail -1)" != "$1" ]; }
becomes "a backup is made after that" 60 newer "$seen"
seen=$(backups | tail -1)
becomes "and another one" 60 newer "$seen"
cp "$(backups | tail -1)" "$T/saved"
kill_nine "$(pid_of rm)"
exits "creel admin state restore takes the backup" 0 creel admin state restore "$T/saved" --conf "$T/dev/conf"
check "the resource manager starts" creel dev up --dir "$T/dev" -n 1
becomes "the job is RUNNING" 60 state_is "$id" RUNNING

# --- a directory that does not answer, as of a dead NFS server: a file system without a process that serves it
[ -c /dev/fuse ] || { echo "# this machine has no /dev/fuse: no directory that does not answer"; finish; }
hung=$T/backups
mkdir "$T/answering" && mv "$hung"/* "$T/answering"
sh -c 'exec 9<>/dev/fuse; mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 hung "$0"; exec sleep 600' "$hung" &
holder=$!
revive() { kill $holder; umount -l "$hung"; } 2>/dev/null
trap 'revive; cleanup' EXIT
becomes "creel cluster health warns of a backup that does not end, and since when" 60 \
    text_is "^warning: a backup of the state has run for [0-9]+ s: $hung does not answer"
becomes "the log names the directory" 30 grep -qE "a backup of the state has run for [0-9]+ s: $hung does not answer" "$T/dev/rm/log"
rm=$(pid_of rm)
kill "$rm"
becomes "the resource manager stops while its backup hangs" 30 gone "$rm"
like "the log has the reason" 'a backup of the state that does not end is abandoned' "$(cat "$T/dev/rm/log")"
revive
becomes "the directory answers again" 30 test -d "$hung"
mv "$T/answering"/* "$hung"
check "the resource manager starts again" creel dev up --dir "$T/dev" -n 1
becomes "backups are made again" 60 text_is '^ok: the newest backup'
finish
