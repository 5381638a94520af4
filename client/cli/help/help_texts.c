/* SPDX-License-Identifier: Apache-2.0 */
/* help_texts.c - longer help of commands */
#include "client/cli/help/help_texts.h"

const char help_events[] =
    "Lists events in order of time: submission, start, end, hold and move of applications; registration,\n"
    "drain and loss of nodes; with --app or --node also events of containers. TIME is 2h (ago), 08:00,\n"
    "yesterday or 2026-11-20T08:00. With --follow, events are printed as they happen, until Ctrl-C or\n"
    "until the application of --app has ended. Tasks of arrays are listed with --follow and --app only.\n"
    "The resource manager keeps the newest 100,000 events; of older applications that have ended, the\n"
    "history has submission, start and end. A restart of the resource manager keeps submission, start and\n"
    "end of applications and containers, present holds, and nodes that take no containers. It loses\n"
    "releases, moves, retries and other events of nodes.\n\n"
    "examples:\n"
    "  creel events --app 42\n"
    "  creel events --since 2h -q dev.ml\n"
    "  creel events -f -o jsonl | jq -r 'select(.event == \"FAILED\") | .id'\n";

const char help_history[] =
    "Lists ended applications of all users, the newest first, also those that the resource manager no\n"
    "longer has in memory. MAXMEM is the highest memory peak of a container, CPUTIME the sum over all\n"
    "containers. TIME is the time of the end: 2h (ago), 7d, 08:00, yesterday, 2026-11-20 or\n"
    "2026-11-20T08:00. The history is kept for creel.history.retention-ms.\n\n"
    "--fields takes names of sacct's fields, in any case, and prints times and durations as sacct does.\n"
    "Account is the queue, Partition the node label, State a state of creel, CPUTime the vcores times the\n"
    "time, TotalCPU the CPU time that was used, MaxRSS the peak of memory. JSON has all fields of creel.\n\n"
    "examples:\n"
    "  creel history apps -u ann --since 7d\n"
    "  creel history apps --state FAILED --since yesterday -o wide\n"
    "  creel history apps --since 7d --csv --fields JobID,JobName,State,ExitCode,Elapsed,MaxRSS,NodeList\n"
    "  creel history apps -n 'nightly*' --limit 0 --json | jq '.items[].used.memoryPeakBytes'\n";

const char help_history_usage[] =
    "Prints sums of applications that have ended, tasks of arrays included: their number, the allocated\n"
    "vcore-hours and GiB-hours, and the hours of CPU time that they used. Without --since, the sums are of\n"
    "all applications in the history. Hours and days are those of the end, in local time. AVGWAIT (-o wide)\n"
    "is the average time from the submission to the first container.\n\n"
    "examples:\n"
    "  creel history usage --since 30d\n"
    "  creel history usage --by day -q dev.ml --since 7d\n"
    "  creel history usage --by queue --csv\n";

const char help_history_efficiency[] =
    "Prints which part of the allocated CPU time and memory applications used. CPUEFF is CPUTIME, the\n"
    "used CPU time, divided by VCORETIME: vcores times the time for which they were allocated. MEMEFF\n"
    "is the peak memory of each container times its run time, divided by its memory times the time for\n"
    "which it was allocated. MAXMEM is the largest peak of a container, REQMEM the memory of each\n"
    "container. A column is empty for an application that had a vcore for less than a second. With IDs,\n"
    "these applications are listed, also running ones; otherwise those that have ended, the last one\n"
    "first. With --by, there is a sum for each user, queue, hour or day.\n\n"
    "examples:\n"
    "  creel history efficiency 42\n"
    "  creel history efficiency -u ann --since 7d --sort cpueff\n"
    "  creel history efficiency --by user --since 30d\n";

const char help_refresh[] =
    "WHAT is queues, nodes, acls, groups or all. The resource manager reads this part of its configuration\n"
    "again, and applies all of it or nothing. If it has mistakes, each is printed with file, line, key and\n"
    "value, the old configuration stays in force, and the exit status is 7. Running containers are\n"
    "not affected, even if a queue is now above its limit.\n\n"
    "The fair scheduler reads a changed allocation file by itself after some seconds.\n\n"
    "nodes reads the host lists of yarn.resourcemanager.nodes.include-path and .exclude-path.\n"
    "Excluded nodes are decommissioned and their containers killed; nodes that are no longer\n"
    "excluded may register again. With -g, excluded nodes are decommissioned when their containers\n"
    "have ended, or after a timeout: that of the host list, else TIME (seconds, or as 30m), else\n"
    "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs. With --client this command\n"
    "waits for TIME and then decommissions the remaining nodes at once.\n\n"
    "acls reads yarn.acl.enable, yarn.admin.acl with the members of its groups, and\n"
    "creel.security.proxy-users; groups forgets the groups of users, which are kept for five minutes.\n\n"
    "examples:\n"
    "  creel conf check /etc/creel && creel admin refresh queues\n"
    "  creel admin refresh nodes -g 1800\n";

