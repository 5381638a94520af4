#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The notify command (creel.jobs.notify-command): JSON events of jobs, its user, timeout, failures, restarts.
. "$(dirname "$0")/lib.sh"
word=$(unlike_others)
cat >"$T/notify.sh" <<'S'
#!/bin/sh
# notify.sh FOLDER WORD: adds the event to FOLDER/events; ends of jobs hang if FOLDER/hang exists.
line=$(cat)
case $line in *'"event":"end"'*) [ ! -e "$1/hang" ] || exec sleep "$2" ;; esac
printf '%s\n' "$line" | "${1%/out}/creel-mail" --sendmail "${1%/out}/sendmail" --from creel@example.org || exit
printf '%s\n' "$line" >>"$1/events"
id -un >>"$1/users"
S
cp "$(dirname "$0")/../../examples/creel-mail" "$T/creel-mail"
cat >"$T/sendmail" <<'S'
#!/bin/sh
# sendmail OPTION...: adds the mail, with its arguments, to the folder out.
{ echo "arguments: $*"; cat; } >>"${0%/sendmail}/out/mail"
S
chmod 0755 "$T/notify.sh" "$T/creel-mail" "$T/sendmail"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>creel.jobs.notify-command</name><value>$T/notify.sh $T/out $word</value></property>
  <property><name>creel.jobs.notify-timeout-ms</name><value>5000</value></property>
</configuration>
X
events() { jq -r --arg id "$1" 'select(.id == $id) | .event' "$T/out/events" 2>/dev/null | paste -sd' '; }
events_are() { [ "$(events "$1")" = "$2" ]; }
field() { jq -r --arg id "$1" --arg event "$2" "select(.id == \$id and .event == \$event) | $3" "$T/out/events"; }
log="$T/dev/rm/log"
failures_in_log() { grep -c 'the notify command .* failed' "$log"; }

# bad KEY VALUE: a configuration with a notify command and KEY.
bad() {
    rm -rf "$T/bad"; mkdir "$T/bad"
    printf '<configuration><property><name>creel.jobs.notify-command</name><value>%s</value></property><property><name>creel.jobs.notify-user</name><value>%s</value></property></configuration>\n' "$@" >"$T/bad/creel-site.xml"
}
bad 'mailer --to ops' ''
exits "creel conf check refuses a notify command without an absolute path" 7 creel conf check "$T/bad"
like "the error of creel conf check has the file, the key and the command" \
    'creel-site.xml:1: creel.jobs.notify-command: mailer is no absolute path' "$OUTPUT"
exits "creel-rm does not start with a notify command without an absolute path" 7 creel-rm --conf "$T/bad"
bad /bin/true no-such-user
exits "creel-rm does not start with an unknown notify user" 7 creel-rm --conf "$T/bad"
like "the error of creel-rm has the key and the notify user" \
    'creel.jobs.notify-user: no-such-user: there is no such user on this host' "$OUTPUT"

cluster_up -n 1 --conf "$T/conf"
like "the log names the command and its user" 'events of jobs are passed to .*/notify.sh, which runs as user nobody' "$(cat "$log")"

notify_is() { creel cluster health -o wide | grep -qE "^notify +$1"; }
becomes "creel cluster health has no fault of the notify command" 30 notify_is ok
good=$(creel submit --id -m 32M --name good -- true)
becomes "a job that succeeds has a begin event and an end event" 30 events_are "$good" "begin end"
is "the begin event has the state and no result" "RUNNING UNDEFINED null null" \
    "$(field "$good" begin '"\(.state) \(.finalStatus) \(.exitStatus) \(.finishedMs)"')"
is "the end event has the result" "creel/v1 JobEvent good root FINISHED SUCCEEDED 0" \
    "$(field "$good" end '"\(.apiVersion) \(.kind) \(.name) \(.user) \(.state) \(.finalStatus) \(.exitStatus)"')"
creel status "$good" --json | jq '.items[0]' >"$T/status"
is "the end event has the values of creel status --json" "{}" \
    "$(jq -c --slurpfile status "$T/status" --arg id "$good" 'select(.id == $id and .event == "end") | del(.apiVersion, .kind, .event) |
        with_entries(select(.value != $status[0][.key]))' "$T/out/events")"
is "the notify command runs as nobody" "nobody" "$(sort -u "$T/out/users")"

bad=$(creel submit --id -m 32M -- sh -c 'exit 3')
becomes "a job that fails has a begin event and a fail event" 30 events_are "$bad" "begin fail"
is "the fail event has the exit status" "FAILED 3" "$(field "$bad" fail '"\(.state) \(.exitStatus)"')"

killed=$(creel submit --id -m 32M -- sleep 1000)
becomes "a job has a begin event when its command runs" 30 events_are "$killed" "begin"
creel kill "$killed" >/dev/null
becomes "a job that is killed has an end event" 30 events_are "$killed" "begin end"
is "the end event of a killed job has the state KILLED and the reason" \
    "KILLED killed by root" "$(field "$killed" end '"\(.state) \(.diagnostics)"')"

held=$(creel submit --id -m 32M --hold -- true)
creel kill "$held" >/dev/null
becomes "a job that is killed while it is held has only an end event" 30 events_are "$held" "end"

