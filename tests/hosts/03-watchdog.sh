#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# systemd kills a daemon whose event loop hangs, and starts it again; its containers continue.
. "$(dirname "$0")/lib.sh"
hosts_up 3
for i in 2 3; do drop_in $i creel-nm '[Service]\nWatchdogSec=4s\nTimeoutAbortSec=2s\n'; on $i systemctl restart creel-nm; done
drop_in 1 creel-rm '[Service]\nWatchdogSec=4s\nTimeoutAbortSec=2s\n'
on 1 systemctl restart creel-rm
becomes "all agents are there" 30 nodes_running_is 2
job_start 8
before=$(payloads 2)

hangs() { on "$1" kill -STOP "$(main_pid "$1" "$2")"; }
watched() { on "$1" journalctl --no-pager -o cat -u "$2" | grep -q 'Watchdog timeout'; }
started() { [ "$(show "$1" "$2" NRestarts)" -ge 1 ] && show_is "$1" "$2" SubState running; }
is "an agent that is well is left alone" 0 "$(show 2 creel-nm NRestarts)"
hangs 2 creel-nm
becomes "an agent that hangs is noticed" 20 watched 2 creel-nm
becomes "and started again" 20 started 2 creel-nm
is "no container was lost" "$before" "$(payloads 2)"
becomes "it is registered again" 30 status_has 2 creel-nm '^[1-9].*registered with'
hangs 1 creel-rm
becomes "a resource manager that hangs is noticed" 20 watched 1 creel-rm
becomes "and started again" 20 started 1 creel-rm
becomes "the agents register again" 30 nodes_running_is 2
is "no container was lost by that, either" "$before" "$(payloads 2)"
job_ends 8
finish
