/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - starts, watches and stops containers on Linux: cgroup, user, directories, shim
 *
 * The agent controls processes only through the runtime. For the runtime a container is an id, a struct
 * launch and, after its end, an exit record. The runtime makes no decisions: the core (nm-agent/core) orders
 * actions, and gets events as results.
 *
 * Files below the state directory:
 *   containers/<container id>/record     the grant and launch context (protobuf), written
 *                                        atomically before anything starts: runtime_save
 *   containers/<container id>/started    identity of the shim (pid, start time, boot), written by the shim
 *                                        before it runs the command: a container never starts twice; and
 *                                        in a second line that of the command, once it runs
 *   containers/<container id>/meta       directories, user and cgroups, for the cleanup
 *   containers/<container id>/exit       the exit record, written atomically by the shim
 *   containers/<container id>/acked      the RM has stored the exit: the exit record is a tombstone
 *   cache/<hash>                         submitted files, read-only
 *   boot                                 the kernel's boot id at the last start of an agent
 *   contact                              time of the last known contact with the RM (runtime_contact)
 * below each local dir: usercache/<user>/appcache/<app id>/<container id>/ working directory;
 *                        in it preempt.json if the container will be preempted;
 *                        .../<app id>/spare-<number>/ is an unused directory for the next container
 * below each log dir: <app id>/<container id>/{stdout,stderr}
 *
 * A container's files are not synced: only a later agent of the same boot needs them. After a reboot their
 * existence shows that the container has ended.
 *
 * The shim (creel-shim) is started before its container (shim_pool.h), in its own session. It is the parent
 * of the command, is outside of the container's cgroup, and survives the agent. The agent watches the shim
 * through a pidfd.
 */
#ifndef CREEL_NM_RUNTIME_H
#define CREEL_NM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/record/container_totals.h"
#include "nm-agent/container_end.h"
#include "nm-agent/launch.h"
#include "nm-agent/linux/cgroup/group_use.h"

struct runtime; /* opaque */

struct runtime_health { /* settings of
                           yarn.nodemanager.{disk-health-checker,health-checker}.* */
    bool disks_unwatched;
    int64_t disk_interval_ms;
    double disks_min;                           /* part of the disks that must be good */
    double used_percent_max, watermark_percent; /* 0: no limit */
    int64_t free_mb_min;
    const char *script, *script_options; /* NULL or "": no script */
    int64_t script_interval_ms, script_timeout_ms;
};

struct runtime_aggregation {  /* logs of ended applications on shared storage: aggregation.h */
    const char *dir, *suffix; /* NULL: logs stay on this node */
    const char *file;         /* name of this node's file in the directory of an application */
    int64_t retain_ms;        /* time for which files are kept; -1: always */
    int64_t check_ms;         /* interval at which older files are deleted */
    int64_t timeout_ms;       /* time limit of one attempt */
    int64_t retry_ms;         /* time limit of all attempts for one application */
    int64_t grace_ms;         /* time for which logs stay on this node after they were written */
};

struct runtime_config { /* all borrowed for runtime_new */
    const char *state_dir;
    const char *local_dirs;  /* comma-separated */
    const char *log_dirs;    /* comma-separated */
    const char *cgroup_root; /* "/creel": path below each controller's mount; on v1 below the
                                agent's own group unless that is the root. The group belongs to
                                this agent: see orphans.c */
    const char *keeper_file; /* file written by creel-keeper (keeper.h): CGROUP_ROOT is then below
                                its unit's group, and shims move to that group; NULL: no keeper */
    const char *shim_path;   /* path of creel-shim; NULL: next to the agent's program */
    const char *creel_dir;   /* directory of the creel program: first in PATH of containers */
    bool strict_cpu;
    bool memory_unlimited;     /* the kernel only measures memory, and sets no limit */
    double soft_limit_percent; /* soft limit in percent of the hard limit */
    int64_t swappiness;
    bool memory_kills_container; /* a process killed for the memory limit ends its container */
    int64_t cpus;                /* CPUs of the machine; 0: every logical CPU */
    int64_t cpu_percent;         /* percentage of CPUS for all containers together; 0: all */
    int64_t node_vcores;
    int64_t pids_max;
    int64_t open_files_max; /* 0: the limit of the agent */
    int64_t results_max_mb; /* of each container (--fetch) */
    int64_t kill_delay_ms;  /* time between TERM and KILL */
    int64_t debug_delay_ms; /* time for which working directories are kept after the end of the
                               container */
    int64_t min_user_id;
    const char *allowed_users, *banned_users;
    const char *env_whitelist;
    int64_t cache_size_mb;
    int64_t disk_limit_mb;                            /* limit of each container's directories; 0: none */
    int64_t quota_project_first, quota_project_count; /* see quota.h; FIRST 0: usage is measured, without
                                                         quotas */
    struct runtime_health health;
    struct runtime_aggregation aggregation;
};

