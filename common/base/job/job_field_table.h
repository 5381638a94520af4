/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_field_table.h - table of all plain fields of a job, one row each
 *
 * These parts of creel are generated from a row: the option of `creel submit`, `creel run` and (some)
 * `creel alloc` with its help, the key of `--dry-run`, the copy from struct creel_job to the schema's
 * message, the checks in the client, the resource manager and the agent, the limits of messages, the entry
 * in creel(1) and the property in docs/schema/JobList.json. docs/hacking.md explains how to add a field.
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

/* Fields of JobSpec that `creel alloc` has, too. */
#define JOB_ALLOC_FIELDS(X) \
    X(queue, TEXT, 'q', "queue", "QUEUE", "queue", 0, 0, "queue (default: that of the user)", \
      "The queue. The default is that of the user.") \
    X(priority, NUMBER, 'p', "priority", "N", "priority", -2147483648, 2147483647, \
      "priority within the queue; higher is first", \
      "Priority within the queue; higher is first. The default is that of the workflow (*--tag* " \
      "_workflowid:ID_), the user or the queue in the scheduler's configuration.") \
    X(time_limit_s, SECONDS, 't', "time", "TIME", "timeLimitSeconds", 1, 3155760000, \
      "maximum run time: 2h, 90m, 1:30:00", \
      "Maximum run time. It counts from the start of the first container, and starts again in each " \
      "attempt. At its end the processes get SIGTERM, and SIGKILL after the grace period of the node. " \
      "*CREEL_DEADLINE* has this time in seconds since 1970. *creel app lifetime* changes it.") \
    X(lifetime_s, SECONDS, 0, "lifetime", "TIME", "lifetimeSeconds", 1, 3155760000, \
      "maximum time from submission, waiting included", \
      "Maximum time from the submission to the end, also while the job waits for resources (YARN's " \
      "application timeout). The queue has a default and a maximum.") \
    X(label, TEXT, 'l', "label", "LABEL", "label", 0, 0, "run only on nodes with this label", \
      "Run only on nodes with this label (partition).") \
    X(begin_ms, TIME, 0, "begin", "TIME", "beginMs", 1, 9007199254740991, \
      "earliest start: 16:00, now+2h, 2027-01-20T08:00", \
      "Earliest start. Before it the job is in no queue. _TIME_ is _16:00_ (the next one), _now+2h_, " \
      "_tomorrow_, _2027-01-20_ or _2027-01-20T08:00_, in the time zone of this host, or in the zone " \
      "that it ends with: _2027-01-20T08:00Z_ (UTC), _2027-01-20T08:00+01:00_. The lifetime of the job " \
      "counts from then.") \
    X(depends_on, LIST, 'd', "depends-on", "JOBS", "dependsOn", 0, 0, \
      "wait for other jobs: ok:41, any:42:43, notok:44, after:45, corr:46, singleton", \
      "Dependencies on other jobs, of any user. The job is in no queue until they are met. *ok:*_ID_: the " \
      "job has succeeded; *any:*_ID_: it has ended; *notok:*_ID_: it has ended without success; " \
      "*after:*_ID_: it has started or ended; *corr:*_ID_: both are arrays, and each task waits until " \
      "the task of _ID_ with its index has succeeded; *singleton*: no earlier job of the same user and " \
      "name is active. Several ids are separated by colons. Items are separated by *,* if all are " \
      "required, or by *?* if one is sufficient. Slurm's *afterok*, *afterany*, " \
      "*afternotok* and *aftercorr* are accepted, too. " \
      "A job whose dependency can no longer be met is killed at once, with the reason; with *corr* the " \
      "tasks that cannot run fail.")

