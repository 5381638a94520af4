/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.c - table of all commands: names, functions, options and help
 *
 * The help, the suggestions for mistyped words and the list in the man page are made from this table.
 */
#include "client/cli/commands.h"

#include <string.h>

#include "client/cli/cmd_job.h"
#include "client/cli/help_texts.h"
#include "client/cli/submit_options.h"

#define FILES_HELP \
    "COMMAND decides what travels. A script (its first line begins with #!) that is\n" \
    "found here is sent along and becomes ./NAME; so is a program that is named by a\n" \
    "relative path. An absolute path to a program (/usr/bin/python3) and a plain word\n" \
    "(python3) are looked up on the agent.\n\n"

static const char submit_help[] =
    "Hands over a job and prints its id. With -N the command runs in N containers; each\n"
    "task sees CREEL_TASK_INDEX (from 0), CREEL_TASK_COUNT and CREEL_APP_ID.\n\n" FILES_HELP
    "Without COMMAND, or with -, a script is read from standard input. Lines of a script that\n"
    "begin with #CREEL and a blank have options, up to its first command; those of the command\n"
    "line count before them. With --from slurm, or if a script has lines of #SBATCH alone, these\n"
    "are read; each option without a counterpart is named.\n\n"
    "It runs in the present directory, if the node has that, else in a scratch directory of its\n"
    "own (CREEL_SCRATCH), which is removed at the end; with -f and --scratch always there.\n\n"
    "With --wait it exits as the job does: the highest exit status of its containers, 128+N\n"
    "for signal N, 137 for memory; 124 if --timeout has come, 125 if creel itself failed.\n\n"
    "examples:\n"
    "  creel submit -- sleep 60\n"
    "  creel submit -m 2g -c 2 -n nightly -- ./nightly.sh --full\n"
    "  creel submit -N 12 -f words.txt -- sh -c 'wc -l words.txt > /srv/out.$CREEL_TASK_INDEX'\n"
    "  creel submit --wait --logs -- make -C /srv/project test\n"
    "  creel submit -q dev.ml -t 8h --preempt-signal USR1 -- ./train.sh\n"
    "  creel submit --array 0-99%8 -- ./step.sh\n"
    "  creel submit --test-only -m 64g -q dev.ml -- ./train.sh\n"
    "  id=$(creel submit --id -- ./job.sh)\n"
    "  creel submit --strict sbatch-job.sh\n"
    "  creel submit -N 8 --out 'log/%x-%j.%t' -- ./work\n";

static const char ps_help[] = "examples:\n"
                              "  creel ps --sort -age\n"
                              "  creel ps -a -q root.dev -s RUNNING\n"
                              "  creel ps -o id | xargs creel why\n";

static const char status_help[] = "ID may be an end of an id that is unique.\n\n"
                                  "examples:\n"
                                  "  creel status 42\n"
                                  "  creel status 42 --json | jq -r '.items[0].state'\n";

static const char containers_help[] =
    "Those that have ended, too.\n\n"
    "examples:\n"
    "  creel app containers 42\n"
    "  creel app containers 42 --json | jq -r '.items[] | select(.exitStatus > 0) | .id'\n";

static const char container_show_help[] = "example:\n"
                                          "  creel container show 42_01_000003\n";

static const char container_logs_help[] =
    "As creel logs, of one container; ID may be an end of its id that is unique.\n\n"
    "example:\n"
    "  creel container logs 42_01_000003 --stderr -n 20\n";

static const char node_list_help[] =
    "examples:\n"
    "  creel node list -o wide --sort -memused\n"
    "  creel node list -R\n"
    "  creel node list --summary\n"
    "  creel node list --json | jq -r '.items[] | select(.state != \"RUNNING\") | .nodeId'\n";

static const char node_show_help[] =
    "NODE is an id, its beginning, or a host with one node; n[1-40] and n[01-12,15] are ranges of hosts.\n\n"
    "example:\n"
    "  creel node show n7\n"
    "  creel node show n[1-3]\n";

