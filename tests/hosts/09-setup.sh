#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of the administrator's guide make a cluster of three hosts with the packages and no configuration. Its
# defaults are safe: users can act only on their own applications.
. "$(dirname "$0")/lib.sh"
hosts_boot 3
for i in 1 2 3; do
    on $i sh -c 'systemctl stop creel-rm creel-nm; rm -rf /etc/creel/*'
    exits "n$i: without a configuration the units are skipped" 0 on $i systemctl start creel-rm creel-nm
    is "n$i: and do not run" "inactive" "$(on $i systemctl is-active creel-rm creel-nm | sort -u)"
done
for i in 1 2 3; do
    on $i useradd --uid 2002 --create-home bob
    on $i useradd --uid 2003 --create-home carl
    on $i systemctl start munge # (all hosts have the key of the image)
done

exits "creel setup rm" 0 on 1 creel setup rm
exits "the resource manager starts" 0 on 1 systemctl start creel-rm
token=$(on 1 creel token create --join --uses 2 2>/dev/null)
for i in 2 3; do
    # (as through ssh)
    echo "$token" | on $i creel setup node --rm n1 --token - >"$T/setup" 2>&1 &&
        pass "n$i: creel setup node" || fail "n$i: creel setup node" "$(cat "$T/setup")"
    exits "n$i: the agent starts" 0 on $i systemctl start creel-nm
    is "n$i: its secret key is closed to others" 600 "$(on $i stat -c %a "/etc/creel/keys/agents/n${i}_secret")"
done
is "the list has both hosts" "n2 n3" \
    "$(on 1 creel token list --join --json | jq -r '[.items[] | select(.kind == "host").id] | sort | join(" ")')"
echo "$token" | on 1 creel setup node --conf /root/other --rm n1 --token - >"$T/setup" 2>&1
is "the token is used up" 4 $?
like "with the reason" 'it has expired, is used up or revoked' "$(cat "$T/setup")"
becomes "both nodes are there" 30 nodes_running_is 2
like "creel conf check on a node names the files that count" '^access: this host is a node; .*creel conf show --rm yarn.acl.enable' "$(on 2 creel conf check 2>&1)"
like "on the host of the resource manager it prints who administers" '^access: users change their own applications; administrators: root ' "$(on 1 creel conf check 2>&1)"

# --- users
as() { local user=$1; shift; on 1 runuser -u "$user" -- "$@"; }
on 1 systemctl stop munge
exits "a user without a certificate is refused where munged does not run" 4 as ann creel ps
like "with what root has to type" 'root makes one on the host of the resource manager: creel keygen user ann --install; for another host: creel keygen user --export ann there' "$OUTPUT"
on 1 systemctl start munge
exits "creel keygen user" 0 on 1 creel keygen user ann
exits "a user whose certificate belongs to root is refused" 4 as ann creel ps
like "with what root has to type" 'belongs to another user: root makes it yours on this host: creel keygen user ann --install' "$OUTPUT"
exits "creel keygen user --install" 0 on 1 creel keygen user ann bob --install
exits "the user's job runs" 0 as ann creel run -m 64M -- id -un
like "as that user" '^ann$' "$OUTPUT"
id=$(as ann creel submit --id -m 64M -- sleep 600)
becomes "a job of one user runs" 30 running_is "$id" 1
exits "another user cannot kill it" 4 as bob creel kill "$id"
exits "its owner can" 0 as ann creel kill "$id"
id=$(as ann creel submit --id -m 64M -- sleep 600)
exits "an administrator can" 0 on 1 creel kill "$id"
is "a user without a certificate signs in by MUNGE" "carl munge" \
    "$(as carl creel whoami --json | jq -r '.items[0] | "\(.user) \(.method)"')"
exits "the user's job runs on another host" 0 as carl creel run -m 64M -- id -un
like "as that user" '^carl$' "$OUTPUT"
id=$(as ann creel submit --id -m 64M -- sleep 600)
exits "it cannot kill a job of a user with a certificate" 4 as carl creel kill "$id"
exits "that user can" 0 as ann creel kill "$id"
exits "the client of another host signs in, too" 0 on 2 runuser -u carl -- creel ps
exits "munged is stopped" 0 on 1 systemctl stop munge
exits "the command is refused" 4 as carl creel ps
like "with what root has to type" 'systemctl start munge' "$OUTPUT"
exits "and munged is started" 0 on 1 systemctl start munge
exits "the command works" 0 as carl creel ps
exits "a user cannot drain a node" 4 as bob creel node drain n2 --reason test
exits "nor stop a queue" 4 as bob creel queue stop default
finish