/* Fields of JobSpec, which the resource manager reads. */
#define JOB_SPEC_FIELDS(X) \
    JOB_ALLOC_FIELDS(X) \
    X(name, TEXT, 'n', "name", "NAME", "name", 0, 0, "name of the job (default: that of the command)", \
      "The name of the job. The default is the name of the command.") \
    X(max_attempts, NUMBER, 0, "max-attempts", "N", "maxAttempts", 1, 4294967295, \
      "attempts before the application fails", "Number of attempts before the application fails.") \
    X(retry_on, RETRY, 0, "retry-on", "ENDS", "retryOn", 0, 0, \
      "restart the job after these ends: node, preempt, oom, exit:75", \
      "For a job of one command: restart it, at most *--retries* times, after one of these ends, " \
      "separated by commas: *node* (its node was lost, had failed disks or could not start it), *preempt* " \
      "(it was preempted), *oom* (it exceeded its memory limit), *exit:*_N_ (its exit status was _N_). " \
      "Without *node* and *preempt*, a job that lost its node or was preempted is always restarted, and " \
      "this does not count as a retry.") \
    X(retries, NUMBER, 0, "retries", "N", "retries", 1, 1000, "number of restarts by --retry-on", \
      "Maximum number of restarts by *--retry-on*. The variable *CREEL_ATTEMPT* of the command has the " \
      "number of the attempt, from 1.") \
    X(no_requeue, FLAG, 0, "no-requeue", NULL, "noRequeue", 0, 1, "never start the job a second time", \
      "Never start the job a second time, as in Slurm: it fails, with the reason, when it is preempted, " \
      "when its node is drained, lost or has failed disks, and when its application master fails; the " \
      "tasks of a job of tasks likewise. Only a command that a node could not start is started on " \
      "another node. *creel app requeue* is refused; *creel app rerun* of the ended job submits a new " \
      "one. It cannot be combined with *--retry-on*.") \
    X(stop_after_ms, DISCONNECT, 0, "on-disconnect", "WHAT", "stopAfterMs", -1, 2592000000, \
      "if a host loses the resource manager: keep, or stop-after=TIME", \
      "Action for containers on a host that has lost the resource manager. *keep*: the container " \
      "continues; its task may also run on another node once this node is lost. " \
      "*stop-after=*_TIME_ (30s, 5m): the container gets SIGTERM before the end of _TIME_ and is killed " \
      "at its end, also while the agent of the host is down. The task is not started on another node " \
      "before that time, so it never runs twice at the same time. The default is " \
      "_creel.container.on-disconnect_.") \
    X(hold, FLAG, 'H', "hold", NULL, "hold", 0, 1, "hold the job until creel release", \
      "Hold the job: it is in no queue and does not start until *creel release*.") \
    X(deadline_ms, TIME, 0, "deadline", "TIME", "deadlineMs", 1, 9007199254740991, \
      "kill the job at this time if it has not ended", \
      "Kill the job at _TIME_ (as for *--begin*) if it has not ended, also while it waits.") \
    X(array, LIST, 0, "array", "TASKS", "array", 0, 0, \
      "submit an array: 0-99, 0-99:10, 1,5,7; 0-99%8: eight at a time", \
      "Submit an array: one job, a task, for each index in _TASKS_, as _0-99_, _0-99:10_ (every tenth) or " \
      "_1,5,7-9_, up to a million. With the suffix _%N_, at most _N_ tasks are submitted at a time. Each " \
      "task has its own id (*42_7*) and exit status, and the variables *CREEL_ARRAY_TASK_ID*, " \
      "*CREEL_ARRAY_TASK_COUNT*, *CREEL_ARRAY_TASK_MIN*, *CREEL_ARRAY_TASK_MAX*, " \
      "*CREEL_ARRAY_TASK_STEP* and *CREEL_ARRAY_JOB_ID*. The array fails if one of its tasks fails.") \
    X(stop_after_failures, NUMBER, 0, "stop-after-failures", "N", "stopAfterFailures", 1, 1000000, \
      "array: start no further task after N have failed", \
      "For an array: after _N_ failed tasks no further task starts; those that wait in the queue are " \
      "killed.") \
    X(mail_type, MAIL_TYPE, 0, "mail-type", "EVENTS", "mailType", 0, 0, \
      "send mail about these events: BEGIN,END,FAIL, ALL, NONE", \
      "Events of the job about which mail is sent, by the names of Slurm, separated by commas, in any " \
      "case. *BEGIN*: the job begins; *END*: it has ended, with or without success; *FAIL*: it has " \
      "failed; *ALL*: all of them; *NONE*: no mail. *REQUEUE*, *INVALID_DEPEND*, *STAGE_OUT*, " \
      "*TIME_LIMIT*, *TIME_LIMIT_90*, *TIME_LIMIT_80*, *TIME_LIMIT_50* and *ARRAY_TASKS* are accepted, " \
      "but creel has no such events. The command of _creel.jobs.notify-command_ sends the mail; without " \
      "it there is none.") \
    X(mail_user, MAIL_USER, 0, "mail-user", "ADDRESS,...", "mailUser", 0, 0, \
      "recipients of this mail (default: the user of the job)", \
      "Addresses or names of users that get the mail of *--mail-type*, separated by commas, at most 4096 " \
      "bytes. The default is the user of the job.")