/* Checks all prerequisites of a launch: directories (created if missing); cgroup controllers memory, cpu,
 * pids, each v1 or v2 separately, writable (if not, ERR names the file, and the remedy: run as root,
 * delegate, remount); the shim. Starts no process. */
int runtime_new(const struct runtime_config *config, struct runtime **ret, struct err *err);
/* Frees RUNTIME, which may be NULL; containers continue to run. Returns false if a local or log directory
 * does not answer: its thread is abandoned, and the process has to end with _exit. */
bool runtime_free(struct runtime *runtime);

const char *runtime_cgroup_mode(const struct runtime *runtime); /* returns "v1", "v2" or "hybrid" */
/* Returns true if the kernel limits the swap space of containers; if not, they may use swap beyond their
 * memory limit. */
bool runtime_counts_swap(const struct runtime *runtime);

/* --- one container --------------------------------------------------------- */

/* Writes RECORD (opaque bytes) to disk. The record survives the end of the agent. A power failure may lose
 * it, but also ends the container. A repeated call replaces the record. After an error (such as -ENOSPC)
 * no part of the new record is left, and an earlier record stays. -EEXIST: the container has run and ended
 * here. */
int runtime_save(struct runtime *runtime, const char *container_id, const void *record, size_t size,
                 struct err *err);

/* Creates directories and cgroup, links files, starts the shim. Returns when the shim has its order; an event
 * reports the result. On failure everything created is removed (except logs and record), and ERR has the
 * reason for the user:
 *   -LAUNCH_NO_ACCOUNT  the user has no account on this node
 *   -EACCES  the user may not run containers on this node (uid too low, banned)
 *   -EMFILE, -ENFILE, -EAGAIN, -ENOMEM  short of descriptors, processes or memory: try again
 *   -ENOSPC, -EDQUOT, -EROFS  a disk error; -ENOENT a file is not in the cache */
int runtime_launch(struct runtime *runtime, const struct launch *launch, struct err *err);

/* Stops a container: sends TERM to its processes, and after the kill delay KILL to all processes in its
 * cgroup, even if they fork. Does nothing if repeated, or if the container does not run. */
void runtime_stop(struct runtime *runtime, const char *container_id);
/* Sends KILL to all processes in the container's cgroup now, whether it is being stopped or not. */
void runtime_kill(struct runtime *runtime, const char *container_id);
/* Sends SIGNAL_NUMBER to a running container: to its command, to the command's process group, to every
 * process, to every process but its command, or to the processes of the steps of srun; if it never had a
 * step, to every process but its command. -ESRCH: no process got it (ERR has the reason; no error for the
 * steps); -EINVAL: no such signal. */
enum runtime_scope {
    RUNTIME_SIGNAL_GROUP,
    RUNTIME_SIGNAL_MAIN,
    RUNTIME_SIGNAL_ALL,
    RUNTIME_SIGNAL_OTHERS,
    RUNTIME_SIGNAL_STEPS
};
int runtime_signal(struct runtime *runtime, const char *container_id, enum runtime_scope scope,
                   int signal_number, struct err *err);