const char help_state[] =
    "The state of the resource manager has the applications, and the decisions of administrators about\n"
    "nodes and queues. WHAT is check, backup, restore or accept.\n\n"
    "check    verifies that the state is complete and the newest one. It changes nothing, and exits\n"
    "         with 1 if the state is not.\n"
    "backup   copies the state into the new file FILE, also while the resource manager runs, and\n"
    "         verifies the copy. With --all it is an archive that has the history, uploaded files, keys\n"
    "         and configuration, too, from which a dead host is replaced. It has secret keys.\n"
    "restore  replaces the state by a backup, also on a host on which no resource manager has run. Of a\n"
    "         backup --all, files of the configuration that exist on the host are kept, and keys are\n"
    "         restored only if the host has no secret key of a resource manager.\n"
    "accept   continues with a damaged or incomplete state: lost data stays lost, and damaged rows are\n"
    "         moved to the table quarantine.\n\n"
    "An upgrade of creel that changes the tables of the state first copies it to\n"
    "state.db.schema-N-TIME in the state directory, which the version before can restore\n"
    "(creel.resourcemanager.upgrade-copies).\n\n"
    "restore and accept skip application numbers that may be in use, and move the files that they\n"
    "replace into a subdirectory of the state directory.\n\n"
    "These commands run on the host of the resource manager, as root or as its user; all but backup\n"
    "need a stopped resource manager. accept on a running resource manager is for nodes that are\n"
    "WAITING, whose agents know a newer state: they register, and containers that the resource\n"
    "manager does not know are stopped.\n\n"
    "examples:\n"
    "  creel admin state backup /srv/backup/creel-$(date +%F)\n"
    "  creel admin state check --json | jq -r '.items[0].problems[]'\n"
    "  creel admin state backup --all /srv/backup/creel-all-$(date +%F).tar\n"
    "  systemctl stop creel-rm && creel admin state restore /srv/backup/creel-2026-11-24\n";

const char help_node_drain[] =
    "No new containers start on the node; running containers may finish. At the deadline they get a\n"
    "preemption notice (a signal and a file), after creel.resourcemanager.drain-notice-ms SIGTERM, and\n"
    "SIGKILL after yarn.nodemanager.sleep-delay-before-sigkill.ms. The output has the time of the notice\n"
    "and the latest end. This does not count as a failure of the application. Without a deadline they\n"
    "are not killed. The state survives restarts of the resource manager. A repeated drain changes\n"
    "reason and deadline. NODE is a node id (n7:8041), or a host with one node; n[1-40] is a host range.\n"
    "Containers with a notice are stopped even if the node returns to service before their deadline.\n\n"
    "examples:\n"
    "  creel node drain n7 n8 --reason \"new kernel\" --deadline 2h --wait && ssh n7 reboot\n"
    "  creel node list -R\n";

const char help_node_undrain[] =
    "Ends creel node drain: new containers start on the node again. Containers that have a preemption\n"
    "notice are stopped nevertheless. NODE is a node id (n7:8041), or a host with one node; n[1-40] is a\n"
    "host range.\n\n"
    "example:\n"
    "  creel node undrain n[7-8]\n";

const char help_node_decommission[] =
    "Drains the node like creel node drain. When no container is left, and the applications that had\n"
    "containers there have ended, the agent stops, and is refused until the node is recommissioned. The\n"
    "default deadline is yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs.\n\n"
    "example:\n"
    "  creel node decommission n7 --reason sold --wait\n";

const char help_node_recommission[] =
    "Ends creel node decommission: the agent of the node may register again, and a node that is still\n"
    "being decommissioned returns to service. The host lists are not changed: a node that is excluded\n"
    "by a list returns by that list. An agent that has stopped is started on its host:\n"
    "systemctl start creel-nm.\n\n"
    "example:\n"
    "  creel node recommission n7\n";

const char help_rerun[] =
    "Submits an ended application again, as it was submitted, and prints the id of the new one, which\n"
    "is of the same user and names the old one (creel status: Rerun of). Only its user may. With\n"
    "--failed an array has only the tasks that did not succeed, with their indexes; a job of tasks\n"
    "(creel submit -N) starts only those tasks. The failed tasks of an array can run again while the\n"
    "array still runs. A job without tasks runs as a whole. Hold and earliest start are left out.\n\n"
    "The resource manager keeps the submissions of the applications that creel app list shows\n"
    "(yarn.resourcemanager.max-completed-applications), and the files of those that did not succeed, up\n"
    "to 1 MiB for each; other files for ten minutes. A job that read standard input (creel run) cannot\n"
    "run again in this way. creel app requeue restarts an application that has not ended.\n\n"
    "examples:\n"
    "  creel app rerun 42\n"
    "  creel app rerun 42 --failed\n"
    "  creel app rerun 42_7\n";

const char help_keygen_cluster[] =
    "Creates the certificate of the resource manager, one that all agents may share (agents/default),\n"
    "and one for you. Existing certificates are kept. If the public half of the resource manager's pair is\n"
    "missing, it is made again from the secret half, and the key remains the same. If both are missing, a\n"
    "new pair is made, with which agents and users cannot connect: a warning names the file to copy.\n\n"
    "examples:\n"
    "  creel keygen cluster\n"
    "  creel keygen cluster /root/keys && creel keygen agent --dir /root/keys n1 n2\n";
