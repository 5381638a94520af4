/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_field_table.h - table of all plain fields of a job, one row each
 *
 * These parts of creel are generated from a row: the option of `creel submit` and `creel run` with its help,
 * the key of `--dry-run`, the copy from struct creel_job to the schema's message, the checks in the client,
 * the resource manager and the agent, the limits of messages, the entry in creel(1) and the property in
 * docs/schema/JobList.json. docs/hacking.md explains how to add a field.
 *
 *     X(member, kind, letter, option, argument, json, low, high, help, manual)
 *
 * MEMBER is the name in the schema's message (creel.proto) and in struct creel_job (creel.h). KIND is the
 * kind of value: see job_field.h. A value is text or a number; "" and 0 mean "not given" everywhere. LETTER
 * is the short option, or 0. JSON is the key in --dry-run. LOW and HIGH are the inclusive limits of a number;
 * 0 is always allowed. HELP is one line of --help. MANUAL is the entry in creel(1), in scdoc.
 *
 * Fields with a structure are not in this table but have their own code: command, environment, files, tags,
 * resources with their options --memory, --vcores, --resource and --gpus, kind and number of tasks. `type`
 * has no option.
 */
#ifndef CREEL_JOB_FIELD_TABLE_H
#define CREEL_JOB_FIELD_TABLE_H

/* Fields of JobSpec, which the resource manager reads. */
#define JOB_SPEC_FIELDS(X) \
    X(queue, TEXT, 'q', "queue", "QUEUE", "queue", 0, 0, "queue; the user's default without it", \
      "The queue; the user's default without it.") \
    X(name, TEXT, 'n', "name", "NAME", "name", 0, 0, "name in lists; the command's without it", \
      "The name in lists; the command's without it.") \
    X(max_attempts, NUMBER, 0, "max-attempts", "N", "maxAttempts", 1, 4294967295, \
      "try so often before the application fails", "Try so often before the application fails.") \
    X(retry_on, RETRY, 0, "retry-on", "ENDS", "retryOn", 0, 0, \
      "start it again after such an end: node, preempt, oom, exit:75", \
      "Of a job of one command: start it again, as often as *--retries* allows, after one of these ends, " \
      "separated by commas: *node* (its node was lost, had failed disks or could not start it), *preempt* " \
      "(it was preempted), *oom* (it used more memory than it may), *exit:*_N_ (its exit status was _N_). " \
      "Each item limits what it names: without *node* and *preempt* a job that is lost with its node, or " \
      "preempted, starts again in any case, and that is not counted.") \
    X(retries, NUMBER, 0, "retries", "N", "retries", 1, 1000, "how often --retry-on starts it again", \
      "How often *--retry-on* starts the job again. The command finds the number of its attempt in " \
      "*CREEL_ATTEMPT*, from 1.") \
    X(priority, NUMBER, 'p', "priority", "N", "priority", -2147483648, 2147483647, \
      "within the queue; higher is first", \
      "Rank within the queue, higher first. Without it, what the workflow (*--tag* _workflowid:ID_), the " \
      "user or the queue is given by the scheduler's configuration.") \
    X(time_limit_s, SECONDS, 't', "time", "TIME", "timeLimitSeconds", 1, 3155760000, \
      "kill it when it has run so long: 2h, 90m, 1:30:00", \
      "Kill it when it has run so long: the time counts from the start of its first container, and anew " \
      "in each attempt. Its processes get SIGTERM, and SIGKILL after the node's grace period. The " \
      "command finds the moment in *CREEL_DEADLINE*, in seconds since 1970. *creel app lifetime* moves it.") \
    X(lifetime_s, SECONDS, 0, "lifetime", "TIME", "lifetimeSeconds", 1, 3155760000, \
      "kill it so long after its submission, also while it waits", \
      "Kill it so long after its submission, also while it waits for resources (YARN's application " \
      "timeout). The queue has a default and a maximum.") \
    X(label, TEXT, 'l', "label", "LABEL", "label", 0, 0, "only on nodes with this label", \
      "Only on nodes with this label (partition).") \
    X(stop_after_ms, DISCONNECT, 0, "on-disconnect", "WHAT", "stopAfterMs", -1, 2592000000, \
      "when a host loses the resource manager: keep, or stop-after=TIME", \
      "_WHAT_ is *keep* or *stop-after=*_TIME_: what becomes of a container whose host has lost the " \
      "resource manager. *keep*: it runs on; its task may run elsewhere, too, once the node counts as " \
      "lost. *stop-after=*_TIME_ (30s, 5m): it gets SIGTERM ahead of _TIME_, and is killed when that " \
      "has passed, also while the host's agent is down. No task runs elsewhere before that time has " \
      "certainly passed, so none ever runs twice at a time. Without it " \
      "_creel.container.on-disconnect_ counts (*keep*, or *stop-after* _TIME_).") \
    X(hold, FLAG, 'H', "hold", NULL, "hold", 0, 1, "it waits until creel release", \
      "It waits, in no queue, until *creel release*.") \
    X(begin_ms, TIME, 0, "begin", "TIME", "beginMs", 1, 9007199254740991, \
      "it waits until then: 16:00, now+2h, 2027-01-20T08:00", \
      "It waits, in no queue, until _TIME_: _16:00_ (the next one), _now+2h_, _tomorrow_, _2027-01-20_, " \
      "_2027-01-20T08:00_, with _Z_ behind it in UTC; otherwise in the time zone of this host. Its " \
      "lifetime counts from then.") \
    X(deadline_ms, TIME, 0, "deadline", "TIME", "deadlineMs", 1, 9007199254740991, \
      "kill it then, unless it is over, also while it waits", \
      "Kill it at _TIME_ (as for *--begin*), unless it is over. That counts while it waits, too.") \
    X(depends_on, PATH, 'd', "depends-on", "JOBS", "dependsOn", 0, 0, \
      "it waits for others: ok:41, any:42:43, notok:44, after:45, singleton", \
      "It waits, in no queue, until other jobs, of any user, have come so far: *ok:*_ID_ has ended and " \
      "succeeded, *any:*_ID_ has ended, *notok:*_ID_ has ended and did not succeed, *after:*_ID_ has " \
      "started (or ended before), *singleton*: no earlier job of the same user and name is left. " \
      "Several ids stand with colons between them. Items are separated by *,* if all of them are " \
      "needed, by *?* if one is enough. Slurm's words *afterok*, *afterany* and *afternotok* are known, " \
      "too. If it can never begin, it is killed at once, with the reason.") \
    X(array, PATH, 0, "array", "TASKS", "array", 0, 0, \
      "an array of such jobs: 0-99, 0-99:10, 1,5,7; 0-99%8: eight at a time", \
      "An array: one job for each index in _TASKS_, as _0-99_, _0-99:10_ (every tenth) or _1,5,7-9_, of " \
      "up to a million. Behind them _%N_: at most _N_ are submitted at a time. Each task has an id and " \
      "an exit status of its own, is written *42_7*, and sees *CREEL_ARRAY_TASK_ID*, " \
      "*CREEL_ARRAY_TASK_COUNT*, *CREEL_ARRAY_TASK_MIN*, *CREEL_ARRAY_TASK_MAX*, " \
      "*CREEL_ARRAY_TASK_STEP* and *CREEL_ARRAY_JOB_ID*. The array fails if one of them does.") \
    X(stop_after_failures, NUMBER, 0, "stop-after-failures", "N", "stopAfterFailures", 1, 1000000, \
      "of an array: begin no further task when N have failed", \
      "Of an array: when _N_ tasks have failed, no further one begins.")