/* Notifies a running container that it will be stopped at DEADLINE_MS (Unix epoch), because of REASON: writes
 * JOB_NOTICE_FILE to its working directory, or replaces it, and then sends SIGNAL_NUMBER to its processes of
 * SCOPE (0: none). The container's variable CREEL_PREEMPT_FILE has the full path. -ESRCH: not running. */
int runtime_preempt_notice(struct runtime *runtime, const char *container_id, int64_t deadline_ms,
                           const char *reason, enum runtime_scope scope, int signal_number, struct err *err);
/* Removes the notice: the preemption was cancelled. */
void runtime_spare(struct runtime *runtime, const char *container_id);

/* Changes the limits of a running container to those of RESOURCE. -ESRCH: it does not run; -EBUSY: it uses
 * more memory than the new limit, and the kernel cannot take it away. After an error some limits may have
 * changed: call it again later. */
int runtime_resize(struct runtime *runtime, const char *container_id, const struct resource *resource,
                   struct err *err);

/* Removes working directory and cgroup of an ended container. The record is kept until runtime_acknowledge,
 * the logs until runtime_cleanup_app and the end of the retention. May be repeated. */
void runtime_cleanup(struct runtime *runtime, const char *container_id);
/* Replaces the files of the container by a tombstone, because the RM has stored its exit; a repeated start is
 * refused. */
void runtime_acknowledge(struct runtime *runtime, const char *container_id);
/* Removes tombstones and directories of an ended application. Its logs are moved to shared storage, if that
 * is configured; else they are removed after LOG_RETAIN_MS, counted from now, even over a restart. May be
 * repeated. */
void runtime_cleanup_app(struct runtime *runtime, const char *app_id, int64_t log_retain_ms);

/* Records that the RM had contact with this node at MONOTONIC_MS, from which stop_after_ms of containers is
 * counted. The shims read this time from a file of eight bytes, so that it also works while no agent runs. */
void runtime_contact(struct runtime *runtime, int64_t monotonic_ms);

/* --- events ---------------------------------------------------------------- */

enum runtime_event_kind {
    RUNTIME_RUNNING,       /* the command was executed */
    RUNTIME_COMMAND_ENDED, /* the command ended, and left processes that are being stopped: EXIT_STATUS
                              and COMMAND_MS are set. Omitted if no other process is left */
    RUNTIME_EXITED,        /* the container ended, and none of its processes is left */
    RUNTIME_STUCK,         /* the container was killed and does not end, or its shim is stopped, so that
                              it cannot end. DIAGNOSTICS names a process; "": the shim runs again.
                              Reported once; a kill is repeated */
    RUNTIME_GHOST,         /* a process left by an agent whose state directory is lost was found
                        and killed */
    RUNTIME_LOGS,          /* moving logs to shared storage began to fail, or works again; DIAGNOSTICS
                        describes it. Has no container id */
    RUNTIME_LOGS_SAVED,    /* the logs of the application CONTAINER_ID are on shared storage */
    RUNTIME_LOGS_KEPT,     /* they are not, and will not be: they stay on this node for their time */
    RUNTIME_RECORD_LOST,   /* the file of runtime_save of a running container was removed: it has to be
                              saved again */
    RUNTIME_RECORD_MADE,   /* another file of a running container was removed, and made again: DIAGNOSTICS */
    RUNTIME_CHANGED,       /* the container's memory limit had been changed, which only root can
                        do, and was restored. Reported once */
};

struct runtime_event {
    enum runtime_event_kind kind;
    char container_id[80];
    /* Of RUNTIME_EXITED. RUNTIME_RUNNING has only its STARTED_MS, RUNTIME_COMMAND_ENDED its EXIT_STATUS and
     * COMMAND_MS; other kinds have only DIAGNOSTICS, their text. */
    struct container_end end;
};

/* Looks for ended commands (RUNTIME_COMMAND_ENDED) of containers that an earlier agent has started: their
 * shims cannot report it. */
