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
printf '%s\n' "$line" >>"$1/events"
id -un >>"$1/users"
S
chmod 0755 "$T/notify.sh"
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

is "no notify command has failed so far" 0 "$(failures_in_log)"
touch "$T/out/hang"
hung=$(creel submit --id -m 32M -- true)
exits "a job ends while the notify command hangs" 0 creel wait "$hung" --timeout 60
becomes "a notify command that hangs is killed" 60 grep -q 'notify.sh failed: killed after 5000 ms (creel.jobs.notify-timeout-ms)' "$log"
no_sleep() { ! pgrep -f "^sleep $word" >/dev/null; }
becomes "all processes of the notify command are killed" 60 no_sleep
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
is "no event of an earlier job is repeated" $((before + 1)) "$(grep -c . "$T/out/events")"
finish
