/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.c - table of all commands: names, functions, options and help
 *
 * The help, the suggestions for mistyped words and the list in the man page are made from this table.
 */
#include "client/cli/commands.h"

#include "client/cli/help/help_texts.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/submit/submit_options.h"

#define FILES_HELP \
    "A script on this host (its first line begins with #!) is copied to the node and runs there as\n" \
    "a file NAME; so is a program that is given by a relative path. A program that is given by an\n" \
    "absolute path (/usr/bin/python3) or by its name alone (python3) must be on the node.\n\n"

static const char submit_help[] =
    "Submits a job and prints its id. With -N the command runs in N containers, its tasks. Each\n"
    "task has the variables CREEL_TASK_INDEX (from 0), CREEL_TASK_COUNT and CREEL_APP_ID.\n\n" FILES_HELP
    "Without COMMAND, or with -, creel reads a script from standard input. Lines of a script that\n"
    "begin with \"#CREEL \" before its first command are directives: options of this command.\n"
    "Options of the command line override them. With --from slurm, or if a script has #SBATCH\n"
    "lines and no #CREEL lines, the #SBATCH lines are read; creel lists options that it does\n"
    "not support.\n\n"
    "The job runs in the current directory if the node has it. Otherwise, and with -f or\n"
    "--scratch, it runs in its scratch directory (CREEL_SCRATCH), which is removed at the end.\n\n"
    "With --wait the exit status is that of the job: the highest exit status of its containers,\n"
    "128+N for signal N, 137 if it exceeded its memory; 124 after --timeout, 125 if creel failed.\n\n"
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

static const char ps_help[] =
    "--state accepts words of Slurm, too: PD or PENDING, R or RUNNING, CD or COMPLETED (FINISHED), F or\n"
    "FAILED, CA or CANCELLED (KILLED). For TO, OOM, NF and others, which are no states of creel, the error\n"
    "names the state to use: REASON has the cause.\n"
    "\n"
    "examples:\n"
    "  creel ps --sort -age\n"
    "  creel ps -a -q root.dev -s RUNNING\n"
    "  creel ps -o id | xargs creel why\n";

static const char status_help[] = "ID may be shortened to its last digits if they are unique.\n\n"
                                  "examples:\n"
                                  "  creel status 42\n"
                                  "  creel status 42 --json | jq -r '.items[0].state'\n";

static const char containers_help[] =
    "Includes containers that have ended.\n\n"
    "examples:\n"
    "  creel app containers 42\n"
    "  creel app containers 42 --json | jq -r '.items[] | select(.exitStatus > 0) | .id'\n";

static const char attempts_help[] =
    "Lists the first container of each attempt: where and when the attempt ran, its exit status and the\n"
    "reason of its end. AVOIDED: the first container of the present attempt is not placed on that node,\n"
    "since an earlier one failed there. An unmanaged application master has no container.\n\n"
    "examples:\n"
    "  creel app attempts 42\n"
    "  creel app attempts 42 --json | jq -r '.items[] | \"\\(.nodeId) \\(.exitStatus)\"'\n";

static const char container_show_help[] = "example:\n"
                                          "  creel container show 42_01_000003\n";

static const char container_logs_help[] =
    "Like creel logs, for one container. ID may be shortened to its last part if that is unique.\n\n"
    "example:\n"
    "  creel container logs 42_01_000003 --stderr -n 20\n";

static const char node_list_help[] =
    "examples:\n"
    "  creel node list -o wide --sort -memused\n"
    "  creel node list -R\n"
    "  creel node list --summary\n"
    "  creel node list --json | jq -r '.items[] | select(.state != \"RUNNING\") | .nodeId'\n";

static const char node_show_help[] =
    "NODE is a node id, a prefix of one, or a host with one node; n[1-40] and n[01-12,15] are host\n"
    "ranges.\n\n"
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

static const char dev_env_help[] =
    "Without a cluster in the directory the exit status is 3, and the shell that evaluates the output is\n"
    "pointed at the directory, too: commands then fail instead of using another cluster.\n"
    "\n"
    "example:\n"
    "  eval \"$(creel dev env --dir /tmp/second)\"; creel ps\n";