void runtime_find_ended_commands(struct runtime *runtime);
/* Looks for containers that do not end, although the agent does not stop them (RUNTIME_STUCK): the shim was
 * stopped by a signal, and two calls found it so, or a process that the command left does not end. Also looks
 * for processes of steps that do not end, while the container runs. The diagnostics "" mean that it ends
 * after all. */
void runtime_find_stuck(struct runtime *runtime);
/* Makes files of running containers that were removed from the state directory again, or requests that
 * (RUNTIME_RECORD_LOST): without them the next agent would end the containers. runtime_healthy reports what
 * cannot be made again. */
void runtime_keep_records(struct runtime *runtime);
/* Returns a descriptor that is readable when runtime_poll has an event, or a deadline of the runtime (a kill
 * delay, log retention) has passed. */
int runtime_fd(const struct runtime *runtime);
/* Returns the next event in *EVENT; false if there is none now. Never blocks. */
bool runtime_poll(struct runtime *runtime, struct runtime_event *event);

/* --- after a restart ------------------------------------------------------- */

struct runtime_found {
    const char *container_id;
    const void *record; /* as saved; NULL if unreadable */
    size_t record_size;
    enum { FOUND_SAVED, FOUND_RUNNING, FOUND_ENDED, FOUND_ACKED } state;
    int64_t started_ms;
};
typedef void runtime_found_fn(void *context, const struct runtime_found *found);

/* Adopts the containers of an earlier agent: calls FOUND for each container directory, watches running ones
 * again (their exit is an event, also for FOUND_ENDED); kills processes below the control group root that
 * belong to no container (RUNTIME_GHOST; they have ended when this function returns), and removes working
 * directories of no container. After a reboot (boot id differs) running ones count as ended with 154. -EBUSY:
 * a process does not end, or another agent uses the root. */
int runtime_recover(struct runtime *runtime, runtime_found_fn *found, void *context, struct err *err);

/* --- files and logs -------------------------------------------------------- */

bool runtime_cache_has(const struct runtime *runtime, const char *hash_hex);
/* Writes a chunk of a file being fetched. At OFFSET + SIZE == TOTAL the hash (BLAKE2b-256) is checked and the
 * file is added to the cache, read-only. -EBADMSG: the hash differs (the file is removed). */
int runtime_cache_write(struct runtime *runtime, const char *hash_hex, uint64_t total, uint64_t offset,
                        const void *data, size_t size, struct err *err);

/* Returns whether a container may have a log FILE: stdout, stderr, and the files of results.h. */
bool runtime_is_log(const char *file);
/* Reads a log of a running or ended container. *SIZE is the current size of the file. -ENOENT: never written,
 * or expired (ERR has which, with the retention). -EINVAL: FILE is no log. */
int runtime_read_log(struct runtime *runtime, const char *container_id, const char *file, uint64_t offset,
                     void *buffer, size_t room, size_t *got, uint64_t *size, struct err *err);

/* Returns the size of a log, and when it was written last (Unix time). Errors as of runtime_read_log. */
int runtime_stat_log(struct runtime *runtime, const char *container_id, const char *file, uint64_t *size,
                     int64_t *modified_ms, struct err *err);

/* --- measurement ------------------------------------------------------------- */

struct runtime_process {
    int pid;
    uint32_t age; /* number of samples with the process, this one included */
    uint64_t physical_bytes, virtual_bytes;
};

struct runtime_sample { /* sample of one running container; borrowed */
    const char *container_id;
    uint64_t memory_bytes;
    struct container_totals
        totals; /* at most ten seconds old, as is PIDS; memory and processor time are new */
    uint32_t pids;
    uint32_t number; /* number of the sample of its processes, from 1; 0: no processes
                        sampled */
    const struct runtime_process *processes;
    size_t process_count;
    bool group_gone;    /* the container's control group was removed */
    bool memory_killed; /* the kernel killed a process for the memory limit, so the container ends */
};
typedef void runtime_sample_fn(void *context, const struct runtime_sample *sample);

