#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A host joins the cluster with a join token: its agent registers with keys that were made on the host.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
ports=$T/dev/rm/state/ports
rm_address="127.0.0.1:$(jq .client "$ports")"
setup_node() { local dir=$1; shift; creel setup node --conf "$T/$dir" --rm "$rm_address" --token "$@"; }

exits "creel token create --join exits with 0" 0 creel token create --join --for 5m
like "creel token create --join prints a token" 'creel-join-[A-Za-z0-9_-]{64}' "$OUTPUT"
is "creel token list --join shows that one host may join with the token" \
    "1 0" "$(value '| "\(.uses) \(.used)"' token list --join)"
token=$(grep -o '^creel-join-.*' <<<"$OUTPUT")
id=$(value .id token list --join)

exits "creel setup node refuses text that is no token" 1 setup_node none creel-join-none
exits "creel setup node refuses an empty token" 1 sh -c "echo | creel setup node --conf $T/none --rm $rm_address --token -"
like "the error for an empty token names the command that makes one" 'the token is empty: has creel token create --join failed' "$OUTPUT"
exits "creel setup node exits with 5 where no resource manager answers" 5 creel --timeout 1 setup node --conf "$T/none" --rm 127.0.0.1:1 --token "$token"
like "the error for no answer names the address" '127.0.0.1:1: Connection refused' "$OUTPUT"
is "creel setup node prints nothing of what it made when it cannot join" 1 "$(wc -l <<<"$OUTPUT")"
exits "creel setup node on the host of the resource manager is refused" 6 sh -c \
    "creel setup rm --conf $T/single --host n1 >/dev/null; creel setup node --conf $T/single --rm n1 --token $token"
like "the error names the command for an agent there" 'exists already: .* certificate alone: creel keygen agent ' "$OUTPUT"
other=$(creel --quiet token create --join)
exits "creel token revoke --join revokes another token" 0 creel token revoke --join "$(creel token list --join --json | jq -r --arg id "$id" '.items[] | select(.id != $id).id')"
exits "creel setup node refuses the revoked token" 4 setup_node none "$other"
like "the error for a revoked token reports why the token is not accepted" 'does not accept the token [0-9a-f]{8}: it has expired, is used up or revoked' "$OUTPUT"
check "creel setup node leaves no file when it is refused" sh -c "! find $T/none -type f | grep ."

# --- a host of users, without an agent
setup_client() { local dir=$1; shift; creel setup client --conf "$T/$dir" --rm "$rm_address" --token "$@"; }
exits "creel setup client refuses the revoked token" 4 setup_client none "$other"
like "the error is that of creel setup node" 'does not accept the token [0-9a-f]{8}: it has expired, is used up or revoked' "$OUTPUT"
stranger=creel-join-$(head -c 48 /dev/urandom | base64 -w 0 | tr '+/' '-_')
exits "creel setup client refuses a resource manager with another key than that of the token" 4 creel --timeout 5 setup client --conf "$T/none" --rm "$rm_address" --token "$stranger"
exits "creel setup client exits with 5 where no resource manager answers" 5 creel --timeout 1 setup client --conf "$T/none" --rm 127.0.0.1:1 --token "$token"
check "creel setup client leaves no file when it is refused" sh -c "! find $T/none -type f | grep ."
exits "creel setup client makes the configuration of a host of users" 0 sh -c "umask 077; echo $token | creel setup client --conf $T/login --rm $rm_address --token -"
is "no use of the token is counted" "1 0" "$(value '| "\(.uses) \(.used)"' token list --join)"
is "the host of users has the public key of the resource manager" "$(grep public-key "$T/dev/keys/rm")" "$(grep public-key "$T/login/keys/rm")"
exits "its configuration has no errors" 0 creel conf check "$T/login"
exits "creel setup client is refused a second time" 6 setup_client login "$token"
like "the error names the file that exists" "$T/login/yarn-site.xml exists already: nothing was changed" "$OUTPUT"

as_games() { setpriv --reuid games --regid games --clear-groups env CREEL_CONF_DIR="$T/login" "$@"; }
exits "a user without a certificate is refused there" 4 as_games creel whoami
(umask 022; creel --quiet keygen user --export games >"$T/games.keys")
is "creel keygen user --export closes its file to others" 600 "$(stat -c %a "$T/games.keys")"
import() { creel --conf "$T/$1" keygen user --import "${2:--}"; }
exits "creel keygen user --import refuses the keys of a node" 1 import login <<<"$(creel --quiet keygen agent --export n7)"
like "the error names the command that prints the keys of a user" 'not the keys of a user, or not all of them: .* creel keygen user --export NAME' "$OUTPUT"
exits "creel keygen user --import refuses the keys of another cluster" 1 import single "$T/games.keys"
like "the error names the key of the host" "the keys of games are of another cluster than $T/single/keys/rm: nothing was changed" "$OUTPUT"
exits "creel keygen user --import refuses the keys of a user who has no account" 3 import login <<<"$(sed 's/^user games /user no-such-user /' "$T/games.keys")"
exits "another user cannot import the keys" 4 sh -c "setpriv --reuid nobody --clear-groups creel --conf $T/login keygen user --import - <$T/games.keys"
like "the error names both users" 'these keys are of the user games, and you are nobody: nothing was changed' "$OUTPUT"
exits "root imports the keys of a user, with a umask of 077" 0 sh -c "umask 077; creel --conf $T/login keygen user --import - <$T/games.keys"
is "the secret key belongs to the user alone" "600 games" "$(stat -c '%a %U' "$T/login/keys/users/games_secret")"
is "the user can use creel on that host" "games certificate" "$(as_games creel whoami --json | jq -r '.items[0] | "\(.user) \(.method)"')"
exits "creel keygen user --import replaces nothing" 6 import login "$T/games.keys"
exits "creel keygen user --remove removes the keys from this host" 0 creel --conf "$T/login" keygen user --remove games
like "it names the command that revokes them" 'from this host alone. .* on the host of the resource manager: creel keygen user --remove games$' "$OUTPUT"
unlike "and nothing else" 'connections|MUNGE|jobs of games' "$OUTPUT"
cat >"$T/own" <<S
mount -t tmpfs none "\$(getent passwd games | cut -d: -f6)" && chown games "\$(getent passwd games | cut -d: -f6)" || exit
exec setpriv --reuid games --regid games --clear-groups env CREEL_CONF_DIR=$T/login sh -c 'creel keygen user --import - 2>&1 && creel whoami -o id && stat -c %a ~games/.creel ~games/.creel/key_secret'
S
exits "a user imports its own keys" 0 unshare --mount sh "$T/own" <"$T/games.keys"
is "they are in ~/.creel, closed to others, and are used" "games 700 600" "$(tail -n 3 <<<"$OUTPUT" | xargs)"

