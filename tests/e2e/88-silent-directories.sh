#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A disk of the history or of submitted files that does not answer stops nothing else, and health names it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hung.sh"
state=$T/dev/rm/state
text_of() { creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c) | .result + ": " + .text'; }
text_is() { text_of "$1" | grep -qE "$2"; }
finished() { creel submit --wait -m 64M "$@" >/dev/null 2>&1; }

echo data >"$T/data"
cluster_up -n 1
becomes "free-space is ok" 60 text_is free-space '^ok'
check "a job runs" finished -- true
becomes "it is in the history" 60 test -d "$state/history"

# --- the history
freeze "$state/history"
becomes "health fails, and names the history that does not answer" 60 \
    text_is free-space "^failed: history has not answered for [0-9]+ s \($state/history\)"
becomes "the log names it" 20 grep -qE "$state/history \(history\) has not answered for [0-9]+ s" "$T/dev/rm/log"
check "a job runs meanwhile" finished -- true
check "a job with a file runs meanwhile" finished -f "$T/data" -- cat data
is "the node is RUNNING" 1 "$(nodes_running)"
rm=$(pid_of rm)
client_port=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "rm").ports.client')
kill "$rm"
becomes "the resource manager stops" 60 gone "$rm"
like "the log has the reason" 'the history is abandoned: .*/history does not answer' "$(cat "$T/dev/rm/log")"
# A start that fails, here since a port is in use, ends though the history does not answer.
cp -r "$T/dev/conf" "$T/taken"
port() { creel dev status --dir "$T/dev" --json | jq -r --arg r "$1" ".items[] | select(.role == \$r).ports.$2"; }
sed -i "s|127\.0\.0\.1:$client_port<|127.0.0.1:$(port agent agent)<|" "$T/taken"/*.xml
exits "a start that fails ends with 1" 1 timeout 60 creel-rm --conf "$T/taken"
like "it prints the reason" "^creel-rm: .*:$(port agent agent)" "$OUTPUT"
thaw

# --- submitted files, from before the start
freeze "$state/blobs"
check "the resource manager starts" creel dev up --dir "$T/dev" -n 1
becomes "a job without files runs" 60 finished -- true
becomes "health fails, and names the uploads that do not answer" 60 \
    text_is free-space "^failed: uploads has not answered for [0-9]+ s \($state/blobs\)"
refused() { OUTPUT=$(creel submit --timeout 3s -f "$T/data" -- cat data 2>&1); grep -q 'has the submitted files, has not answered' <<<"$OUTPUT"; }
becomes "a job with files is refused with the reason" 60 refused
check "a job without files runs" finished -- true
rm=$(pid_of rm)
thaw
becomes "health is ok when the disk answers" 60 text_is free-space '^ok'
becomes "a job with files runs again, without a restart" 60 finished -f "$T/data" -- cat data
is "the resource manager is the same process" "$rm" "$(pid_of rm)"
finish