enum runtime_sample_depth {
    RUNTIME_SAMPLE_FIGURES,   /* two reads for each container */
    RUNTIME_SAMPLE_PROCESSES, /* also two reads for each process */
    RUNTIME_SAMPLE_MAPPINGS,  /* exact physical memory, shared pages counted once: expensive */
};
/* Samples every running container. FN may stop containers. */
void runtime_sample(struct runtime *runtime, enum runtime_sample_depth at, runtime_sample_fn *fn,
                    void *context);

/* Writes the command line of PID to TEXT; "" if it has ended. */
void runtime_command_line(int pid, char *text, size_t size);

/* Measures the log directories of each running container: calls FN with the bytes of each directory, one on
 * each log disk. */
typedef void runtime_logs_fn(void *context, const char *container_id, uint64_t bytes);
void runtime_measure_logs(struct runtime *runtime, runtime_logs_fn *fn, void *context);

/* Returns false if quotas are configured, but the kernel does not enforce them in every local directory: ERR
 * names one, and the remedy. */
bool runtime_quotas_work(const struct runtime *runtime, struct err *err);

/* Measures working directories for a limited time; the next call continues. FN is called for a container when
 * it is measured completely, or when the bytes so far exceed MAX_BYTES. TOO_DEEP: directories deeper than 64
 * levels are not measured. FN may stop containers. */
typedef void runtime_disks_fn(void *context, const char *container_id, uint64_t bytes, bool too_deep);
void runtime_measure_disks(struct runtime *runtime, uint64_t max_bytes, runtime_disks_fn *fn, void *context);

/* Returns the memory of all containers in their last samples, in bytes. */
uint64_t runtime_used_memory_bytes(struct runtime *runtime);
/* Returns the processors that all containers used between their last two samples, in thousandths. */
uint32_t runtime_cpu_millicores(struct runtime *runtime);

/* --- health of the node -------------------------------------------------------- */

/* Returns true if the node can run new containers, by its disks and the health script. REPORT gets all
 * problems, including minor ones. */
bool runtime_healthy(struct runtime *runtime, char *report, size_t size);
/* Returns true if the state directory answers now. Waits for a second at most, and not again before it has
 * answered. If false, ERR names the directory. */
bool runtime_state_answers(struct runtime *runtime, struct err *err);
/* The disks may be bad: the next runtime_healthy tests each of them by a write. */
void runtime_doubt_disks(struct runtime *runtime);

/* --- figures for metrics (metrics.c) -------------------------------------------- */

struct runtime_counters {     /* since runtime_new */
    uint64_t oom_kills;       /* processes that the kernel killed for the memory limit of their container;
                                 counted when the container has ended, as are the next ones */
    uint64_t oom_kills_above; /* processes that it killed because memory was short outside of their
                                 container */
    uint64_t log_bytes;       /* written by containers to stdout and stderr on this node */
    uint64_t orphans_killed;  /* containers of RUNTIME_GHOST */
};
/* Returns the counters. The logs of running containers are read for this, at most every ten seconds. */
const struct runtime_counters *runtime_counters(struct runtime *runtime);
/* Reads what all containers use together. */
void runtime_group_use(const struct runtime *runtime, struct group_use *use);
/* Returns the places for processes that move logs to shared storage, by user id; NULL: logs stay here. Logs
 * that have to wait, because their user has its share, are counted as refused. */
const struct shares *runtime_log_places(const struct runtime *runtime);
/* A directory whose disk runtime_healthy checks, and what the last check found. */
struct runtime_disk {
    const char *path;
    bool good;
    bool measured; /* the figures below are valid */
    uint64_t free_bytes;
    uint64_t inodes, free_inodes; /* INODES 0: the file system has no fixed number of them */
};
/* Calls FN for each of these directories, each path once. */
typedef void runtime_disk_fn(void *context, const struct runtime_disk *disk);
void runtime_each_disk(const struct runtime *runtime, runtime_disk_fn *fn, void *context);

#endif
