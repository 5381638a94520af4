#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel top: batch mode; redraws, keys and the restored terminal on a terminal.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
small=$(creel submit --id -m 32M -n small -- sleep 1000)
large=$(creel submit --id -m 128M -n large -- sleep 1000)
becomes "a small job runs" 60 state_is "$small" RUNNING
becomes "a large job runs" 60 state_is "$large" RUNNING

is "creel top lists the application with most memory first" "large small" "$(creel top -b --json | jq -r '[.items[].name] | join(" ")')"
is "creel top --sort mem sorts by memory" "small large" "$(creel top -b --json --sort mem | jq -r '[.items[].name] | join(" ")')"
like "creel top -b prints totals of the cluster" 'apps [0-9:]+: 2 running, 0 pending; 2 containers; nodes: 1 running' "$(creel top -b)"
is "creel top users has the applications, containers and memory of a user" "2 2 160" "$(creel top users -b --json | jq -r '.items[0] | "\(.apps) \(.runningContainers) \(.memoryMb)"')"
like "creel top queues has the queue root.default" 'root.default' "$(creel top queues -b)"
is "creel top nodes -n 2 prints the node twice" 2 "$(creel top nodes -b -n 2 -d 1 -o jsonl | grep -c nodeId)"
exits "creel top with an unknown word is a usage error" 2 creel top planets
like "the error of creel top lists the known words" 'planets: expected apps, queues, nodes or users' "$OUTPUT"
exits "creel top -n 0 is a usage error" 2 creel top -b -n 0

# on_terminal KEYS SIGNAL: types KEYS, one after each picture; prints the exit status and what is wrong.
on_terminal() {
    COLUMNS=100 timeout 60 python3 - "$1" "$2" <<'PY'
import os, pty, select, signal, sys, termios
keys, number = sys.argv[1], int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execvp("creel", ["creel", "top", "-d", "1"])
before = termios.tcgetattr(fd)
seen, drawn, sent = b"", 0, 0
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    pictures = seen.split(b"\x1b[2J")[1:]
    complete = len([p for p in pictures if b"small" in p or b"USER" in p or b"PENDMEM" in p])
    if complete > drawn:
        drawn = complete
        if sent < len(keys):
            os.write(fd, keys[sent].encode())
            sent += 1
        elif number:
            os.kill(pid, number)
            number = 0
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, "restored" if seen.rstrip().endswith(b"\x1b[?25h\x1b[?1049l") else "not restored",
      "users" if b"PENDMEM" in seen else "apps")
PY
}
is "the key q ends creel top and restores the terminal" "0 restored apps" "$(on_terminal q 0)"
is "the key 4 shows users" "0 restored users" "$(on_terminal 4q 0)"
exits "it sorts by reserved containers, vcores and memory (letters r, o, w)" 0 creel top -b --columns rcont,rcpu,rmem --sort -rmem,-rcpu,-rcont
like "which are columns" 'RCONT +RCPU +RMEM' "$OUTPUT"
is "the keys s and n are accepted" "0 restored apps" "$(on_terminal snq 0)"
is "creel top restores the terminal on SIGTERM" "143 restored apps" "$(on_terminal "" 15)"
is "creel top restores the terminal on Ctrl-C" "0 restored apps" "$(on_terminal "$(printf '\003')" 0)"
creel kill "$small" "$large" >/dev/null 2>&1
finish