static const char cluster_info_help[] =
    "examples:\n"
    "  creel cluster info\n"
    "  creel cluster info --json | jq '.items[0].used.memoryMb / .items[0].total.memoryMb'\n";

static const char label_map_help[] = "example:\n"
                                     "  creel label map --sort label\n";

static const char dev_status_help[] =
    "example:\n"
    "  creel dev status --json | jq '.items[] | select(.state != \"running\")'\n";

static const char dev_env_help[] = "example:\n"
                                   "  eval \"$(creel dev env --dir /tmp/second)\"; creel ps\n";

static const char version_help[] = "example:\n"
                                   "  creel version --all\n";

static const char help_help[] = "examples:\n"
                                "  creel help submit\n"
                                "  creel help node\n";

static const char list_help[] =
    "MEM and CPU are what it has and waits for; CONT is containers running and wanted.\n\n"
    "examples:\n"
    "  creel app list --state LIVE --sort -mem\n"
    "  creel app list --user ann,bob -o wide\n"
    "  creel app list --json | jq -r '.items[] | select(.exitStatus == 137) | .id'\n";

static const char kill_help[] =
    "Containers get SIGTERM, and SIGKILL when the node's delay is over\n"
    "(yarn.nodemanager.sleep-delay-before-sigkill.ms). With --force they get SIGKILL at once,\n"
    "also those of an application that was killed without, while they end.\n\n"
    "examples:\n"
    "  creel kill 42\n"
    "  creel kill _0042 _0043 --reason 'wrong input'\n"
    "  creel kill 42_[1-3,7]                of an array, these tasks\n"
    "  creel kill --tag nightly --yes\n";

static const char logs_help[] =
    "Read from the agents, of running and ended containers alike, until they expire. CONTAINER\n"
    "is an end of its id (000003, 01_000003) or #7 for task 7. With several containers each line\n"
    "begins with its container.\n\n"
    "examples:\n"
    "  creel logs 42\n"
    "  creel logs -f 42\n"
    "  creel logs 42 '#7' --stderr -n 20\n"
    "  creel logs 42 --out logs/\n";

static const char wait_help[] =
    "Prints each application when it is there. Exits with 0 then, however the application\n"
    "ended, and with 124 if --timeout has come. creel submit --wait exits as the job does.\n\n"
    "examples:\n"
    "  creel wait 42 --timeout 1h\n"
    "  creel wait 42 --for running && creel logs -f 42\n";

static const char why_help[] =
    "The limit that holds it up comes first, with what is used, asked and allowed, since when,\n"
    "and who holds it; then other limits, the nodes, and what could be done. Of one that is\n"
    "over: how it ended.\n\n"
    "examples:\n"
    "  creel why 42\n"
    "  creel why _0042 _0043\n"
    "  creel why 42 --json | jq -r '.items[].reasons[0].code'\n";

static const char move_help[] = "Its containers go with it and run on.\n\n"
                                "example:\n"
                                "  creel app move 42 root.dev.batch\n";

static const char priority_help[] =
    "Higher is served first among the applications of its queue;\n"
    "yarn.cluster.max-application-priority is the highest, unless the queue's\n"
    "acl_application_max_priority allows you less.\n\n"
    "example:\n"
    "  creel app priority 42 5\n";

static const char lifetime_help[] =
    "TIME is 2h (from now on), +2h (more than it has) or none. The queue may allow less\n"
    "(maximum-application-lifetime). When it is over the application is killed. The time limit\n"
    "(--time) of an application that runs moves with it.\n\n"
    "examples:\n"
    "  creel app lifetime 42 +2h\n"
    "  creel app lifetime 42 30m\n";

static const char requeue_help[] =
    "Its containers end, as at a kill; then it waits in its queue, at its old place, for a new\n"
    "attempt, which begins from the start. That counts neither as a failed attempt nor as a\n"
    "retry (--retries). The command finds the number of the attempt in CREEL_ATTEMPT.\n\n"
    "examples:\n"
    "  creel app requeue 42\n"
    "  creel app requeue 42_7 --reason 'node5 is slow'\n";

