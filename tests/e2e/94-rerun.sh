#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel app rerun: ended applications run again from their stored submission, with --failed only what did not succeed.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
ran() { sort "$T/out/$1" 2>/dev/null | paste -sd' '; }

# shellcheck disable=SC2016 # for the task's shell
a=$(creel submit --id --array 1-4 -m 32M -n parts -- sh -c 'echo "$CREEL_ARRAY_TASK_ID of $CREEL_ARRAY_TASK_COUNT" >>"$0/array"; [ -e "$0/good" ] || exit $((CREEL_ARRAY_TASK_ID % 2))' "$T/out")
exits "two tasks of an array fail" 0 creel wait "$a" --timeout 90
exits "creel app requeue of an ended array is refused" 6 creel app requeue "$a"
advice=$(grep -o 'creel app rerun [_0-9]*' <<<"$OUTPUT")
like "its error names creel app rerun" '^creel app rerun _[0-9]+$' "$advice"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
touch "$T/out/good"
: >"$T/out/array"
# shellcheck disable=SC2086 # several words
exits "the command of that error works, after a restart of the resource manager, with --failed" 0 $advice --failed
b=$(tail -1 <<<"$OUTPUT")
like "it prints the id of a new application" '^application_[0-9]+_[0-9]+$' "$b"
exits "the new array succeeds" 0 creel wait "$b" --timeout 90
is "only the failed tasks ran, as tasks of the whole array" "1 of 4 3 of 4" "$(ran array)"
like "creel status of the new array names the old one" "Rerun of: *$a" "$(creel status "$b")"
is "JSON names the old one, too" "$a" "$(value .rerunOf status "$b")"
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
rest_is() { [ "$(curl -s "$web/ws/v1/cluster/apps/$1" | jq -r .app.creelRerunOf)" = "$2" ]; }
becomes "REST has the old one in creelRerunOf" 30 rest_is "$b" "$a"
like "and the page of the new one has a link to it" "Rerun of</dt><dd><a [^>]*href=\"[^\"]*$a\"" "$(curl -s "$web/cluster/app/$b")"
exits "an array without failed tasks is refused" 6 creel app rerun "$b" --failed
like "with the reason" 'has succeeded' "$OUTPUT"
c=$(creel app rerun "$a" --json | jq -r '.items[0].id')
exits "without --failed the whole array runs" 0 creel wait "$c" --timeout 90
is "with all of its tasks" 4 "$(value .tasks.succeeded status "$c")"
d=$(creel app rerun "${a##*_}_3")
exits "one task of an array runs again" 0 creel wait "$d" --timeout 60
is "as the same task" 3 "$(grep -c '^3 of 4$' "$T/out/array")"
rm "$T/out/good"

# shellcheck disable=SC2016 # for the task's shell
a=$(creel submit --id -N 4 -m 32M -- sh -c 'echo "$CREEL_TASK_INDEX of $CREEL_TASK_COUNT" >>"$0/tasks"; [ -e "$0/good" ] || exit $((CREEL_TASK_INDEX == 2 ? 9 : 0))' "$T/out")
exits "one task of a job of tasks fails" 0 creel wait "$a" --timeout 90
like "creel status prints the command that runs failed tasks again" 'Run again: *creel app rerun _0*[0-9]+ --failed$' "$(creel status "$a")"
touch "$T/out/good"
: >"$T/out/tasks"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
b=$(creel app rerun --failed "$a")
exits "the failed task runs again" 0 creel wait "$b" --timeout 90
is "and no other one" "2 of 4" "$(ran tasks)"
unlike "a job of which all tasks have succeeded has no such line" 'Run again' "$(creel status "$b")"

# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\necho "from a script, $1"; exit 4\n' >"$T/job.sh"
a=$(creel submit --id -m 32M --mail-type FAIL -- "$T/job.sh" again)
exits "a script fails" 0 creel wait "$a" --timeout 60
exits "while a job runs, creel app rerun is refused" 6 creel app rerun "$(creel submit --id -m 32M -- sleep 1000)"
like "the error names creel app requeue" 'creel app requeue _' "$OUTPUT"
rm "$T/job.sh"
b=$(creel app rerun "$a" 2>"$T/notices")
like "creel app rerun prints that no mail is sent" 'no mail is sent: the resource manager has no notify command' "$(cat "$T/notices")"
exits "the script runs again although its file is gone" 0 creel wait "$b" --timeout 60
like "with its arguments" 'from a script, again' "$(creel logs "$b" --stdout 2>/dev/null)"
find "$T/dev" -path '*/blobs/*' -type f -delete
exits "a file that the resource manager no longer has is named" 3 creel app rerun "$b"
like "with what to do" 'its file job.sh is no longer kept .*: submit the job again' "$OUTPUT"

# --- the applications that it waited for
# shellcheck disable=SC2016 # for the task's shell
a=$(creel submit --id --array 0-1 -m 32M -- sh -c '[ -e "$0/better" ] || exit "$CREEL_ARRAY_TASK_ID"' "$T/out")
c=$(creel submit --id --array 0-1 -m 32M -d "corr:${a##*_}" -- true)
exits "an array ends whose second task depends on one that failed" 0 creel wait "$c" --timeout 90
like "it has no exit status, since no task of its own has failed with one" '^State: *FAILED \(FAILED\)$' "$(creel status "$c")"
touch "$T/out/better"
b=$(creel app rerun "$a" --failed)
exits "the array that it depends on runs again" 0 creel wait "$b" --timeout 90
d=$(creel app rerun "$c" --failed 2>"$T/notices")
like "creel app rerun prints that the new one does not wait" "the new application does not wait for those that $c depended on" "$(cat "$T/notices")"
exits "the rest of the second array runs again" 0 creel wait "$d" --timeout 90
is "and succeeds" SUCCEEDED "$(value .finalStatus status "$d")"

echo data | creel run --quiet -m 32M -- sh -c 'cat >/dev/null; exit 5' >/dev/null 2>&1
a=$(creel app list --json | jq -r '.items[-1].id')
exits "a job that read standard input is refused" 1 creel app rerun "$a"
like "with the reason" 'standard input' "$OUTPUT"
exits "an unknown application is refused" 3 creel app rerun 4711
exits "another user may not run it again" 4 creel --as nobody app rerun "$b"
like "the error names the owner" 'belongs to root: user nobody may not run it again' "$OUTPUT"
finish