static const char version_help[] = "example:\n"
                                   "  creel version --all\n";

static const char help_help[] = "examples:\n"
                                "  creel help submit\n"
                                "  creel help node\n";

static const char list_help[] =
    "MEM and CPU are the sums of allocated and pending resources; CONT is running/wanted containers.\n"
    "--since, --until and --limit select by the time of submission: 2h (ago), 08:00, yesterday or\n"
    "2026-11-20T08:00.\n\n"
    "examples:\n"
    "  creel app list --state LIVE --sort -mem\n"
    "  creel app list --user ann,bob -o wide\n"
    "  creel app list --json | jq -r '.items[] | select(.exitStatus == 137) | .id'\n";

static const char kill_help[] =
    "All processes of a container get SIGTERM. It ends when no process is left; what is left after\n"
    "yarn.nodemanager.sleep-delay-before-sigkill.ms gets SIGKILL.\n"
    "With --force they get SIGKILL at once. --force also shortens a kill that is in progress.\n\n"
    "examples:\n"
    "  creel kill 42\n"
    "  creel kill _0042 _0043 --reason 'wrong input'\n"
    "  creel kill 42_[1-3,7]                these tasks of an array\n"
    "  creel kill --tag nightly --yes\n";

static const char logs_help[] =
    "Reads the logs of running and ended containers from the agents, which keep them for a time.\n"
    "CONTAINER is the last part of its id (000003, 01_000003), or #7 for task 7. If there are\n"
    "several containers, each line begins with its container.\n\n"
    "examples:\n"
    "  creel logs 42\n"
    "  creel logs -f 42\n"
    "  creel logs 42 '#7' --stderr -n 20\n"
    "  creel logs 42 --out logs/\n";

static const char wait_help[] =
    "Prints each application when it has reached the state. The exit status is 0 however the\n"
    "application ended, and 124 after --timeout. creel submit --wait exits with the job's status.\n\n"
    "examples:\n"
    "  creel wait 42 --timeout 1h\n"
    "  creel wait 42 --for running && creel logs -f 42\n";

static const char why_help[] =
    "Prints the blocking limit first, with use, request and maximum, since when it blocks, and the\n"
    "users or queues with the largest use. Then other limits, containers that are being preempted to\n"
    "make room for its queue, the nodes, and possible remedies. For an application that has ended: its\n"
    "result and the reason.\n\n"
    "examples:\n"
    "  creel why 42\n"
    "  creel why _0042 _0043\n"
    "  creel why 42 --json | jq -r '.items[].reasons[0].code'\n";

static const char move_help[] = "Its containers continue to run and count in the new queue.\n\n"
                                "example:\n"
                                "  creel app move 42 root.dev.batch\n";

static const char priority_help[] =
    "Applications of a queue with a higher priority are scheduled first. The maximum is\n"
    "yarn.cluster.max-application-priority, or less if the queue's acl_application_max_priority\n"
    "limits you.\n\n"
    "example:\n"
    "  creel app priority 42 5\n";

static const char lifetime_help[] =
    "TIME is 2h (from now), +2h (added to the present limit) or none. The queue may have a maximum\n"
    "(maximum-application-lifetime). The application is killed at the end of its lifetime. The time\n"
    "limit (--time) of a running application changes by the same amount.\n\n"
    "examples:\n"
    "  creel app lifetime 42 +2h\n"
    "  creel app lifetime 42 30m\n";

static const char requeue_help[] =
    "Its containers are stopped, as by creel kill. The application keeps its place in the queue, and\n"
    "a new attempt starts from the beginning. This counts neither as a failed attempt nor as a retry\n"
    "(--retries). The command has the number of the attempt in CREEL_ATTEMPT.\n\n"
    "examples:\n"
    "  creel app requeue 42\n"
    "  creel app requeue 42_7 --reason 'node5 is slow'\n";

static const char app_set_help[] = "Tasks that are already submitted are not affected.\n\n"
                                   "examples:\n"
                                   "  creel app set 42 --at-once 50\n"
                                   "  creel app set 42 --name train-2\n";