static const char app_set_help[] = "Tasks that are submitted already go on.\n\n"
                                   "example:\n"
                                   "  creel app set 42 --at-once 50\n";

static const char hold_help[] =
    "An application that has not begun waits until it is released; it is in no queue meanwhile. Each\n"
    "user has one hold on it at most. What an administrator holds only an administrator releases:\n"
    "that is a hold of another user than the owner, who may administer the cluster or the queue.\n"
    "release removes the holds that you may remove, and reports those that are left.\n\n"
    "examples:\n"
    "  id=$(creel submit --id --hold -- ./night.sh); creel release $id\n"
    "  creel hold 42 --reason 'wrong input'\n";

static const char queue_list_help[] =
    "CAP is what a queue is guaranteed, MAX the most it may have, USED what it has, all of the\n"
    "cluster. With the fair scheduler CAP is the steady fair share; -o wide has what is fair now.\n"
    "If the last refresh was refused, a note is printed until a refresh succeeds.\n\n"
    "examples:\n"
    "  creel queue list --sort -used\n"
    "  creel queue list --json | jq -r '.items[] | select(.usedCapacity > 1) | .path'\n";

static const char queue_tree_help[] =
    "USE is the cluster from left to right: # used of what is guaranteed, | where that ends,\n"
    "+ borrowed, . what it may still take. With the fair scheduler: MEMFAIR is what is fair now,\n"
    "beside queues that have applications running, MEMSTEADY beside all; STARVED, for how long a\n"
    "queue, or an application in it, has had less than what is fair while it asks for more.\n\n"
    "example:\n"
    "  creel queue tree\n";

static const char queue_show_help[] =
    "Next are its applications, or the queues below it, in the order of service.\n\n"
    "example:\n"
    "  creel queue show dev.ml\n";

static const char queue_explain_help[] =
    "In sentences: what it is guaranteed, or what is fair for it, and why, what it may borrow, what\n"
    "one user and application masters may have, and why it gets nothing now.\n\n"
    "example:\n"
    "  creel queue explain dev.ml\n";

static const char queue_users_help[] = "What each user of a leaf has and may have now.\n\n"
                                       "example:\n"
                                       "  creel queue users dev.ml --sort -mem\n";

static const char queue_access_help[] =
    "Users who may submit to it or administer it, and the list that allows it: its own, or that of\n"
    "a queue above it. Groups are those of the resource manager's host.\n\n"
    "examples:\n"
    "  creel queue access dev.ml\n"
    "  creel queue access dev.ml --user bob\n";

static const char node_label_help[] =
    "For administrators. Containers there go on. The label survives restarts of the resource\n"
    "manager and the agent, and overrides the agent's configuration. A node has at most one label.\n\n"
    "examples:\n"
    "  creel node label n7:8041 set gpu\n"
    "  creel node label n7:8041 remove\n"
    "  creel label map\n";

static const char label_list_help[] =
    "SOURCE is why there is a label: who added it, or the configuration (creel.node-labels), a\n"
    "queue (whose configuration names it), a node (which has it).\n\n"
    "examples:\n"
    "  creel label list\n"
    "  creel label map\n";

static const char label_add_help[] =
    "For administrators. Labels survive restarts of the resource manager. Nodes of an exclusive\n"
    "label (the default) serve only requests for the label; idle nodes of a shared label also\n"
    "serve requests without a label. All labels are added, or none. Which queue\n"
    "may use it is the configuration's to say: accessible-node-labels.\n\n"
    "examples:\n"
    "  creel label add gpu && creel node label n7 set gpu\n"
    "  creel label add night:shared big:exclusive\n";

static const char label_remove_help[] =
    "For administrators. Nodes that were given it have none then; what runs there goes on. Refused while a\n"
    "queue's configuration or creel.node-labels names it, or a node has it by its agent's configuration.\n\n"
    "example:\n"
    "  creel label remove gpu\n";

