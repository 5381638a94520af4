#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A FIFO, a socket or a directory in place of a file of a daemon: the daemon starts without it, or ends with an error
# that names it. It never waits for it.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
pids="$(pid_of rm) $(pid_of agent) $(pid_of web)"
kill $pids
for pid in $pids; do wait_until 30 gone "$pid"; done

put_in_place() { # KIND FILE
    case $1 in
    fifo) mkfifo "$2" ;;
    directory) mkdir "$2" ;;
    socket) python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$2" ;;
    esac
}
decided() { gone "$pid" || grep -Eq ' ready: | offers <' "$T/log"; }

# with KIND PROGRAM CONF FILE: starts PROGRAM with FILE replaced by KIND. Prints "starts", "names it" or what went wrong.
with() {
    local kind=$1 program=$2 conf=$3 file=$4 found
    rm -rf "$T/kept" && mv "$file" "$T/kept" 2>/dev/null
    (cd "$(dirname "$file")" && put_in_place "$kind" "$(basename "$file")")
    "$program" --conf "$conf" >"$T/log" 2>&1 &
    pid=$!
    if ! wait_until 20 decided; then
        found="waits: $(cat "$T/log")"
    elif ! gone "$pid"; then
        found=starts
    elif grep -qF "$(basename "$file")" "$T/log"; then
        found="names it"
    else
        found="ends without its name: $(cat "$T/log")"
    fi
    kill "$pid" 2>/dev/null && { wait_until 20 gone "$pid" || kill -9 "$pid"; }
    wait "$pid" 2>/dev/null
    rm -rf "$file" && mv "$T/kept" "$file" 2>/dev/null
    echo "$found"
}
check() {
    local want=$1 program=$2 conf=$3 file=$4 kind
    for kind in fifo socket directory; do
        like "$program with a $kind as ${file#"$T/dev/"}" "^$want\$" "$(with "$kind" "$program" "$conf" "$file")"
    done
}

for file in clock runs ports history-lost; do check '(starts|names it)' creel-rm "$T/dev/conf" "$T/dev/rm/state/$file"; done
for file in head lock state.db; do check 'names it' creel-rm "$T/dev/conf" "$T/dev/rm/state/$file"; done
for file in rm rm_secret; do check 'names it' creel-rm "$T/dev/conf" "$T/dev/keys/$file"; done
check 'names it' creel-rm "$T/dev/conf" "$T/dev/conf/creel-site.xml"
for file in runs history incarnation instance boot; do
    check '(starts|names it)' creel-nm "$T/dev/agent-1/conf" "$T/dev/agent-1/state/$file"
done
for file in state/lock state/contact state/past-apps local/.creel-lock; do
    check 'names it' creel-nm "$T/dev/agent-1/conf" "$T/dev/agent-1/$file"
done
for file in agents/default_secret rm; do check 'names it' creel-nm "$T/dev/agent-1/conf" "$T/dev/keys/$file"; done
check 'names it' creel-web "$T/dev/web/conf" "$T/dev/keys/users/creel-web_secret"
finish
