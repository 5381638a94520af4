#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Invalid input of every kind gives a clear error message, and no daemon ends.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

exits "an unknown queue is refused" 3 creel submit -q nowhere -- true
like "by name" 'nowhere' "$OUTPUT"
exits "a size beyond the maximum allocation is refused" 8 creel submit -m 900G -- true
like "with the maximum" '[Mm]aximum' "$OUTPUT"
exits "a command that does not exist ends as in a shell" 127 creel run -- no-such-command-here
like "and names it" 'no-such-command-here' "$OUTPUT"
exits "a file that vanished is reported before submitting" 1 creel submit -f "$T/gone" -- true
like "by name" "$T/gone" "$OUTPUT"
exits "an unknown option is wrong usage" 2 creel submit --no-such-option -- true
exits "no command is wrong usage" 2 creel submit
exits "a malformed size is wrong usage" 2 creel submit -m lots -- true
like "that names the option and the value" 'lots' "$OUTPUT"
exits "a umask that is no octal number is wrong usage" 2 creel submit --umask 089 -- true
like "and the message has the range" 'umask 089: expected an octal number from 0 to 0777' "$OUTPUT"
exits "a nice value out of range is wrong usage" 2 creel submit --nice 20 -- true
like "and the message has its range" 'nice 20: expected a number from -20 to 19' "$OUTPUT"
exits "an argument that is not UTF-8 is refused, not changed" 1 creel submit -- echo $'caf\xe9'
like "by its place" 'command\[1\]: is not valid UTF-8' "$OUTPUT"
exits "an unknown application" 3 creel status application_1_0001
exits "an unknown application, killed" 3 creel kill 99999
exits "an unknown node" 3 creel node show nowhere:1
like "and where the ids of nodes are" 'node nowhere:1: not known here \(creel node list shows ids\)' "$OUTPUT"
exits "an unknown container" 3 creel container show container_1_0001_01_000001
exits "an unknown command" 2 creel submti -- true
like "with a suggestion" 'submit' "$OUTPUT"
exits "Slurm's habits get a hint" 2 creel squeue
like "which is the command" 'try: creel app list' "$OUTPUT"
exits "a state of nodes that there is none of" 2 creel node list --state BOGUS
exits "a queue that is none has no applications" 3 creel app list --queue nowhere
exits "nor any to kill" 3 creel kill --queue nowhere --yes
exits "no such container has logs" 3 creel container logs container_1_0001_01_000001
exits "waiting and not waiting" 2 creel submit --wait --detach -- true
exits "a name that no certificate has" 2 creel keygen user 'a b' --dir "$T/somekeys"
exits "a certificate is made" 0 creel keygen user zed --dir "$T/somekeys"
exits "and not replaced" 6 creel keygen user zed --dir "$T/somekeys"
exits "a local cluster of a configuration that is not there" 7 creel dev up --conf "$T/absent" --dir "$T/other"
exits "no label where there are none" 6 creel label add x

id=$(creel submit --id -- true)
creel wait "$id" --timeout 60 >/dev/null 2>&1
exits "killing what is over is refused" 6 creel kill "$id"

exits "no RM at that address is reported within the timeout" 5 creel --rm 127.0.0.1:1 --timeout 2 ps
like "with the address" '127.0.0.1:1' "$OUTPUT"

mkdir -p "$T/otherkeys"
creel keygen cluster "$T/otherkeys" >/dev/null 2>&1 || creel keygen cluster --dir "$T/otherkeys" >/dev/null 2>&1
# Random bytes on each port: no daemon ends.
before=$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid] | sort')
for port in $(creel dev status --dir "$T/dev" --json | jq -r '.items[].ports | (if type == "object" then .[] else .[] end)'); do
    timeout 5 bash -c "head -c 65536 /dev/urandom >/dev/tcp/127.0.0.1/$port" 2>/dev/null
done
exits "after random bytes on every port the cluster works" 0 creel run -- true
is "and nobody was restarted" "$before" "$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid] | sort')"

# An invalid configuration stops the daemon with file, line, key, value and the expected value.
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>plenty</value></property>
</configuration>
X
exits "a malformed value stops the daemon" 7 timeout 20 creel-rm --conf "$T/conf"
like "with file and line" 'yarn-site.xml:3' "$OUTPUT"
like "key and value" 'yarn.scheduler.minimum-allocation-mb.*plenty' "$OUTPUT"
exits "conf check finds the same mistake" 7 creel conf check "$T/conf"
like "in the same words" 'yarn-site.xml:3.*plenty' "$OUTPUT"
exits "a directory that is not there" 7 creel conf check "$T/absent"
finish