/* Fields of LaunchContext, which the agent reads to start a command. An application master chooses them for
 * each container (creel-am.h). */
#define JOB_LAUNCH_FIELDS(X) \
    X(directory, PATH, 'C', "chdir", "DIR", "directory", 0, 0, \
      "working directory on the node (default: the current directory)", \
      "Working directory on the node. A relative path starts at the current directory, which is the " \
      "default. If the directory cannot be entered, the job fails.") \
    X(preempt_signal, SIGNAL, 0, "preempt-signal", "SIGNAL", "preemptSignal", 0, 0, \
      "signal with a preemption notice: TERM, USR1, ... (default: none)", \
      "Signal that is sent to the command with a preemption notice: HUP, INT, QUIT, USR1, USR2, ALRM, " \
      "TERM, CONT, URG or WINCH. See PREEMPTION.") \
    X(limit_signal, LIMIT_SIGNAL, 0, "signal", "SIGNAL@TIME", "signal", 0, 0, \
      "signal before the time limit: USR1@60, B:TERM@5m, @90", \
      "Signal that is sent to the processes of each container _TIME_ before the time limit (*--time*, " \
      "*--lifetime*, *--deadline*): _USR1@60_, _TERM@5m_. The default signal is TERM, the default time a " \
      "minute. All processes get it; *B:* before the signal (_B:USR1@60_) sends it to the first process, " \
      "the shell of a script, alone (*--signal-to*). If less time is left, the signal is sent at once. If " \
      "the limit changes, it is sent again. " \
      "The file that *CREEL_PREEMPT_FILE* names has the time of the limit then, in the format of " \
      "PREEMPTION.") \
    X(limit_signal_to, SIGNAL_TO, 0, "signal-to", "WHICH", "signalTo", 0, 0, \
      "processes that get --signal: all (default), first, others, steps", \
      "The processes of each container that get the signal of *--signal*: *all* (default), *first* (the " \
      "first process alone, which is the shell if the command is a script; the same as *B:* before the " \
      "signal), *others* (all but the first process), or *steps* (those of the steps of *srun*, or all " \
      "but the first process if the container never had a step). A shell without a *trap* for the " \
      "signal is ended by it. A script of Slurm has Slurm's rule: *first* with *B:*, else *steps*.") \
    X(script_system, SYSTEM, 0, "from", "SYSTEM", "from", 0, 0, \
      "directives in the script: slurm, or creel (default: guessed)", \
      "The directives in the script: *slurm* (#SBATCH lines) or *creel*. The default is *slurm* if the " \
      "script has #SBATCH lines and no #CREEL lines. With *slurm* the command also has Slurm's " \
      "variables. See DIRECTIVES.") \
    JOB_PROCESS_FIELDS(X)

/* More fields of LaunchContext: attributes of the process that the shim sets before it executes the command.
 * The agent passes these fields to the shim by this list (nm-agent/launch.h). */
