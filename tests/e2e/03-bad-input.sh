#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Invalid input of every kind gives a clear error message, and no daemon ends.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

exits "an unknown queue is refused" 3 creel submit -q nowhere -- true
like "the error for an unknown queue names the queue" 'nowhere: no such queue' "$OUTPUT"
exits "a size beyond the maximum allocation is refused" 8 creel submit -m 900G -- true
like "the error for too large a size names the maximum allocation" 'above the maximum for one container, <memory:[1-9]' "$OUTPUT"
exits "creel run of a command that does not exist exits with 127" 127 creel run -- no-such-command-here
like "the error of creel run names the command that does not exist" 'no-such-command-here' "$OUTPUT"
exits "a file of -f that does not exist is reported before the submission" 1 creel submit -f "$T/gone" -- true
like "the error for a missing file of -f names the file" "$T/gone" "$OUTPUT"
exits "an unknown option is a usage error" 2 creel submit --no-such-option -- true
exits "creel submit without a command is a usage error" 2 creel submit
exits "a malformed memory size is a usage error" 2 creel submit -m lots -- true
like "the error for a malformed memory size names the size" '--memory lots: expected a size' "$OUTPUT"
exits "a umask that is not octal is a usage error" 2 creel submit --umask 089 -- true
like "the error for an invalid umask names the range of --umask" \
    'umask 089: expected an octal number from 0 to 0777' "$OUTPUT"
exits "a nice value out of range is a usage error" 2 creel submit --nice 20 -- true
like "the error for a nice value out of range names the range of --nice" \
    'nice 20: expected a number from -20 to 19' "$OUTPUT"
cp /bin/true "$T/$(printf '\351%.0s' {1..64})"
exits "a name of a file with too many bytes that are not UTF-8 is refused" 1 creel submit -f "$T/"$'\xe9'* -- true
like "the error names the limit and the remedy" 'its name has 256 bytes, with four for each one that is not UTF-8; at most 255 are allowed: give it another name' "$OUTPUT"
exits "creel status of an unknown application exits with 3" 3 creel status application_1_0001
exits "creel kill of an unknown application exits with 3" 3 creel kill 99999
exits "creel node show of an unknown node exits with 3" 3 creel node show nowhere:1
like "the error for an unknown node names the command that lists node ids" \
    'node nowhere:1: not known here \(creel node list shows ids\)' "$OUTPUT"
exits "creel container show of an unknown container exits with 3" 3 \
    creel container show container_1_0001_01_000001
exits "an unknown command is a usage error" 2 creel submti -- true
like "the error for an unknown command suggests a similar command" 'did you mean: creel submit$' "$OUTPUT"
exits "creel squeue, a command of Slurm, is a usage error" 2 creel squeue
like "the error for creel squeue suggests creel app list" 'try: creel app list' "$OUTPUT"
exits "an unknown node state is a usage error" 2 creel node list --state BOGUS
exits "creel app list of an unknown queue exits with 3" 3 creel app list --queue nowhere
exits "creel kill of an unknown queue exits with 3" 3 creel kill --queue nowhere --yes
exits "creel container logs of an unknown container exits with 3" 3 \
    creel container logs container_1_0001_01_000001
exits "--wait with --detach is a usage error" 2 creel submit --wait --detach -- true
exits "creel keygen user with a blank in the user name is a usage error" 2 \
    creel keygen user 'a b' --dir "$T/somekeys"
exits "creel keygen user makes a certificate" 0 creel keygen user zed --dir "$T/somekeys"
exits "creel keygen user does not replace a certificate" 6 creel keygen user zed --dir "$T/somekeys"
exits "creel dev up with a missing configuration directory exits with 7" 7 creel dev up --conf "$T/absent" --dir "$T/other"
exits "creel label add is refused while node labels are disabled" 6 creel label add x

id=$(creel submit --id -- true)
creel wait "$id" --timeout 60 >/dev/null 2>&1
exits "creel kill of an application that has ended is refused" 6 creel kill "$id"

exits "an address without a resource manager is reported within the timeout" 5 \
    creel --rm 127.0.0.1:1 --timeout 2 ps
like "the error of a client without a resource manager names the address" '127.0.0.1:1' "$OUTPUT"
exits "a job for an address without a resource manager is not submitted" 5 creel --rm 127.0.0.1:1 --timeout 2 submit -- true
unlike "... and cannot have been" 'may have been submitted' "$OUTPUT"

# Random bytes on each port: no daemon ends.
before=$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid] | sort')
for port in $(creel dev status --dir "$T/dev" --json | jq -r '.items[].ports | (if type == "object" then .[] else .[] end)'); do
    timeout 5 bash -c "head -c 65536 /dev/urandom >/dev/tcp/127.0.0.1/$port" 2>/dev/null
done
exits "the cluster runs a job after random bytes on every port" 0 creel run -- true
is "no daemon was restarted after random bytes on every port" "$before" "$(creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid] | sort')"

# An invalid configuration stops the daemon with file, line, key, value and the expected value.
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>plenty</value></property>
</configuration>
X
exits "creel-rm does not start with a malformed value" 7 timeout 20 creel-rm --conf "$T/conf"
like "the error of creel-rm for a malformed value names file and line" 'yarn-site.xml:3' "$OUTPUT"
like "the error of creel-rm for a malformed value names key and value" \
    'yarn.scheduler.minimum-allocation-mb.*plenty' "$OUTPUT"
exits "creel conf check refuses a malformed value" 7 creel conf check "$T/conf"
like "creel conf check names file, line and value" 'yarn-site.xml:3.*plenty' "$OUTPUT"
mkdir -m 0755 "$T/keyless" "$T/keyless/keys"
echo "<configuration><property><name>creel.security.key-dir</name><value>$T/keyless/keys</value></property></configuration>" \
    >"$T/keyless/creel-site.xml"
for daemon in creel-rm creel-nm creel-web; do
    exits "$daemon does not start without its certificate, and its unit does not try again" 7 timeout 20 $daemon --conf "$T/keyless"
    like "the error of $daemon names the file" "certificates? $T/keyless/keys/[a-z/_]+ is missing: .*creel keygen" "$OUTPUT"
done
exits "creel conf check of a missing directory exits with 7" 7 creel conf check "$T/absent"
finish