/* Fields of LaunchContext, which the agent reads to start a command. An application master chooses them for
 * each container (creel-am.h). */
#define JOB_LAUNCH_FIELDS(X) \
    X(directory, PATH, 'C', "chdir", "DIR", "directory", 0, 0, \
      "run there, on the node, instead of in the present directory", \
      "Run there, on the node, instead of in the present directory. One that is not absolute is below " \
      "that. If it cannot be entered, the job fails.") \
    X(preempt_signal, SIGNAL, 0, "preempt-signal", "SIGNAL", "preemptSignal", 0, 0, \
      "sent when it is to be preempted (TERM, USR1, ...): none", \
      "Sent to the command when it is to be preempted: HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CONT, " \
      "URG or WINCH. See PREEMPTION.") \
    X(limit_signal, LIMIT_SIGNAL, 0, "signal", "SIGNAL@TIME", "signal", 0, 0, \
      "sent so long before its time limit: USR1@60, TERM@5m, @90", \
      "Sent to the processes of each container so long before the time limit (*--time*, *--lifetime*, " \
      "*--deadline*): _USR1@60_, _TERM@5m_. Without _SIGNAL_ it is TERM, without _@TIME_ a minute. If the " \
      "limit is nearer than that, it is sent at once; if the limit is moved, it is sent again.") \
    X(script_system, SYSTEM, 0, "from", "SYSTEM", "from", 0, 0, \
      "read the script's directives of slurm (guessed), or of creel alone", \
      "Whose directives the script has: *slurm* (lines of #SBATCH), or *creel*. Without it, *slurm* if " \
      "the script has lines of #SBATCH and none of #CREEL. With *slurm* the command finds Slurm's " \
      "variables, too. See DIRECTIVES.") \
    JOB_PROCESS_FIELDS(X)

/* More fields of LaunchContext: attributes of the process that the shim sets before it executes the command.
 * The agent passes these fields to the shim by this list (nm-agent/launch.h). */
#define JOB_PROCESS_FIELDS(X) \
    X(out_file, PATTERN, 0, "out", "PATTERN", "out", 0, 0, \
      "write its output to this file on the node: out.%j, log/%x-%t", \
      "Write the standard output of the command to this file on the node, usually on storage that the " \
      "nodes share, and the standard error too, unless *--err* names another. A path that is not " \
      "absolute begins in the directory where the command runs. *%j* is the number of the application, " \
      "*%A* and *%a* those of an array's job and its index, *%x* the name, *%u* the user, *%N* the " \
      "host, *%t* the task; a percent sign is doubled. *creel logs* has nothing of what goes to a file.") \
    X(err_file, PATTERN, 0, "err", "PATTERN", "err", 0, 0, \
      "the same for its errors; without it they go where --out goes", "The same for the standard error.") \
    X(open_mode, OPEN_MODE, 0, "open-mode", "MODE", "openMode", 0, 0, \
      "append to these files, or truncate them, which is the default", \
      "*append* to the files of *--out* and *--err*, or *truncate* them, which is the default.") \
    X(umask, OCTAL, 0, "umask", "MODE", "umask", 0, 0777, \
      "permissions that files it makes do not get, octal, as 027", \
      "Permissions that files which the command makes do not get: an octal number from 0 to 0777, as " \
      "_027_. Without it the agent's own, usually 022.") \
    X(nice, ROOT_NEGATIVE, 0, "nice", "N", "nice", -20, 19, \
      "nice value of the command: to 19, which runs last; below 0 for root alone", \
      "The nice value of the command and its processes, from -20 to 19, which runs last. It counts " \
      "among processes of the same container, since containers have CPU shares of their own " \
      "(*--vcores*). Only jobs of root may have less than 0; others are refused. Without it, or with " \
      "0, the agent's own.")

#define JOB_FIELDS(X) JOB_SPEC_FIELDS(X) JOB_LAUNCH_FIELDS(X)

#endif
