#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The installed packages run as services: readiness, status line, journal, reload, sandbox.
. "$(dirname "$0")/lib.sh"
hosts_up 3

is "the resource manager runs as creel" creel "$(on 1 ps -o user= -p "$(main_pid 1 creel-rm)")"
is "the agent runs as root" root "$(on 2 ps -o user= -p "$(main_pid 2 creel-nm)")"
is "the keeper came with the agent" active "$(on 2 systemctl is-active creel-keeper)"
is "creel-rm is ready only when it listens" 0 "$(creel ps >/dev/null 2>&1; echo $?)"
exits "the units can be enabled" 0 on 2 systemctl enable creel-nm
is "and are" enabled "$(on 2 systemctl is-enabled creel-nm)"
is "none of them has anything to complain of" "" \
    "$(on 1 systemd-analyze verify --man=no creel-rm.service creel-keeper.service creel-nm.service 2>&1)"

# --- the status line
becomes "status of an idle agent" 10 status_has 2 creel-nm \
    '^0 containers, 0\.0 of 2\.0 GiB and 0 of 8 vcores allocated; registered with n1:8031$'
id=$(creel submit --id -N 4 -m 64M -- sleep 300)
becomes "status shows containers and memory" 30 status_has 2 creel-nm '^[1-9] containers?, 0\.[1-9] of 2\.0 GiB'
like "systemctl status shows it" 'Status: "[1-9] container' "$(on 2 systemctl status creel-nm)"
like "status of the keeper" 'to stop this unit is to end all containers' "$(show 2 creel-keeper StatusText)"

like "which lists the containers by name" 'creel-shim container_[0-9_]+"?$' "$(on 2 systemctl status -l creel-keeper)"
is "without empty arguments" "" "$(on 2 systemctl status -l creel-keeper | grep '""')"
becomes "of the resource manager" 10 status_has 1 creel-rm '^2 nodes, 1 application$'

# --- control groups of the processes
shims_away() { ! on 2 ps -eo comm,unit | grep -q 'creel-shim.*creel-nm'; }
becomes "the agent's unit has no shim" 10 shims_away
is "no shim was left elsewhere" "" "$(on 2 ps -eo comm,unit | awk '$1 == "creel-shim" && $2 != "creel-keeper.service"')"

# --- a user's job, in the default directories
exits "a user's job runs" 0 creel run --as ann --scratch -N 2 -m 64M -- sh -c 'id -un; echo x >file && cat file && ls $TMPDIR'
like "as that user" 'ann' "$OUTPUT"
is "a user cannot list the agent's state, or read it" "" \
    "$(on 2 runuser -u ann -- sh -c 'cd /var/lib/creel/nm && ls; cat lock instance past-apps; ls containers cache retain' 2>/dev/null)"

