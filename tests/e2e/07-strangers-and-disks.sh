#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unknown keys, full disks, users other than root, many tasks.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
small=$T/dev/agent-1/local
trap 'umount -l "$small" 2>/dev/null; cleanup' EXIT
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"

# --- keys --------------------------------------------------------------------
mkdir "$T/stranger"
cp -r "$T/dev/conf" "$T/stranger/conf"
cp -r "$T/dev/keys" "$T/stranger/keys"
rm -f "$T"/stranger/keys/users/*
sed -i "s|$T/dev/keys|$T/stranger/keys|" "$T/stranger/conf/creel-site.xml"
check "creel keygen user makes a key pair" creel --conf "$T/stranger/conf" keygen user root
exits "a key that the RM does not know is refused" 4 creel --conf "$T/stranger/conf" --timeout 5 ps
like "the error for an unknown key names the key directory" 'refused our key.*key directory' "$OUTPUT"
creel keygen cluster "$T/stranger/other" >/dev/null 2>&1
cp "$T/stranger/other/rm" "$T/stranger/keys/rm"
exits "a client refuses a resource manager with another key than expected" 4 \
    creel --conf "$T/stranger/conf" --timeout 5 ps
like "the error for another key of the resource manager reports that it is not the expected key" 'does not have the key expected of creel-rm' "$OUTPUT"
exits "a key is accepted when it is added to the key directory of the RM" 0 sh -c "
    cp '$T/dev/keys/rm' '$T/stranger/keys/rm'
    cp '$T/stranger/keys/users/root' '$T/dev/keys/users/stranger'
    creel --conf '$T/stranger/conf' --timeout 5 cluster info"
rm -f "$T/dev/keys/users/stranger"

# --- a full disk under an agent ------------------------------------------------
agent=$(pid_of agent)
mount -t tmpfs -o size=512k,mode=0755 creel-e2e "$small"
dd if=/dev/zero of="$small/fill" bs=1k count=4096 2>/dev/null
id=$(creel submit --id -f /bin/sh#data -- true)
OUTPUT=$(creel wait "$id" --timeout 8; creel status "$id"; creel node list -o wide)
creel kill "$id" >/dev/null 2>&1
like "a job on a node with a full disk fails or waits with a reason that names the disk" '[Nn]o space|disk|full|free' "$OUTPUT"
is "the agent with the full disk was not restarted" "$agent" "$(pid_of agent)"
rm -f "$small/fill"
becomes "the node runs a job when its disk has free space again" 30 creel run -- true

# --- users, scripts, many tasks --------------------------------------------------
printf '#!/bin/sh\nid -un; cat words\n' >"$T/script.sh"
echo hello >"$T/words"
chmod 0644 "$T/script.sh" "$T/words"
exits "a job of another user with a script and a file succeeds" 0 \
    creel --as nobody run -f "$T/words" -- "$T/script.sh"
is "the script runs as that user and reads the file" "nobody
hello" "$(grep -E '^(nobody|hello)$' <<<"$OUTPUT")"

count=${E2E_TASKS:-300}
exits "a job of $count tasks succeeds on one node" 0 creel submit --wait --timeout 900 -N "$count" -m 16M -- sh -c 'echo x >>'"$T"'/out/$CREEL_TASK_INDEX'
is "each of the $count tasks runs" "$count" "$(find "$T/out" -type f | wc -l)"
is "no task runs twice" "" "$(find "$T/out" -type f -size +2c)"
finish