static const char hold_help[] =
    "A held application does not start, and is in no queue, until it is released. Only applications\n"
    "that have not started can be held. Each user can set one hold on an application. A hold that was\n"
    "set by an administrator of the cluster or the queue, other than the owner, can only be removed by\n"
    "an administrator. creel release removes holds.\n\n"
    "example:\n"
    "  creel hold 42 --reason 'wrong input'\n";

static const char release_help[] =
    "Removes the holds that you may remove from held applications, and reports the others. An application\n"
    "without a hold enters its queue. A hold that was set by an administrator of the cluster or the queue,\n"
    "other than the owner, can only be removed by an administrator.\n\n"
    "example:\n"
    "  id=$(creel submit --id --hold -- ./night.sh); creel release $id\n";

static const char queue_list_help[] =
    "CAP is the guaranteed capacity, MAX the maximum capacity and USED the use of a queue, as shares\n"
    "of the cluster. With the fair scheduler CAP is the steady fair share; -o wide adds the\n"
    "instantaneous fair share. If the last refresh was refused, a note reports it.\n\n"
    "With node labels, a queue has a row for the nodes without a label and one for each label that it\n"
    "may use or uses; shares are those of these nodes. In JSON byLabel has the figures of labels.\n\n"
    "examples:\n"
    "  creel queue list --sort -used\n"
    "  creel queue list --label gpu\n"
    "  creel queue list --json | jq -r '.items[] | select(.usedCapacity > 1) | .path'\n";

static const char queue_tree_help[] =
    "The bar in USE is the cluster: # used guarantee, | end of the guarantee, + borrowed\n"
    "and . available up to the maximum. With the fair scheduler: MEMFAIR is the instantaneous fair share,\n"
    "MEMSTEADY the steady fair share, and STARVED the time for which the queue or one of its\n"
    "applications has had less than its fair share while it has pending requests.\n\n"
    "With node labels, a queue has a row for the nodes without a label and one for each label that it\n"
    "may use or uses; bar and shares are those of these nodes.\n\n"
    "examples:\n"
    "  creel queue tree\n"
    "  creel queue tree --label gpu\n";

static const char queue_show_help[] =
    "Then lists its applications, or its child queues, in scheduling order.\n\n"
    "example:\n"
    "  creel queue show dev.ml\n";

static const char queue_explain_help[] =
    "Explains in sentences its guarantee or fair share and how it is computed, its maximum, the limits\n"
    "of one user and of application masters, and why it gets no containers now.\n\n"
    "example:\n"
    "  creel queue explain dev.ml\n";

static const char queue_users_help[] =
    "Lists the use and the limit of each user of a leaf queue. With node labels, a user has a row for the\n"
    "nodes without a label and one for each label that its applications use or request.\n\n"
    "examples:\n"
    "  creel queue users dev.ml --sort -mem\n"
    "  creel queue users dev.ml --label gpu\n";

static const char queue_access_help[] =
    "Lists the users who may submit to the queue or administer it, and the access list that permits it:\n"
    "its own, or that of a parent queue. Groups are looked up on the resource manager's host.\n\n"
    "examples:\n"
    "  creel queue access dev.ml\n"
    "  creel queue access dev.ml --user bob\n";

static const char node_label_help[] =
    "For administrators. Running containers are not affected. The label survives restarts of the\n"
    "resource manager and the agent, and overrides the agent's configuration. A node has at most one\n"
    "label.\n\n"
    "examples:\n"
    "  creel node label n7:8041 set gpu\n"
    "  creel node label n7:8041 remove\n"
    "  creel label map\n";

static const char label_list_help[] =
    "SOURCE is the origin of a label: the user who added it, the configuration (creel.node-labels), a\n"
    "queue whose configuration names it, or a node that has it.\n\n"
    "examples:\n"
    "  creel label list\n"
    "  creel label map\n";

static const char label_add_help[] =
    "For administrators. Labels survive restarts of the resource manager. Nodes of an exclusive\n"
    "label (the default) serve only requests for the label; idle nodes of a shared label also\n"
    "serve requests without a label. Either all labels are added, or none. The queues that may use a\n"
    "label are configured with accessible-node-labels.\n\n"
    "examples:\n"
    "  creel label add gpu && creel node label n7 set gpu\n"
    "  creel label add night:shared big:exclusive\n";