# --- a stricter unit, whose restrictions apply to jobs
exposure() { on "$1" systemd-analyze security --no-pager "$2" 2>/dev/null | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p'; }
creel kill "$id" >/dev/null
becomes "the job is killed" 30 state_is "$id" KILLED
exits "a job can make a namespace" 0 creel run -m 16M -- unshare --user true
for i in 2 3; do
    drop_in $i creel-nm "$(cat ../../examples/creel-nm-strict.conf)"
    exits "n$i: the agent starts with the strict drop-in" 0 on $i systemctl restart creel-nm
done
becomes "both are there" 30 nodes_running_is 2
exits "a job runs" 0 creel run -N 4 -m 64M -- true
exits "it cannot make a namespace" 1 creel run -m 16M -- unshare --user true
like "which unshare reports" 'unshare failed: Operation not permitted' "$OUTPUT"
got=$(exposure 2 creel-nm.service)
check "exposure with the strict drop-in is below 5 (is $got)" awk "BEGIN { exit !(\"$got\" != \"\" && $got + 0 < 5) }"
for i in 2 3; do drop_in $i creel-nm ""; on $i systemctl restart creel-nm; done
becomes "both are there without it" 30 nodes_running_is 2

# --- log lines of a container
container=$(on 2 journalctl -o json -u creel-nm --no-pager | jq -rs '[.[] | select(.CONTAINER_ID) | .CONTAINER_ID][0]')
story=$(on 2 journalctl --no-pager -o cat "CONTAINER_ID=$container")
like "journalctl CONTAINER_ID= shows the start" "container $container: starts as root with <memory:64" "$story"
like "that it ran" "container $container: runs" "$story"
like "the end" "container $container: is being stopped" "$story"
like "and how it ended" "container $container: ended with" "$story"
is "of this container alone" "" "$(grep -v "$container" <<<"$story")"
like "APP_ID finds it, too" "$container: runs" "$(on 2 journalctl --no-pager -o cat "APP_ID=$id")"
like "NODE finds it, too" "$container: runs" "$(on 2 journalctl --no-pager -o cat NODE=n2:8041)"
like "on the resource manager APP_ID finds the application" "$id: KILLED" "$(on 1 journalctl --no-pager -o cat "APP_ID=$id")"

# --- reload
pid=$(main_pid 2 creel-nm)
on 2 sed -i 's|</configuration>|<property><name>creel.log.level</name><value>debug</value></property>&|' /etc/creel/yarn-site.xml
exits "systemctl reload creel-nm" 0 on 2 systemctl reload creel-nm
heard() { on 2 journalctl --no-pager -o cat -u creel-nm | grep -q 'SIGHUP: log level is debug'; }
becomes "reads the configuration again" 10 heard
is "in the same process" "$pid" "$(main_pid 2 creel-nm)"
on 2 sed -i 's|<value>debug</value>|<value>loud</value>|' /etc/creel/yarn-site.xml
exits "systemctl reload refuses a configuration with a mistake" 1 on 2 systemctl reload creel-nm
like "and the journal reports where it is" 'yarn-site.xml:[0-9]+: creel.log.level' "$(on 2 journalctl --no-pager -o cat -u creel-nm)"
is "the agent continues" "$pid active" "$(main_pid 2 creel-nm) $(on 2 systemctl is-active creel-nm)"
exits "systemctl reload creel-rm" 0 on 1 systemctl reload creel-rm
read_again() { on 1 journalctl --no-pager -o cat -u creel-rm | grep -q 'configuration read again'; }
becomes "the resource manager reads its queues again" 10 read_again

# --- failures after which systemd does not restart
exits "an invalid configuration keeps the agent from starting" 1 on 2 systemctl restart creel-nm
is "with the exit status for a bad configuration" "failed 7" "$(on 2 systemctl is-failed creel-nm) $(show 2 creel-nm ExecMainStatus)"
is "and it is not tried again and again" 0 "$(show 2 creel-nm NRestarts)"

mv_key() { on "$1" mv "/etc/creel/keys/$2" "/etc/creel/keys/$3"; }
mv_key 1 rm_secret other
exits "a missing certificate keeps the resource manager from starting" 1 on 1 systemctl restart creel-rm
is "with the exit status for a bad configuration" "failed 7" "$(on 1 systemctl is-failed creel-rm) $(show 1 creel-rm ExecMainStatus)"
is "and it is not tried again and again" 0 "$(show 1 creel-rm NRestarts)"
like "the status names the file" 'certificate /etc/creel/keys/rm_secret is missing: .* creel admin state restore FILE.*creel keygen cluster' "$(on 1 systemctl status -l creel-rm)"
mv_key 1 other rm_secret
exits "it starts when the certificate is there" 0 on 1 systemctl start creel-rm
mv_key 3 rm other
exits "a missing certificate keeps the agent from starting" 1 on 3 systemctl restart creel-nm
is "its state is failed, too" "failed 7 0" "$(on 3 systemctl is-failed creel-nm) $(show 3 creel-nm ExecMainStatus) $(show 3 creel-nm NRestarts)"
mv_key 3 other rm

# --- the sandbox: the figures of docs/operations.md
for figure in creel-rm:1.5 creel-keeper:3.0 creel-nm:6.2; do
    got=$(exposure 1 "${figure%:*}.service")
    check "exposure of ${figure%:*} is at most ${figure#*:} (is $got)" awk "BEGIN { exit !(\"$got\" != \"\" && $got + 0 <= ${figure#*:}) }"
done
finish