array=$(creel submit --id -m 32M --array 0-2 -- true)
becomes "an array has one begin event and one end event" 60 events_are "$array" "begin end"
is "the end event of an array counts its tasks" \
    "0-2 3 3" "$(field "$array" end '"\(.array) \(.tasks.total) \(.tasks.succeeded)"')"
is "the tasks of an array have no events of their own" "5" "$(jq -r .id "$T/out/events" | sort -u | wc -l)"

rm -f "$T/out/mail"
mailed=$(creel submit --id -m 32M --mail-type END --mail-user "<ann@example.org>,bob,two words" -n 'two words' -- sh -c 'exit 3')
becomes "a job with --mail-type END fails" 60 events_are "$mailed" "begin fail"
is "sendmail of the example gets one mail, for both addresses, without the one that is none" \
    "arguments: -i -f creel@example.org -- ann@example.org bob" "$(grep '^arguments' "$T/out/mail")"
is "the mail has the id, the name and the result in its subject" \
    "Subject: $mailed two words has failed (exit status 3)" "$(tr -d '\r' <"$T/out/mail" | sed -n '/^Subject/,/^[^ S]/{/^Subject\|^ /p}' | tr -d '\n')"
rm -f "$T/out/mail"
quiet=$(creel submit --id -m 32M --mail-type FAIL -- true)
becomes "a job with --mail-type FAIL succeeds" 60 events_are "$quiet" "begin end"
is "and causes no mail" "" "$(cat "$T/out/mail" 2>/dev/null)"
late=$(creel submit --id -n late -m 32M -t 2s --mail-type FAIL --mail-user ann@example.org -- sleep 1000)
becomes "a job that reaches its time limit has a fail event" 60 events_are "$late" "begin fail"
is "and a mail that names the limit" "Subject: $late late has failed: its time limit of 2 s is reached" \
    "$(tr -d '\r' <"$T/out/mail" | sed -n '/^Subject/,/^[^ S]/{/^Subject\|^ /p}' | tr -d '\n')"
rm -f "$T/out/mail"
printf '#!/bin/sh\n#SBATCH --mail-type=ALL,TIME_LIMIT_80\n#SBATCH --mail-user=ann@example.org\n#SBATCH --mem=32\ntrue\n' >"$T/mail.sh"
mailed=$(creel submit --id "$T/mail.sh" 2>"$T/notices")
like "a Slurm script names the events that creel does not have" 'no mail about TIME_LIMIT_80' "$(cat "$T/notices")"
becomes "the script begins and ends" 60 events_are "$mailed" "begin end"
is "with a mail for each" "2" "$(grep -c '^arguments: -i .* -- ann@example.org$' "$T/out/mail")"
exits "an address that would be an option is refused" 2 creel submit --mail-type ALL --mail-user=-oQ/tmp -- true
exits "an event that Slurm does not have is refused" 2 creel submit --mail-type ABORT -- true
is "the example refuses an address with a second header" \
    $'ignored, since it is no address: ann@example.org Bcc: eve\nno mail is sent: there is no address' \
    "$(echo '{}' | CREEL_MAIL_TO=$'ann@example.org\nBcc: eve' "$T/creel-mail" --sendmail "$T/sendmail" 2>&1)"
rm -f "$T/out/mail"
printf '%s\n' '{"event":"end","id":"a","name":"x\r\nBcc: eve@example.org","state":"FINISHED"}' | CREEL_MAIL_TO=ann "$T/creel-mail" --sendmail "$T/sendmail"
is "a name with a line break makes no header" "0" "$(grep -c '^Bcc' "$T/out/mail")"

is "no notify command has failed so far" 0 "$(failures_in_log)"
touch "$T/out/hang"
hung=$(creel submit --id -m 32M -- true)
exits "a job ends while the notify command hangs" 0 creel wait "$hung" --timeout 60
becomes "a notify command that hangs is killed" 60 grep -q 'notify.sh failed: killed after 5000 ms (creel.jobs.notify-timeout-ms)' "$log"
no_sleep() { ! pgrep -f "^sleep $word" >/dev/null; }
becomes "all processes of the notify command are killed" 60 no_sleep
becomes "creel cluster health warns of it" 30 notify_is 'warning .*notify.sh fails, and events of jobs are lost: killed after 5000 ms'
is "the failure of the notify command is logged once" 1 "$(failures_in_log)"
rm "$T/out/hang"

long=$(creel submit --id -m 32M -- sleep 1000)
becomes "a job has begun before the restart" 30 events_are "$long" "begin"
kill_nine "$(pid_of rm)"
chmod 0644 "$T/notify.sh"
before=$(grep -c . "$T/out/events")
exits "the resource manager starts again" 0 creel dev up --dir "$T/dev" -n 1 --conf "$T/conf"
for i in 1 2 3; do
    exits "job $i succeeds while the notify command cannot be executed" 0 creel run --quiet -m 32M -- true
done
becomes "the log reports that the notify command cannot be executed" 30 \
    grep -q 'notify.sh failed: cannot be executed: Permission denied' "$log"
is "the log reports that only once" 1 "$(grep -c 'cannot be executed' "$log")"
chmod 0755 "$T/notify.sh"
creel kill "$long" >/dev/null
becomes "a job that began before the restart has an end event" 30 events_are "$long" "begin end"
becomes "the check of the notify command is ok again" 30 notify_is ok
is "no event of an earlier job is repeated" $((before + 1)) "$(grep -c . "$T/out/events")"
finish
