#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An archive of `creel admin state backup --all` that is cut or damaged anywhere is not restored: the restore names the file
# and what is missing or damaged, and changes nothing. The same if a restore fails at a later step.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
conf=$T/dev/conf keys=$T/dev/keys
state=$(value .value conf show creel.resourcemanager.state-dir --conf "$conf")
admin() { creel admin state "$@" --conf "$conf"; }
ended_in_history() { [ "$(creel history apps --json | jq '.items | length')" -ge 1 ]; }
echo "data of the job" >"$T/data"
creel run --quiet -m 64M -f "$T/data" -- cat data >"$T/first" 2>&1 || fail "a job ends" "$(cat "$T/first")"
becomes "the history has the job" 60 ended_in_history
exits "creel admin state backup --all exits with 0" 0 admin backup --all "$T/all.tar"
exits "creel admin state backup exits with 0" 0 admin backup "$T/state.backup"
is "the first member is the manifest" MANIFEST "$(tar -tf "$T/all.tar" | head -1)"
list=$(tar -xOf "$T/all.tar" MANIFEST)
like "it has hash, size and name of a file" "^$(sha256sum <"$keys/rm_secret" | cut -d' ' -f1) $(stat -c %s "$keys/rm_secret") keys/rm_secret\$" "$list"
is "and the number of files" "end $(($(wc -l <<<"$list") - 1))" "$(tail -1 <<<"$list")"
is "it lists all files of the archive but itself" "$(tar -tvf "$T/all.tar" | awk '/^-/ { print $6 }' | grep -vx MANIFEST | sort)" "$(sed '$d' <<<"$list" | cut -d' ' -f3- | sort)"

kill_nine "$(pid_of rm)"
mkdir "$T/lost"
lose() { mv "$conf" "$T/lost/conf"; mv "$keys" "$T/lost/keys"; mv "$state" "$T/lost/state"; mkdir "$conf"; }
find_again() { rm -rf "$conf" "$keys" "$state"; mv "$T/lost/conf" "$conf"; mv "$T/lost/keys" "$keys"; mv "$T/lost/state" "$state"; }
# What is in the places of a restore: names, modes and contents of all files, but of the lock, which has a process id.
places() { (cd "$T/dev" && find . \( -path ./agent-1 -o -path ./web \) -prune -o -type f ! -name lock -printf '%p %m ' -exec sha256sum {} \; -o ! -name lock -printf '%p %m\n' | sort); }
# data_of NAME: prints where the content of a member begins.
data_of() { echo $((($(tar -tRf "$T/all.tar" | awk -v name="$1" '$3 == name { print $2 + 0 }') + 1) * 512)); }
# refuses NAME ARCHIVE REGEX [STATUS]: the restore of ARCHIVE fails with a message that matches REGEX, and changes nothing.
refuses() {
    local before after
    before=$(places)
    exits "$1: the restore is refused" "${4:-1}" admin restore "$2"
    after=$(places)
    like "$1: the message has the reason" "creel-rm: .*$3.*; nothing was changed" "$OUTPUT"
    is "$1: nothing was changed" "" "$(diff <(echo "$before") <(echo "$after"))"
}
# cut_everywhere: cuts the archive before each member; prints the cuts that were not refused, or that left something.
cut_everywhere() {
    local before block name
    before=$(places)
    while read -r block name; do
        [ "$block" = 0 ] && continue
        head -c $((block * 512)) "$T/all.tar" >"$T/cut.tar"
        if admin restore "$T/cut.tar" >"$T/cut.out" 2>&1; then echo "restored without $name"; fi
        grep -qE "$T/cut.tar: .*; nothing was changed" "$T/cut.out" || { echo "message without $name:"; cat "$T/cut.out"; }
        [ "$(places)" = "$before" ] || echo "something was changed without $name"
    done < <(tar -tRf "$T/all.tar" | sed -n 's/^block \([0-9]*\): \(.*\)/\1 \2/p' | grep -v 'Block of NULs\|End of File')
}
flipped() { # NAME: makes $T/flipped.tar, in which one byte of the member NAME is another one
    cp "$T/all.tar" "$T/flipped.tar"
    local at
    at=$(data_of "$1")
    tail -c +$((at + 1)) "$T/all.tar" | head -c 1 | tr '\000-\377' '\001-\377\000' | dd of="$T/flipped.tar" bs=1 seek="$at" conv=notrunc status=none
}

for host in bare used; do
    if [ $host = bare ]; then lose; else find_again; fi
    is "$host: an archive that is cut before any member is refused, and changes nothing" "" "$(cut_everywhere)"
    head -c $(($(data_of keys/rm_secret) - 512)) "$T/all.tar" >"$T/cut.tar"
    refuses "$host: cut before the secret key" "$T/cut.tar" "$T/cut.tar: is cut or damaged: it lacks keys/"
    head -c $(($(data_of state.db) + 5000)) "$T/all.tar" >"$T/cut.tar"
    refuses "$host: cut within the database" "$T/cut.tar" "$T/cut.tar: is cut or damaged: it lacks (conf|keys)/"
    history=$(grep -o 'history/.*' <<<"$list") blob=$(grep -o 'blobs/.*' <<<"$list" | head -1)
    for member in keys/rm_secret state.db "$history" "$blob" conf/yarn-site.xml; do
        flipped "$member"
        refuses "$host: damaged in $member" "$T/flipped.tar" "$T/flipped.tar: is damaged: $member is not as it was saved"
    done
    flipped MANIFEST
    refuses "$host: damaged in its manifest" "$T/flipped.tar" "$T/flipped.tar: is damaged: "
    rm -rf "$T/unpacked"
    mkdir "$T/unpacked"
    tar -xmf "$T/all.tar" -C "$T/unpacked"
    tar -cf "$T/old.tar" -C "$T/unpacked" state.db history blobs conf keys
    refuses "$host: without a manifest" "$T/old.tar" "$T/old.tar: its first member is not MANIFEST"
    touch "$T/unpacked/history/added"
    tar -cf "$T/more.tar" -C "$T/unpacked" MANIFEST state.db history blobs conf keys
    refuses "$host: with a file that it did not have" "$T/more.tar" "$T/more.tar: .*it has files that its MANIFEST does not list"
done

# A backup of the state alone.
head -c 20000 "$T/state.backup" >"$T/cut.backup"
refuses "a backup of the state that is cut" "$T/cut.backup" "$T/cut.backup: "
head -c 5000 "$T/data" >"$T/other"
refuses "a file that is no backup" "$T/other" "$T/other: is no backup of the state"

# A step after the check fails: the state cannot be put in place, with and without one before, and the keys.
if chattr +i "$state/history" 2>/dev/null; then
    refuses "a former history that cannot be moved" "$T/all.tar" "history: cannot be moved" 4
    chattr -i "$state/history"
fi
lose
: >"$keys"
refuses "a file in the place of the keys" "$T/all.tar" "$keys: is not a directory"
rm "$keys"
mkdir "$state"
touch "$state/history"
chattr +i "$state/history" 2>/dev/null && refuses "a history that cannot be moved" "$T/all.tar" "history: cannot be moved" 4
chattr -i "$state/history" 2>/dev/null
rm -r "$state"
exits "the whole archive is restored after all that" 0 admin restore "$T/all.tar"
is "the keys are those of the archive" "" "$(diff -r "$T/lost/keys" "$keys")"
is "nothing of the restore is left" "" "$(find "$T/dev" -name '*restore-*' ! -name 'before-restore-*')"
check "the resource manager starts" creel dev up --dir "$T/dev" -n 1
becomes "the history is there" 60 ended_in_history
finish