#define JOB_PROCESS_FIELDS(X) \
    X(out_file, PATTERN, 0, "out", "PATTERN", "out", 0, 0, \
      "write standard output to this file on the node: out.%j, log/%x-%t", \
      "Write the standard output of the command to this file on the node, usually on storage that the " \
      "nodes share, and the standard error too unless *--err* is given. A relative path starts at the " \
      "working directory of the command. *%j* is the number of the application, *%A* and *%a* the " \
      "number of an array and the index of the task, *%b* the index modulo 10, *%x* the name, *%u* the " \
      "user, *%N* the host, *%t* " \
      "the task; *%4a* is the index with leading zeros, *0007*. Write a " \
      "percent sign twice. *creel logs* does not show output that is written to a file. If the node does " \
      "not have the directory, or a relative path starts at the current directory and the node does not " \
      "have that, the job fails before it runs.") \
    X(err_file, PATTERN, 0, "err", "PATTERN", "err", 0, 0, \
      "write standard error to this file (default: as --out)", "The same for the standard error.") \
    X(open_mode, OPEN_MODE, 0, "open-mode", "MODE", "openMode", 0, 0, \
      "append to these files, or truncate them (default)", \
      "*append* to the files of *--out* and *--err*, or *truncate* them (default).") \
    X(fetch, RESULTS, 0, "fetch", "PATH,...", "fetch", 0, 0, \
      "bring these files of its working directory back at the end", \
      "Results: files and directories that are brought back when the command has ended, also without " \
      "success. A path starts at the working directory of the command, and may be a pattern of " \
      "*glob*(7). Several paths are separated by commas, or by further options. *creel run* and *creel " \
      "submit --wait* write them to the current directory, or to *--fetch-to* _DIR_; *creel fetch* _ID_ " \
      "writes them later, as long as the logs are kept. " \
      "See RESULTS.") \
    X(in_file, PATTERN, 0, "in", "PATTERN", "in", 0, 0, "read standard input from this file on the node", \
      "Read the standard input of the command from this file on the node; the name is a pattern as for " \
      "*--out*, and a relative path starts at the working directory. If it cannot be opened, the job " \
      "fails. Without it a job of *creel submit* has no input.") \
    X(umask, OCTAL, 0, "umask", "MODE", "umask", 0, 0777, "file mode creation mask, octal, as 027", \
      "File mode creation mask of the command: an octal number from 0 to 0777, as _027_. The default is " \
      "that of the shell or program that submits the job.") \
    X(limits, LIMITS, 0, "propagate", "[LIMITS]", "limits", 0, 0, \
      "soft limits (ulimit -S) of this shell for the command: NOFILE,CORE", \
      "Soft resource limits (*ulimit -S*) that the command has as this shell, as in Slurm: *ALL* (default " \
      "if _LIMITS_ is not given), *NONE*, or names separated by commas: *AS*, *CORE*, *CPU*, *DATA*, " \
      "*FSIZE*, *MEMLOCK*, *NOFILE*, *NPROC*, *RSS*, *STACK*. The others are those of the agent, with at " \
      "most 1024 open files. A limit above the hard limit of the agent (*LimitNOFILE=* and so on of its " \
      "unit, _creel.container.open-files-max_) is reduced to it, which the diagnostics of the job and its " \
      "standard error name. The default is _creel.submit.propagate-limits_; a step (*creel run* in a job) " \
      "has the limits of the process that starts it. Agents of version 0.2.0 do not set them.") \
    X(nice, ROOT_NEGATIVE, 0, "nice", "N", "nice", -20, 19, \
      "nice value of the command, up to 19 (lowest priority)", \
      "The nice value of the command and its processes, from -20 to 19 (lowest priority). It has effect " \
      "among the processes of one container, since containers have their own CPU shares (*--vcores*). " \
      "Only jobs of root may have a value below 0. The default, also for 0, is that of the agent.")

#define JOB_FIELDS(X) JOB_SPEC_FIELDS(X) JOB_LAUNCH_FIELDS(X)

#endif