static const char queue_stop_help[] =
    "It takes no new applications; those it has go on, and it is DRAINING until they are over.\n"
    "It stays so, over restarts and refreshes, until queue start, or until the queue's own state in\n"
    "capacity-scheduler.xml is changed to another and comes into force.\n\n"
    "examples:\n"
    "  creel queue stop dev.ml\n"
    "  creel queue stop dev.ml --drain && echo empty\n"
    "  creel queue start dev.ml\n";

static const char refresh_help[] =
    "WHAT is queues, nodes or all: the resource manager reads its configuration of them again. It\n"
    "is accepted as a whole or not at all: each mistake is printed with file, line, key and value,\n"
    "the old configuration stays in force, and creel exits with 7. Containers go on,\n"
    "also above new limits of queues.\n\n"
    "The fair scheduler reads its allocation file by itself, some seconds after it changed.\n\n"
    "Of nodes it is the files of yarn.resourcemanager.nodes.include-path and .exclude-path: who is\n"
    "excluded now has its containers killed and leaves, who is not any more may come back. With\n"
    "-g it leaves when what runs there is over, or its time is: that of the file, else TIME (in\n"
    "seconds, or as 30m), else yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs.\n"
    "--client waits for that itself, for TIME, and then has them leave at once.\n\n"
    "examples:\n"
    "  creel conf check /etc/creel && creel admin refresh queues\n"
    "  creel admin refresh nodes -g 1800\n";

static const char state_help[] =
    "The resource manager's state: applications, and what was decided about nodes and queues. WHAT\n"
    "is check, backup, restore or accept.\n\n"
    "check reports whether it is complete and the newest, and changes nothing. Exits with 1 if not.\n"
    "backup copies it into the new FILE, also while the resource manager runs, and checks the copy.\n"
    "restore puts a backup in its place, and accept goes on with what is there: what was lost stays\n"
    "lost, damaged rows are set aside. Both leave out the numbers that were given out since, and move\n"
    "what they replace into a folder of the state directory.\n\n"
    "These work on the host of the resource manager, as root or its user; all but backup while it is\n"
    "stopped. accept while it runs is for nodes that are WAITING: their agents have seen a state that it\n"
    "has not. They register then, and containers that it does not know are ended.\n\n"
    "examples:\n"
    "  creel admin state backup /srv/backup/creel-$(date +%F)\n"
    "  creel admin state check --json | jq -r '.items[0].problems[]'\n"
    "  systemctl stop creel-rm && creel admin state restore /srv/backup/creel-2026-11-24\n";

static const char node_drain_help[] =
    "Nothing new is started there; what runs may finish. At the deadline it gets the notice of a\n"
    "preemption (its signal, and a file), and a while later (creel.resourcemanager.drain-notice-ms)\n"
    "it is killed; that does not count against its application. Without a deadline it is not. The\n"
    "resource manager keeps all of it when it is restarted. Repeated, it changes reason and\n"
    "deadline. NODE is an id (n7:8041), or a host with one node; n[1-40] is a range of hosts.\n"
    "Containers with a notice end even if the node is put back in service meanwhile.\n\n"
    "examples:\n"
    "  creel node drain n7 n8 --reason \"new kernel\" --deadline 2h --wait && ssh n7 reboot\n"
    "  creel node list -R\n"
    "  creel node undrain n[7-8]\n";

static const char node_decommission_help[] =
    "As creel node drain; when no container is left, and the applications that had containers\n"
    "there have ended, the agent is stopped, and refused until the node is recommissioned. The\n"
    "default deadline is yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs.\n"
    "Nodes that are excluded by a list of hosts come back by that list.\n\n"
    "examples:\n"
    "  creel node decommission n7 --reason sold --wait\n"
    "  creel node recommission n7\n";