static const char label_remove_help[] =
    "For administrators. Nodes with this label lose it; running containers are not affected. Refused while\n"
    "the configuration of a queue, creel.node-labels or the configuration of an agent names the label.\n\n"
    "example:\n"
    "  creel label remove gpu\n";

static const char queue_stop_help[] =
    "The queue accepts no new applications. It is DRAINING until its applications have ended, then\n"
    "STOPPED. This survives restarts and refreshes. It ends with creel queue start, or with a refresh\n"
    "after the queue's state in capacity-scheduler.xml was changed.\n\n"
    "examples:\n"
    "  creel queue stop dev.ml\n"
    "  creel queue stop dev.ml --drain && echo empty\n";

static const char queue_start_help[] =
    "Ends creel queue stop: the queue accepts applications again, also while it is DRAINING. A queue whose\n"
    "parent is stopped accepts none until the parent is started.\n\n"
    "example:\n"
    "  creel queue start dev.ml\n";

static const char node_resources_help[] =
    "AMOUNTS is mem=SIZE, vcores=N or both; default is the size that the agent reports. The change\n"
    "takes effect at once and survives restarts of the resource manager and the agent. A node that\n"
    "becomes smaller than its use gets no new containers until the use fits.\n\n"
    "examples:\n"
    "  creel node resources n7 mem=48g,vcores=12\n"
    "  creel node resources n7 mem=8g --for 2h --overcommit 10m\n"
    "  creel node resources n7 default\n";

static const char container_list_help[] = "Without --app or --node: all running containers.\n\n"
                                          "examples:\n"
                                          "  creel container list --app 42\n"
                                          "  creel container list --node n7 -o wide\n";

static const char container_stats_help[] =
    "Current and peak memory, and the peak as a share of the request; CPU time, and as a share of one\n"
    "CPU; bytes read from and written to disks; processes. Figures of running containers are some\n"
    "seconds old. ADVISED is the recommended request for the next run, for ended containers.\n\n"
    "examples:\n"
    "  creel container stats --app 42 --sort -peak\n"
    "  creel container stats --node n7\n";

static const char container_signal_help[] =
    "Sends SIGNAL to the process group of the container's command. For the owner and administrators.\n"
    "--main is the command alone, --all every process, --others every process but the command, as a shell\n"
    "whose programs are to get it. The command may ignore or handle the signal; creel kill ends an\n"
    "application in any case.\n\n"
    "examples:\n"
    "  creel container signal 42_01_000003 USR1\n"
    "  creel container signal 42_01_000003 --all STOP\n";

static const char container_resize_help[] =
    "Changes the size of a running container. For the owner and administrators. A smaller size counts at\n"
    "once. A larger one waits until its node has room and no limit is in the way; creel why has the\n"
    "reason, also after a restart of the resource manager. The container keeps its processes, and at its\n"
    "next start it has its first size again.\n\n"
    "examples:\n"
    "  creel container resize 42_01_000003 -m 4g -c 2 --wait\n"
    "  creel container resize 42_01_000003 --cancel\n";

static const char container_exec_help[] =
    "Runs COMMAND in the container's control groups, as its user, with its environment and directory.\n"
    "For the owner and administrators. The exit status is that of the command: 128+N for signal N, 126\n"
    "or 127 if it cannot be executed, 125 if the connection was lost. The command ends with the\n"
    "container, and when creel ends.\n\n"
    "examples:\n"
    "  creel container exec -it 42_01_000003 -- bash\n"
    "  creel container exec 42_01_000003 -- cat /proc/self/cgroup\n"
    "  creel container exec -i 42_01_000003 -- tar xf - <more.tar\n";

static const char conf_show_help[] =
    "Shows the configuration files of this host. Those of the resource manager may differ. With --rm:\n"
    "the values that the resource manager uses, without passwords. CREEL_RM selects another one.\n\n"
    "examples:\n"
    "  creel conf show --rm yarn.scheduler.minimum-allocation-mb\n"
    "  creel conf show yarn.scheduler.minimum-allocation-mb --origin\n"
    "  creel conf show --set --origin\n"
    "  creel conf show --conf /srv/new -o wide\n";