exits "a host joins with the token" 0 unshare --uts -- sh -c \
    "hostname localhost; echo $token | creel setup node --conf $T/node --rm $rm_address --token -"
is "the secret key of the host has mode 600" 600 "$(stat -c %a "$T/node/keys/agents/localhost_secret")"
is "the host has the public key of the resource manager" "$(grep public-key "$T/dev/keys/rm")" "$(grep public-key "$T/node/keys/rm")"
is "creel token list --join shows the host and the id of its token" "localhost $id" "$(creel token list --join --json | jq -r '.items[] | select(.kind == "host") | "\(.id) \(.by)"')"
exits "creel setup node refuses a token that is used up" 4 setup_node again "$token"
like "the error for a used token reports that it is not accepted" 'does not accept the token' "$OUTPUT"
exits "creel setup client refuses a token that is used up" 4 setup_client again "$token"
like "the error for a used token has the reason of the resource manager" \
    'does not accept the token [0-9a-f]{8}: the resource manager does not accept this token: it has expired, is used up' "$OUTPUT"

audit() { grep -F -c "audit $1" "$T/dev/rm/log"; }
tab=$(printf '\t')
is "the audit lines name the user who created the tokens" 2 "$(audit "USER=root${tab}IP=127.0.0.1${tab}OPERATION=createJoinToken${tab}TARGET=")"
is "an audit line names the host that joined" 1 "$(audit "USER=token $id${tab}IP=127.0.0.1${tab}OPERATION=joinNode${tab}TARGET=localhost${tab}RESULT=SUCCESS")"
is "an audit line names the host that was refused" 1 "$(audit "USER=token $id${tab}IP=127.0.0.1${tab}OPERATION=joinNode${tab}TARGET=$(hostname)${tab}RESULT=FAILURE${tab}DESCRIPTION=")"

if [ ! -e /proc/self/ns/mnt ] || ! mkdir "$T/small" || ! mount -t tmpfs -o size=64k none "$T/small"; then
    fail "a small file system can be mounted"
else
    head -c 45056 /dev/zero >"$T/small/full"
    exits "creel setup rm on a full disk exits with 1" 1 creel setup rm --conf "$T/small/conf" --host n1
    is "it leaves no configuration that would refuse the next creel setup rm" "" "$(cd "$T/small/conf" && ls -d ./*.xml* 2>/dev/null)"
    rm "$T/small/full"
    exits "creel setup rm can be repeated when there is room" 0 creel setup rm --conf "$T/small/conf" --host n1
    umount "$T/small"
fi

# The agent of the host replaces that of the cluster.
creel node drain 127.0.0.1:8041 --reason "another agent" >/dev/null 2>&1
pid=$(pid_of agent)
kill "$pid"
wait_until 20 gone "$pid"
mkdir "$T/agent"
sed -e 's|>127\.0\.0\.1<|>localhost<|' -e 's|>127\.0\.0\.1:|>localhost:|' -e "s|/agent-1/|/agent-9/|; s|-1</value>|-9</value>|" \
    -e "s|</configuration>|<property><name>creel.security.key-dir</name><value>$T/node/keys</value></property>&|" \
    "$T/dev/agent-1/conf/creel-site.xml" >"$T/agent/creel-site.xml"
creel-nm --conf "$T/agent" >"$T/agent/log" 2>&1 &
agent=$!
becomes "the agent of the host registers" 60 \
    sh -c 'creel node list --state RUNNING -o id | grep -x localhost:8041'
is "the agent of the host runs a job" hello "$(creel run -- echo hello 2>/dev/null)"
exits "creel token revoke --join revokes the certificate of the host" 0 creel token revoke --join localhost
becomes "the resource manager refuses the agent of the host" 60 grep -q 'localhost at 127.0.0.1: its certificate is gone' "$T/dev/rm/log"
warns() { creel cluster health -o wide | grep -E "^refused-agents +warning +1 agent is refused: localhost \(127.0.0.1, key .{8}..., since 2[^ ]*Z\)"; }
becomes "creel cluster health names the agent that is refused" 60 warns
exits "creel cluster health exits with 1" 1 creel cluster health --quiet
kill "$agent"
ends "the agent exits with 0 on SIGTERM" 0 $agent "$T/agent/log"
finish