static const char node_resources_help[] =
    "AMOUNTS is mem=SIZE, vcores=N or both; default is what its agent offers. It counts at once,\n"
    "and as long as it is not set again, over restarts of both sides. A node that is made smaller\n"
    "than what it has given out gets nothing new until that fits.\n\n"
    "examples:\n"
    "  creel node resources n7 mem=48g,vcores=12\n"
    "  creel node resources n7 mem=8g --for 2h --overcommit 10m\n"
    "  creel node resources n7 default\n";

static const char container_list_help[] = "Without --app or --node: all that run now.\n\n"
                                          "examples:\n"
                                          "  creel container list --app 42\n"
                                          "  creel container list --node n7 -o wide\n";

static const char container_stats_help[] =
    "Memory now and at most, and that as a part of what was asked for; CPU time, and as a\n"
    "part of one CPU; bytes read from and written to disks; processes. Of running ones some\n"
    "seconds old. ADVISED is what to ask for next time, of those that ended.\n\n"
    "examples:\n"
    "  creel container stats --app 42 --sort -peak\n"
    "  creel container stats --node n7\n";

static const char container_signal_help[] =
    "To the process group of the container's command. For its owner and administrators. How it\n"
    "ends is up to the command: creel kill ends an application for sure.\n\n"
    "examples:\n"
    "  creel container signal 42_01_000003 USR1\n"
    "  creel container signal 42_01_000003 --all STOP\n";

static const char container_exec_help[] =
    "In the container's control groups, as its user, with its environment and directory. For\n"
    "its owner and administrators. Exits as the command does: 128 and the number for a signal,\n"
    "126 or 127 if it cannot be run, 125 if it was lost on the way. It ends with the container,\n"
    "and when creel is gone.\n\n"
    "examples:\n"
    "  creel container exec -it 42_01_000003 -- bash\n"
    "  creel container exec 42_01_000003 -- cat /proc/self/cgroup\n"
    "  creel container exec -i 42_01_000003 -- tar xf - <more.tar\n";

static const char conf_show_help[] =
    "Of the files here: the RM's may be others, or have been changed since it read them.\n"
    "With --rm what it has in force, without passwords. CREEL_RM names another RM.\n\n"
    "examples:\n"
    "  creel conf show --rm yarn.scheduler.minimum-allocation-mb\n"
    "  creel conf show yarn.scheduler.minimum-allocation-mb --origin\n"
    "  creel conf show --set --origin\n"
    "  creel conf show --conf /srv/new -o wide\n";

static const char conf_check_help[] =
    "Reads DIR as the daemons would and prints every mistake with file, line, key, value\n"
    "and what was expected. Exits with 7 if there is one.\n\n"
    "example:\n"
    "  creel conf check /srv/new-config && cp -r /srv/new-config/. /etc/creel/\n";

static const char conf_diff_help[] =
    "Each key with another value in the files here than the resource manager has in force. APPLIED is\n"
    "what makes the value of the files count: a refresh (creel conf apply), or the next start of the\n"
    "resource manager. Exits with 1 if there is one.\n\n"
    "examples:\n"
    "  creel conf diff\n"
    "  creel conf diff --conf /srv/new -o wide\n"
    "  creel conf diff --json | jq -r '.items[] | select(.applied == \"start\") | .key'\n";

static const char conf_apply_help[] =
    "Judges the files here as creel conf check; if they are good, the resource manager reads its\n"
    "queues and lists of nodes again, as by creel admin refresh all. It reads the files of its own host.\n"
    "Exits with 7, and nothing is changed, if there is a mistake.\n\n"
    "example:\n"
    "  creel conf diff; creel conf apply\n";

static const char keygen_cluster_help[] =
    "Makes the resource manager's certificate, one that all agents may share\n"
    "(agents/default), and yours. What is there already stays.\n\n"
    "examples:\n"
    "  creel keygen cluster\n"
    "  creel keygen cluster /root/keys && creel keygen agent --dir /root/keys n1 n2\n";