static const char conf_check_help[] =
    "Reads DIR as the daemons do, and prints each mistake with file, line, key, value and the expected\n"
    "value. The exit status is 7 if there is a mistake. A line \"access:\" names the users who may change\n"
    "applications, queues and nodes.\n\n"
    "example:\n"
    "  creel conf check /srv/new-config && cp -r /srv/new-config/. /etc/creel/\n";

static const char keygen_user_help[] =
    "Creates the files NAME and NAME_secret. Copy both to the host where they are used; the resource\n"
    "manager needs only NAME, the public key, and accepts it at once. With --install the user NAME of\n"
    "this host owns the secret key and can use creel. An existing certificate is installed unchanged.\n"
    "With --export the pair is printed, with the public key of the resource manager; a file that it is\n"
    "written to gets the mode 0600, since it has a secret key. With --import on another host root installs\n"
    "such a pair for the user of its name, in the key directory, and the user in ~/.creel.\n"
    "With --remove, on the host of the resource manager, the certificate ends, and what else lets the\n"
    "user in is printed: MUNGE, access tokens, jobs that run. Copies on other hosts are of no use then.\n\n"
    "examples:\n"
    "  creel keygen user ann --install\n"
    "  creel keygen user --export ann | ssh login1 creel keygen user --import -\n"
    "  creel keygen user --export ann >ann.keys\n";

static const char keygen_agent_help[] =
    "Creates the files NAME and NAME_secret. Copy both to the host where they are used; the resource\n"
    "manager needs only NAME, the public key, and accepts it at once. With --export the keys that the\n"
    "host NAME needs are printed for creel setup node. The output has a secret key. An existing\n"
    "certificate is exported unchanged.\n\n"
    "example:\n"
    "  creel keygen agent --export n7 | ssh n7 creel setup node --rm n1 --keys -\n";

static const char dev_up_help[] =
    "Starts a resource manager and agents on the loopback interface of this machine, with their own\n"
    "keys and configuration, and waits until they are ready. Needs root, to create control groups. Run\n"
    "again, it starts the daemons that have ended. While the cluster runs in its default directory,\n"
    "creel commands use it without options. Without --conf its scheduler counts memory and vcores\n"
    "(DominantResourceCalculator).\n\n"
    "examples:\n"
    "  creel dev up\n"
    "  creel dev up -n 5 --dir /tmp/second && eval \"$(creel dev env --dir /tmp/second)\"\n"
    "  creel dev down\n";

static const char dev_down_help[] =
    "Kills the containers, stops the daemons, and removes the control groups and the directory of the\n"
    "cluster, and nothing else. It succeeds if there is no cluster.\n";

