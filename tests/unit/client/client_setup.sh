#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# client_setup.sh - creel setup rm, node and client: the files they make, and what they refuse: TAP
set -u
creel=$(cd "${BUILD:-.}" && pwd)/creel
T=$(mktemp -d /tmp/creel-setup.XXXXXX)
trap 'rm -rf "$T"' EXIT
n=0 failed=0
host=$(hostname)

report() {      # NAME PROBLEM
    n=$((n + 1))
    if [ -z "$2" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        sed 's/^/# /' <<<"$2"
        failed=1
    fi
}
is() { report "$1" "$([ "$2" = "$3" ] || printf 'expected: %s\ngot:      %s\n' "$2" "$3")"; }
# ends NAME STATUS REGEX COMMAND...: the output, of both streams, has a line like REGEX.
ends() {
    local name=$1 status=$2 regex=$3 output got=0
    shift 3
    output=$("$@" 2>&1) || got=$?
    report "$name" "$([ "$got" = "$status" ] && grep -qE -- "$regex" <<<"$output" || printf 'status %s\n%s\n' "$got" "$output")"
}
value() { "$creel" conf show --conf "$1" "$2" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["items"][0]["value"])'; }

# --- the resource manager
ends "a host of the name localhost is refused" 1 'creel setup rm --host HOST' "$creel" setup rm --conf "$T/rm" --host localhost
ends "a name that cannot be a host" 1 'no name of a host' "$creel" setup rm --conf "$T/rm" --host 'a<b'
is "nothing was made" "" "$(ls "$T")"
ends "setup rm" 0 'creel setup node --rm n1\.example\.org --token -' env -u SUDO_USER \
    sh -c "umask 077; exec $creel setup rm --conf $T/rm --host n1.example.org"
is "with a umask of 077, too, users can read what is for them" "755 755 755 644 644" \
    "$(cd "$T/rm" && stat -c %a . keys keys/users keys/rm yarn-site.xml | xargs)"
ends "the configuration is good" 0 ': good' "$creel" conf check "$T/rm"
is "clients find the resource manager" n1.example.org:8032 "$(value "$T/rm" yarn.resourcemanager.address)"
is "access lists are on" true "$(value "$T/rm" yarn.acl.enable)"
is "root alone is administrator" root "$(value "$T/rm" yarn.admin.acl)"
is "creel-web has a certificate" 600 "$(stat -c %a "$T/rm/keys/users/creel-web_secret")"
is "secrets are closed to others" 600 "$(stat -c %a "$T/rm/keys/rm_secret")"
before=$(find "$T/rm" -type f -exec sha256sum {} + | sort)
ends "a second time it is refused" 6 'exists already: nothing was changed' "$creel" setup rm --conf "$T/rm" --host n2
ends "CREEL_CONF_DIR names the directory, too" 6 "$T/rm.*exists already: nothing was changed" env CREEL_CONF_DIR="$T/rm" "$creel" setup rm --host n2
is "and changes nothing" "$before" "$(find "$T/rm" -type f -exec sha256sum {} + | sort)"
if [ "$(id -u)" = 0 ]; then
    ends "who used sudo is an administrator" 0 'made certificates' env SUDO_USER=nobody "$creel" setup rm --conf "$T/sudo" --host n1
    is "as is root" root,nobody "$(value "$T/sudo" yarn.admin.acl)"
    is "and can read the certificate" nobody "$(stat -c %U "$T/sudo/keys/users/nobody_secret")"
    ends "keygen user --install gives the secret to the user" 0 'can use creel on this host' \
        "$creel" keygen user nobody --install --dir "$T/rm/keys"
    is "who owns it then" nobody "$(stat -c %U "$T/rm/keys/users/nobody_secret")"
fi
ends "keygen user --install of no user of this host" 3 'there is no user no-such-user on this host' \
    "$creel" keygen user no-such-user --install --dir "$T/rm/keys"
is "makes no certificate" "" "$(find "$T/rm/keys" -name 'no-such-user*')"

# --- a host of users
ends "setup client without a token" 2 'creel setup client --rm HOST --token TOKEN' "$creel" setup client --conf "$T/login" --rm n1
ends "setup client with a token that is none" 1 'this is no join token' "$creel" setup client --conf "$T/login" --rm n1 --token creel-join-AAAA
ends "setup client on the host of the resource manager" 6 'exists already: nothing was changed' "$creel" setup client --conf "$T/rm" --rm n1 --token creel-join-AAAA
is "nothing was made" "" "$(ls -d "$T/login" 2>/dev/null)"
ends "one of the options of keygen user" 2 'one of --install, --export, --import and --remove' "$creel" keygen user ann --install --export --dir "$T/rm/keys"

# --- a node
keys=$("$creel" keygen agent --quiet --export --dir "$T/rm/keys" "$host")
node() { "$creel" setup node --conf "$T/$1" --rm n1.example.org --keys -; }
again() { "$creel" keygen agent --quiet --export --dir "$T/rm/keys" "$host"; }
is "keys that exist are exported again" "$keys" "$(again)"
ends "no keys" 1 'standard input: these are not the keys of a node' node bad <<<""
ends "half of the keys" 1 'not all of them' node bad <<<"$(head -n 2 <<<"$keys")"
ends "a changed key" 1 'do not belong together|no (public|secret)-key' node bad <<<"$(sed '3{s/!$/?/;t;s/.$/!/}' <<<"$keys")"
ends "keys of another host" 1 'these keys are for the host other, and this is' node bad <<<"${keys/agent $host /agent other }"
ends "an address with a port" 2 'without a port' "$creel" setup node --conf "$T/bad" --rm n1:8031 --keys -
ends "no keys and no token" 2 '--token TOKEN, or --rm HOST --keys FILE' "$creel" setup node --conf "$T/bad" --rm n1
ends "a token that is none" 1 'this is no join token' "$creel" setup node --conf "$T/bad" --rm n1 --token creel-join-AAAA
ends "a file that is not there" 3 "$T/none: cannot be read" "$creel" setup node --conf "$T/bad" --rm n1 --keys "$T/none"
is "nothing was made" "" "$(ls -d "$T/bad" 2>/dev/null)"
ends "setup node" 0 'Next: systemctl restart creel-nm' node node <<<"$keys"
ends "the configuration is good" 0 ': good' "$creel" conf check "$T/node"
is "an agent on the host of the resource manager detects what it has" true "$(value "$T/rm" yarn.nodemanager.resource.detect-hardware-capabilities)"
is "the node detects what it has" true "$(value "$T/node" yarn.nodemanager.resource.detect-hardware-capabilities)"
is "its certificates are those of the resource manager's host" "" \
    "$(for f in "agents/$host" "agents/${host}_secret"; do cmp "$T/rm/keys/$f" "$T/node/keys/$f"; done 2>&1
    grep -F "$(grep public-key "$T/rm/keys/rm")" "$T/node/keys/rm" >/dev/null || echo rm)"
is "without the secret of the resource manager" "" "$(ls "$T/node/keys/rm_secret" 2>/dev/null)"
ends "a second time it is refused" 6 'exists already: nothing was changed' node node <<<"$keys"
is "a pair of a user is made there" "" "$("$creel" keygen user --quiet ann --dir "$T/node/keys" 2>&1)"
ends "keygen user --remove names the command that revokes it" 0 \
    "^removed $T/node/keys/users/ann and its secret half from this host alone. .*: creel keygen user --remove ann$" \
    "$creel" keygen user --remove ann --dir "$T/node/keys"
is "and prints nothing of what else lets the user in" 1 \
    "$("$creel" keygen user --quiet ann --dir "$T/node/keys" && "$creel" keygen user --remove ann --dir "$T/node/keys" 2>&1 | wc -l)"
rm "$T/node/yarn-site.xml"
ends "certificates are not replaced" 6 'has certificates already' node node <<<"$keys"
echo "1..$n"
exit $failed