static const char keygen_user_help[] =
    "Copy the pair NAME and NAME_secret to where it is used; the resource manager needs only\n"
    "the public half. It takes up new ones at once. With --install the secret half belongs to the\n"
    "user of that name, who can use creel on this host then; one that exists is installed as it is.\n\n"
    "example:\n"
    "  creel keygen user ann --install\n";

static const char keygen_agent_help[] =
    "Copy the pair NAME and NAME_secret to where it is used; the resource manager needs only\n"
    "the public half. It takes up new ones at once. With --export what the host NAME needs is\n"
    "printed, for creel setup node: it has a secret. One that exists is exported as it is.\n\n"
    "example:\n"
    "  creel keygen agent --export n7 | ssh n7 creel setup node --rm n1 --keys -\n";

static const char dev_up_help[] =
    "Starts a resource manager and agents on this machine, on loopback, with keys and\n"
    "configuration of their own, and waits until they are ready. Needs root, for control\n"
    "groups. Run again, it starts daemons that have ended and leaves the others alone. While\n"
    "the cluster is up in its default directory, creel commands use it without options.\n\n"
    "examples:\n"
    "  creel dev up\n"
    "  creel dev up -n 5 --dir /tmp/second && eval \"$(creel dev env --dir /tmp/second)\"\n"
    "  creel dev down\n";

static const char dev_down_help[] =
    "Kills its containers, stops its daemons, and removes its control groups and its\n"
    "directory. Nothing else is touched. No cluster there is no error.\n";

