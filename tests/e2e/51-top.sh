#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel top: batch mode; redraws, keys and the restored terminal on a terminal.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2
all=$(value .total.memoryMb cluster info)
small=$(creel submit --id -m 32M -n small -- sleep 1000)
large=$(creel submit --id -m 128M -n large -- sleep 1000)
becomes "a small job runs" 60 state_is "$small" RUNNING
becomes "a large job runs" 60 state_is "$large" RUNNING

is "creel top lists the application with most memory first" "large small" "$(creel top -b --json | jq -r '[.items[].name] | join(" ")')"
is "creel top --sort mem sorts by memory" "small large" "$(creel top -b --json --sort mem | jq -r '[.items[].name] | join(" ")')"
like "creel top -b prints totals of the cluster" 'apps [0-9:]+: 2 running, 0 pending; 2 containers; nodes: 2 running' "$(creel top -b)"
is "creel top users has the applications, containers and memory of a user" "2 2 160" "$(creel top users -b --json | jq -r '.items[0] | "\(.apps) \(.runningContainers) \(.memoryMb)"')"
like "creel top queues has the queue root.default" '^root\.default +RUNNING .* 2 +0 +2 +160M +2$' "$(creel top queues -b)"
is "creel top nodes -n 2 prints both nodes twice" 4 "$(creel top nodes -b -n 2 -d 1 -o jsonl | grep -c nodeId)"
exits "creel top with an unknown word is a usage error" 2 creel top planets
like "the error of creel top lists the known words" 'planets: expected apps, queues, nodes or users' "$OUTPUT"
exits "creel top -n 0 is a usage error" 2 creel top -b -n 0

# on_terminal KEYS SIGNAL [NAME...]: types KEYS, one after each picture; prints the exit status, whether the terminal was
# restored and what was shown; with NAMEs only the names, in the order of the last picture.
on_terminal() {
    COLUMNS=100 timeout 60 python3 - "$@" <<'PY'
import os, pty, select, signal, sys, termios
keys, number, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
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
if names:
    last = seen.split(b"\x1b[2J")[-1].decode()
    print(*sorted((n for n in names if f" {n} " in last), key=lambda n: last.index(f" {n} ")))
    sys.exit()
print(status, "restored" if seen.rstrip().endswith(b"\x1b[?25h\x1b[?1049l") else "not restored",
      "users" if b"PENDMEM" in seen else "apps")
PY
}
is "the key q ends creel top and restores the terminal" "0 restored apps" "$(on_terminal q 0)"
is "the key 4 shows users" "0 restored users" "$(on_terminal 4q 0)"
is "creel top restores the terminal on SIGTERM" "143 restored apps" "$(on_terminal "" 15)"
is "creel top restores the terminal on Ctrl-C" "0 restored apps" "$(on_terminal "$(printf '\003')" 0)"

# --- the order of applications: more than half of each node is in use, so that a node reserves memory for a task that waits
use=$(creel submit --id -m $((all * 3 / 10))M -n use -N 2 -- sleep 1000)
becomes "a job runs that uses more than half of each node" 60 running_is "$use" 3
book=$(creel submit --id -m $((all * 29 / 100))M -n book -N 2 -- sleep 1000)
reserved_is() { [ "$(creel top -b --no-header --columns name,rcont --sort -rcont | sed -n '/^ *book /s/.* //p')" = "$1" ]; }
becomes "a node reserves a container for a task that waits" 30 reserved_is 1
like "creel top has columns for reserved containers, vcores and memory" "^book +1 +1 +[0-9.]+[MG]$" \
    "$(creel top -b --columns name,rcont,rcpu,rmem)"
for column in rcont rcpu rmem; do
    is "creel top --sort -$column lists the application with a reservation first" book "$(creel top -b --json --sort -$column | jq -r '.items[0].name')"
done
first_after() { on_terminal "$1q" 0 small large use book | cut -d' ' -f1; }
is "creel top lists the application with most memory first on a terminal" use "$(first_after '')"
for key in r o w n; do
    is "the keys s and $key sort applications" book "$(first_after s$key)"
done
is "the keys s and a sort applications by id" "small large use book" "$(on_terminal saq 0 small large use book)"
is "the key R turns the order round" "book use large small" "$(on_terminal saRq 0 small large use book)"
creel kill "$small" "$large" "$use" "$book" >/dev/null 2>&1
finish