const struct command command_table[] = {
    { "submit", cmd_submit, "[--] COMMAND [ARGUMENT]...", "submit a job", submit_help, submit_option_table,
      OPTIONS_BEFORE_COMMAND, NULL },
    { "run", cmd_run, "[--] COMMAND [ARGUMENT]...", "submit a job, wait for it, and show its output",
      run_help, submit_option_table, OPTIONS_BEFORE_COMMAND, NULL },
    { "alloc", cmd_alloc, "[--] [COMMAND [ARGUMENT]...]",
      "allocate containers, and run a shell that uses them", alloc_help, alloc_options,
      OPTIONS_BEFORE_COMMAND, NULL },
    { "attach", cmd_attach, "ID [--] [COMMAND [ARGUMENT]...]", "take an allocation over with a new shell",
      attach_help, NULL, OPTIONS_BEFORE_COMMAND, NULL },
    { "ps", cmd_ps, NULL, "list my active applications", ps_help, ps_options, OPTIONS_ANYWHERE, NULL },
    { "status", cmd_app_show, "ID", "show one application", status_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "why", cmd_app_why, "ID...", "explain why it waits, or how it ended", why_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "logs", cmd_logs, "ID [CONTAINER]", "show the logs of its containers", logs_help, logs_options,
      OPTIONS_ANYWHERE, NULL },
    { "fetch", cmd_fetch, "ID", "bring its results here", fetch_help, fetch_options, OPTIONS_ANYWHERE, NULL },
    { "wait", cmd_wait, "ID...", "wait until it has ended, or runs", wait_help, wait_options,
      OPTIONS_ANYWHERE, NULL },
    { "kill", cmd_kill, "ID...", "kill applications", kill_help, kill_options, OPTIONS_ANYWHERE, NULL },
    { .path = "cancel", .alias_of = "kill" },
    { "hold", cmd_hold, "ID...", "hold applications that have not started", hold_help, hold_options,
      OPTIONS_ANYWHERE, NULL },
    { "release", cmd_release, "ID...", "release held applications", release_help, NULL, OPTIONS_ANYWHERE,
      NULL },

    { "top", cmd_top, "[WHAT]", "show the use of the cluster, refreshed", top_help, top_options,
      OPTIONS_ANYWHERE, NULL },
    { "events", cmd_events, NULL, "list events of applications and nodes", help_events, events_options,
      OPTIONS_ANYWHERE, NULL },

    { "app list", cmd_app_list, NULL, "list applications of all users, ended ones too", list_help,
      app_list_options, OPTIONS_ANYWHERE, NULL },
    { .path = "app show", .alias_of = "status" },
    { .path = "app status", .alias_of = "status" },
    { "app containers", cmd_app_containers, "ID", "list its containers", containers_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "app attempts", cmd_app_attempts, "ID", "list its attempts", attempts_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { .path = "app why", .alias_of = "why" },
    { "app move", cmd_app_move, "ID QUEUE", "move it to another queue", move_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "app priority", cmd_app_priority, "ID N", "set its priority within the queue", priority_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "app lifetime", cmd_app_lifetime, "ID TIME", "set its lifetime", lifetime_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "app requeue", cmd_app_requeue, "ID", "stop its attempt and start a new one", requeue_help,
      requeue_options, OPTIONS_ANYWHERE, NULL },
    { "app rerun", cmd_app_rerun, "ID", "submit an ended application again", help_rerun, rerun_options,
      OPTIONS_ANYWHERE, NULL },
    { "app set", cmd_app_set, "ID", "set its name, or how many tasks of an array run at a time", app_set_help,
      app_set_options, OPTIONS_ANYWHERE, NULL },
    { "history apps", cmd_history, NULL, "list ended applications", help_history, history_options,
      OPTIONS_ANYWHERE, NULL },
    { "history usage", cmd_history_usage, NULL, "sum up ended applications by user, queue or time",
      help_history_usage, history_usage_options, OPTIONS_ANYWHERE, NULL },
    { "history efficiency", cmd_history_efficiency, "[ID]...",
      "show the share of allocated CPU time and memory that was used", help_history_efficiency,
      history_efficiency_options, OPTIONS_ANYWHERE, NULL },
    { .path = "history app", .alias_of = "status" },
    { .path = "history attempts", .alias_of = "app attempts" },
    { .path = "app hold", .alias_of = "hold" },
    { .path = "app release", .alias_of = "release" },
    { .path = "app submit", .alias_of = "submit" },
    { .path = "app kill", .alias_of = "kill" },
    { .path = "app logs", .alias_of = "logs" },
    { .path = "app fetch", .alias_of = "fetch" },
    { .path = "app wait", .alias_of = "wait" },

    { "container list", cmd_container_list, NULL, "list containers of an application or a node",
      container_list_help, container_list_options, OPTIONS_ANYWHERE, NULL },
    { "container show", cmd_container_show, "ID", "show one container", container_show_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "container stats", cmd_container_stats, "[ID]", "show the resource use of containers",
      container_stats_help, container_list_options, OPTIONS_ANYWHERE, NULL },
    { "container logs", cmd_container_logs, "ID", "show its logs", container_logs_help, logs_options,
      OPTIONS_ANYWHERE, NULL },
    { "container signal", cmd_container_signal, "ID SIGNAL", "send a signal to its command",
      container_signal_help, container_signal_options, OPTIONS_ANYWHERE, NULL },
    { "container resize", cmd_container_resize, "ID", "change the size of a running container",
      container_resize_help, container_resize_options, OPTIONS_ANYWHERE, NULL },
    { "container exec", cmd_container_exec, "ID [--] COMMAND [ARGUMENT]...", "run a command in a container",
      container_exec_help, container_exec_options, OPTIONS_BEFORE_COMMAND, NULL },

    { "node list", cmd_node_list, NULL, "list nodes, their resources and their use", node_list_help,
      node_list_options, OPTIONS_ANYWHERE, NULL },
    { "node show", cmd_node_show, "NODE...", "show nodes", node_show_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "node drain", cmd_node_drain, "NODE...", "start nothing new there; running containers may finish",
      help_node_drain, node_drain_options, OPTIONS_ANYWHERE, NULL },
    { "node undrain", cmd_node_undrain, "NODE...", "return them to service", help_node_undrain, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "node decommission", cmd_node_decommission, "NODE...", "drain nodes, then remove them from the cluster",
      help_node_decommission, node_drain_options, OPTIONS_ANYWHERE, NULL },
    { "node recommission", cmd_node_recommission, "NODE...", "allow them to register again",
      help_node_recommission, NULL, OPTIONS_ANYWHERE, NULL },
    { "node resources", cmd_node_resources, "NODE... AMOUNTS", "set the resources of nodes",
      node_resources_help, node_resources_options, OPTIONS_ANYWHERE, NULL },
    { "node label", cmd_node_label, "NODE set|add|remove [LABEL]", "set the label (partition) of a node",
      node_label_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "label list", cmd_label_list, NULL, "list labels and their resources", label_list_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label add", cmd_label_add, "LABEL[:exclusive|:shared]...", "add labels", label_add_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label remove", cmd_label_remove, "LABEL...", "remove labels", label_remove_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "label map", cmd_label_map, NULL, "list the nodes of each label", label_map_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "token create", cmd_token_create, NULL, "create a token for the web page and REST", token_create_help,
      token_create_options, OPTIONS_ANYWHERE, NULL },
    { "token list", cmd_token_list, NULL, "list your tokens, without their secrets", token_list_help,
      token_list_options, OPTIONS_ANYWHERE, NULL },
    { "token revoke", cmd_token_revoke, "TOKEN...", "revoke tokens", token_revoke_help, token_revoke_options,
      OPTIONS_ANYWHERE, NULL },
    { "queue list", cmd_queue_list, NULL, "list queues and their use", queue_list_help, queue_label_options,
      OPTIONS_ANYWHERE, NULL },
    { "queue tree", cmd_queue_tree, NULL, "show queues as a tree, with bars", queue_tree_help,
      queue_label_options, OPTIONS_ANYWHERE, NULL },
    { "queue show", cmd_queue_show, "QUEUE", "show one queue", queue_show_help, NULL, OPTIONS_ANYWHERE,
      NULL },
    { "queue explain", cmd_queue_explain, "QUEUE", "explain how its figures are computed", queue_explain_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "queue users", cmd_queue_users, "QUEUE", "list the use and limits of its users", queue_users_help,
      queue_label_options, OPTIONS_ANYWHERE, NULL },
    { "queue access", cmd_queue_access, "QUEUE", "list users who may submit to it or administer it",
      queue_access_help, queue_access_options, OPTIONS_ANYWHERE, NULL },
    { "queue start", cmd_queue_start, "QUEUE", "accept applications again", queue_start_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "queue stop", cmd_queue_stop, "QUEUE", "accept no new applications", queue_stop_help,
      queue_stop_options, OPTIONS_ANYWHERE, NULL },
    { "cluster info", cmd_cluster_info, NULL, "show the cluster in figures", cluster_info_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "cluster health", cmd_cluster_health, NULL, "check the cluster, and name remedies", cluster_health_help,
      NULL, OPTIONS_ANYWHERE, NULL },

    { "admin refresh", cmd_admin_refresh, "WHAT [TIME]", "read parts of the configuration again",
      help_refresh, refresh_options, OPTIONS_ANYWHERE, NULL },
    { "admin state", cmd_admin_state, "WHAT [FILE]", "check, back up or restore the state", help_state,
      admin_state_options, OPTIONS_ANYWHERE, NULL },
    { "admin log-level", cmd_admin_log_level, "[DAEMON]... [LEVEL]", "show or set the log levels of daemons",
      log_level_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "admin drain-all", cmd_admin_drain_all, NULL, "drain all nodes", drain_all_help, node_drain_options,
      OPTIONS_ANYWHERE, NULL },
    { "admin undrain-all", cmd_admin_undrain_all, NULL, "return all drained nodes to service",
      undrain_all_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "conf show", cmd_conf_show, "[KEY]", "show the configuration in force", conf_show_help,
      conf_show_options, OPTIONS_ANYWHERE, NULL },
    { "conf check", cmd_conf_check, "[DIR]", "check configuration files before they are used",
      conf_check_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "conf diff", cmd_conf_diff, NULL, "list keys whose values differ from the resource manager's",
      conf_diff_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "conf apply", cmd_conf_apply, NULL, "check the files, then refresh queues and nodes", conf_apply_help,
      NULL, OPTIONS_ANYWHERE, NULL },
    { "conf set", cmd_conf_set, "[QUEUE.KEY=VALUE]...", "change properties of queues", conf_set_help,
      conf_set_options, OPTIONS_ANYWHERE, NULL },
    { "conf convert", cmd_conf_convert, "fair-to-capacity [DIR]", "convert the queues of the fair scheduler",
      conf_convert_help, NULL, OPTIONS_ANYWHERE, NULL },
    { "conf versions", cmd_conf_versions, NULL, "changes of queues over the files", conf_versions_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "conf rollback", cmd_conf_rollback, "VERSION", "undo changes of queues", conf_rollback_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "setup rm", cmd_setup_rm, NULL, "make this host the resource manager of a new cluster", setup_rm_help,
      setup_rm_options, OPTIONS_ANYWHERE, NULL },
    { "setup node", cmd_setup_node, NULL, "make this host a node", setup_node_help, setup_node_options,
      OPTIONS_ANYWHERE, NULL },
    { "setup client", cmd_setup_client, NULL, "make this host one from which users work", setup_client_help,
      setup_client_options, OPTIONS_ANYWHERE, NULL },
    { "keygen cluster", cmd_keygen_cluster, "[DIR]", "create the certificates of a cluster",
      help_keygen_cluster, keygen_options, OPTIONS_ANYWHERE, NULL },
    { "keygen user", cmd_keygen_user, "NAME...", "create certificates of users", keygen_user_help,
      keygen_user_options, OPTIONS_ANYWHERE, NULL },
    { "keygen agent", cmd_keygen_agent, "NAME...", "create certificates of agents, by host",
      keygen_agent_help, keygen_agent_options, OPTIONS_ANYWHERE, NULL },
    { "dev up", cmd_dev_up, NULL, "start a cluster on this machine", dev_up_help, dev_up_options,
      OPTIONS_ANYWHERE, NULL },
    { "dev status", cmd_dev_status, NULL, "show its processes", dev_status_help, dev_options,
      OPTIONS_ANYWHERE, NULL },
    { "dev env", cmd_dev_env, NULL, "print shell commands that select it", dev_env_help, dev_options,
      OPTIONS_ANYWHERE, NULL },
    { "dev down", cmd_dev_down, NULL, "stop and remove it", dev_down_help, dev_options, OPTIONS_ANYWHERE,
      NULL },

    { "whoami", cmd_whoami, NULL, "show which user you are to the cluster", whoami_help, NULL,
      OPTIONS_ANYWHERE, NULL },
    { "version", cmd_version, NULL, "show the version of creel", version_help, version_options,
      OPTIONS_ANYWHERE, NULL },
    { "help", cmd_help, "[COMMAND]", "show the help of a command", help_help, NULL, OPTIONS_ANYWHERE, NULL },
    { .path = "__write-input", .run = cmd_write_input, .arguments = "", .mode = OPTIONS_ANYWHERE },
    { .path = "__task-master", .run = cmd_task_master, .arguments = "", .mode = OPTIONS_ANYWHERE },
    { .path = NULL },
};