const struct command command_table[] = {
    { "submit", cmd_submit, "[--] COMMAND [ARGUMENT]...", "hand over a job", submit_help, submit_option_table,
      OPTIONS_BEFORE_COMMAND, NULL },
    { "run", cmd_run, "[--] COMMAND [ARGUMENT]...", "submit, wait, and show the output", run_help,
      submit_option_table, OPTIONS_BEFORE_COMMAND, NULL },
    { "ps", cmd_ps, NULL, "my applications that are not finished", ps_help, ps_options, OPTIONS_ANYWHERE,
      NULL },
    { "status", cmd_app_show, "ID", "all about one application", status_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "why", cmd_app_why, "ID...", "why it waits, or how it ended", why_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "logs", cmd_logs, "ID [CONTAINER]", "what its containers wrote", logs_help, logs_options,
      OPTIONS_ANYWHERE, NULL },
    { "wait", cmd_wait, "ID...", "until it is over, or runs", wait_help, wait_options, OPTIONS_ANYWHERE,
      NULL },
    { "kill", cmd_kill, "ID...", "end applications", kill_help, kill_options, OPTIONS_ANYWHERE, NULL },
    { .path = "cancel", .alias_of = "kill" },
    { "hold", cmd_hold, "ID...", "let applications that have not begun wait", hold_help, hold_options,
      OPTIONS_ANYWHERE, NULL },
    { "release", cmd_release, "ID...", "let them begin", hold_help, NULL, OPTIONS_ANYWHERE, NULL },

    { "events", cmd_events, NULL, "what happened to applications and nodes", help_events, events_options,
      OPTIONS_ANYWHERE, NULL },

    { "app list", cmd_app_list, NULL, "applications of everybody, the ended ones too", list_help,
      app_list_options, OPTIONS_ANYWHERE, NULL },
    { .path = "app show", .alias_of = "status" },
    { .path = "app status", .alias_of = "status" },
    { "app containers", cmd_app_containers, "ID", "its containers", containers_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { .path = "app why", .alias_of = "why" },
    { "app move", cmd_app_move, "ID QUEUE", "put it into another queue", move_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "app priority", cmd_app_priority, "ID N", "its rank within the queue", priority_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "app lifetime", cmd_app_lifetime, "ID TIME", "how long it may live", lifetime_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "app requeue", cmd_app_requeue, "ID", "end its attempt and start it again", requeue_help,
      requeue_options, OPTIONS_ANYWHERE, NULL },
    { "app set", cmd_app_set, "ID", "how many tasks of an array run at a time", app_set_help, app_set_options,
      OPTIONS_ANYWHERE, NULL },
    { "history apps", cmd_history, NULL, "applications that have ended", help_history, history_options,
      OPTIONS_ANYWHERE, NULL },
    { "history usage", cmd_history_usage, NULL, "sums of ended applications by user, queue or day",
      help_history_usage, history_usage_options, OPTIONS_ANYWHERE, NULL },
    { .path = "history app", .alias_of = "status" },
    { .path = "app hold", .alias_of = "hold" },
    { .path = "app release", .alias_of = "release" },
    { .path = "app submit", .alias_of = "submit" },
    { .path = "app kill", .alias_of = "kill" },
    { .path = "app logs", .alias_of = "logs" },
    { .path = "app wait", .alias_of = "wait" },

    { "container list", cmd_container_list, NULL, "containers of an application or a node",
      container_list_help, container_list_options, OPTIONS_ANYWHERE, NULL },
    { "container show", cmd_container_show, "ID", "all about one container", container_show_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "container stats", cmd_container_stats, "[ID]", "what containers take, and took", container_stats_help,
      container_list_options, OPTIONS_ANYWHERE, NULL },
    { "container logs", cmd_container_logs, "ID", "what it wrote", container_logs_help, logs_options,
      OPTIONS_ANYWHERE, NULL },
    { "container signal", cmd_container_signal, "ID SIGNAL", "send its command a signal",
      container_signal_help, container_signal_options, OPTIONS_ANYWHERE, NULL },
    { "container exec", cmd_container_exec, "ID [--] COMMAND [ARGUMENT]...", "run a command inside it",
      container_exec_help, container_exec_options, OPTIONS_BEFORE_COMMAND, NULL },

    { "node list", cmd_node_list, NULL, "nodes, what they have and what is given out", node_list_help,
      node_list_options, OPTIONS_ANYWHERE, NULL },
    { "node show", cmd_node_show, "NODE...", "all about nodes", node_show_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "node drain", cmd_node_drain, "NODE...", "give them nothing new, let what runs there finish",
      node_drain_help, node_drain_options, OPTIONS_ANYWHERE, NULL },
    { "node undrain", cmd_node_undrain, "NODE...", "back into service", node_drain_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "node decommission", cmd_node_decommission, "NODE...", "drain them, and take them out",
      node_decommission_help, node_drain_options, OPTIONS_ANYWHERE, NULL },
    { "node recommission", cmd_node_recommission, "NODE...", "let them come back", node_decommission_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "node resources", cmd_node_resources, "NODE... AMOUNTS", "how much they count as having",
      node_resources_help, node_resources_options, OPTIONS_ANYWHERE, NULL },
    { "node label", cmd_node_label, "NODE set|add|remove [LABEL]", "put it into another partition",
      node_label_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "label list", cmd_label_list, NULL, "partitions, and what they have", label_list_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label add", cmd_label_add, "LABEL[:exclusive|:shared]...", "make partitions", label_add_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label remove", cmd_label_remove, "LABEL...", "take them away", label_remove_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label map", cmd_label_map, NULL, "which node is in which", label_map_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "token create", cmd_token_create, NULL, "a token to sign in at the web page", token_create_help,
      token_create_options, OPTIONS_ANYWHERE, NULL },
    { "token list", cmd_token_list, NULL, "your tokens, without the tokens themselves", token_list_help,
      token_list_options, OPTIONS_ANYWHERE, NULL },
    { "token revoke", cmd_token_revoke, "TOKEN...", "make tokens invalid", token_list_help,
      token_revoke_options, OPTIONS_ANYWHERE, NULL },
    { "queue list", cmd_queue_list, NULL, "queues and their use", queue_list_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "queue tree", cmd_queue_tree, NULL, "the same as a tree, with bars", queue_tree_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "queue show", cmd_queue_show, "QUEUE", "all about one queue", queue_show_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "queue explain", cmd_queue_explain, "QUEUE", "how its figures came about", queue_explain_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "queue users", cmd_queue_users, "QUEUE", "what its users have and may have", queue_users_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "queue access", cmd_queue_access, "QUEUE", "who may submit to it and administer it", queue_access_help,
      queue_access_options, OPTIONS_ANYWHERE, NULL },
    { "queue start", cmd_queue_start, "QUEUE", "take applications again", queue_stop_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "queue stop", cmd_queue_stop, "QUEUE", "take no new applications", queue_stop_help, queue_stop_options,
      OPTIONS_ANYWHERE, NULL },
    { "cluster info", cmd_cluster_info, NULL, "the cluster in numbers", cluster_info_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "cluster health", cmd_cluster_health, NULL, "checks of the cluster, and what to do",
      cluster_health_help, NULL, OPTIONS_ANYWHERE, NULL },

    { "admin refresh", cmd_admin_refresh, "WHAT [TIME]", "read queues, or lists of nodes, again",
      refresh_help, refresh_options, OPTIONS_ANYWHERE, NULL },
    { "admin state", cmd_admin_state, "WHAT [FILE]", "is the state whole; save it, put it back", state_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "conf show", cmd_conf_show, "[KEY]", "configuration as it holds", conf_show_help, conf_show_options,
      OPTIONS_ANYWHERE, NULL },
    { "conf check", cmd_conf_check, "[DIR]", "judge a configuration before it goes live", conf_check_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "conf diff", cmd_conf_diff, NULL, "keys with other values than the resource manager has",
      conf_diff_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "conf apply", cmd_conf_apply, NULL, "judge the files, then refresh queues and nodes", conf_apply_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "setup rm", cmd_setup_rm, NULL, "make this host the resource manager of a new cluster", setup_rm_help,
      setup_rm_options, OPTIONS_ANYWHERE, NULL },
    { "setup node", cmd_setup_node, NULL, "make this host a node", setup_node_help, setup_node_options,
      OPTIONS_ANYWHERE, NULL },
    { "keygen cluster", cmd_keygen_cluster, "[DIR]", "make a cluster's certificates", keygen_cluster_help,
      keygen_options, OPTIONS_ANYWHERE, NULL },
    { "keygen user", cmd_keygen_user, "NAME...", "make certificates of people", keygen_user_help,
      keygen_user_options, OPTIONS_ANYWHERE, NULL },
    { "keygen agent", cmd_keygen_agent, "NAME...", "make certificates of agents, by host", keygen_agent_help,
      keygen_agent_options, OPTIONS_ANYWHERE, NULL },
    { "dev up", cmd_dev_up, NULL, "a whole cluster on this machine", dev_up_help, dev_up_options,
      OPTIONS_ANYWHERE, NULL },
    { "dev status", cmd_dev_status, NULL, "its processes", dev_status_help, dev_options, OPTIONS_ANYWHERE,
      NULL },
    { "dev env", cmd_dev_env, NULL, "shell lines that point creel at it", dev_env_help, dev_options,
      OPTIONS_ANYWHERE, NULL },
    { "dev down", cmd_dev_down, NULL, "stop it and take it away", dev_down_help, dev_options,
      OPTIONS_ANYWHERE, NULL },

    { "version", cmd_version, NULL, "version of creel", version_help, version_options, OPTIONS_ANYWHERE,
      NULL },
    { "help", cmd_help, "[COMMAND]", "how a command is used", help_help, NULL, OPTIONS_ANYWHERE, NULL },
    { .path = "__write-input", .run = cmd_write_input, .arguments = "", .mode = OPTIONS_ANYWHERE },
    { .path = "__task-master", .run = cmd_task_master, .arguments = "", .mode = OPTIONS_ANYWHERE },
    { .path = NULL },
};

const struct command *command_find(const char *path)
{
    for (const struct command *row = command_table; row->path; row++) {
        if (!strcmp(row->path, path))
            return row->alias_of ? command_find(row->alias_of) : row;
    }
    return NULL;
}
