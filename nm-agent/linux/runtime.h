/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - containers as Linux sees them: cgroup, user, directories, shim
 *
 * The agent's only way to touch processes. A container here is an id, a struct launch
 * and, once it has ended, an exit record. The runtime decides nothing: the
 * core (nm-agent/core) decides what is to happen, and gets events of what did.
 *
 * On disk, below the state directory:
 *   containers/<container id>/record     the grant and launch context (protobuf), written
 *                                        whole before anything starts: runtime_save
 *   containers/<container id>/started    the shim's name (pid, start time, boot), made by it before it
 *                                        runs the command: a container never starts twice; and the
 *                                        command's, in a second line, once it runs
 *   containers/<container id>/meta       directories, user and cgroups, for cleaning up
 *   containers/<container id>/exit       the exit record, written whole by the shim
 *   containers/<container id>/acked      the RM has it: the exit record is a tombstone
 *   cache/<hash>                         submitted files, read-only
 *   boot                                 the kernel's boot id when an agent last began here
 *   contact                              when the RM was known to count on this node (runtime_contact)
 * below each local dir:  usercache/<user>/appcache/<app id>/<container id>/   working directory;
 *                        in it preempt.json once it is to be preempted;
 *                        .../<app id>/spare-<number>/ was left as it was made, for the next one
 * below each log dir:    <app id>/<container id>/{stdout,stderr}
 *
 * None of a container's files is synced: they are for the agent that comes after this one. Of
 * another boot they only show that it is over.
 *
 * The shim (creel-shim) is there before its container (shim_pool.h), in a session of its
 * own; it is the parent of the command and lives outside the container's cgroup; it
 * survives the agent. The agent watches it through a pidfd.
 */
#ifndef CREEL_NM_RUNTIME_H
#define CREEL_NM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "nm-agent/launch.h"

struct runtime;                         /* opaque */

struct runtime_health {                 /* yarn.nodemanager.{disk-health-checker,health-checker}.* */
    bool disks_unwatched;
    int64_t disk_interval_ms;
    double disks_min;                   /* part of them that has to be good */
    double used_percent_max, watermark_percent;     /* 0: all may be used */
    int64_t free_mb_min;
    const char *script, *script_options;            /* NULL or "": none */
    int64_t script_interval_ms, script_timeout_ms;
};

struct runtime_config {                 /* all borrowed for runtime_new */
    const char *state_dir;
    const char *local_dirs;             /* comma-separated */
    const char *log_dirs;               /* comma-separated */
    const char *cgroup_root;            /* "/creel": below each controller's mount; on v1 joined to
                                           where the agent itself is if that is not the root.
                                           It belongs to this agent: see ghosts.c */
    const char *keeper_file;            /* what creel-keeper left (keeper.h): then CGROUP_ROOT is below its
                                           unit's group, and shims go there; NULL: no keeper */
    const char *shim_path;              /* creel-shim; found beside the agent if NULL */
    const char *creel_dir;              /* folder of the creel program: first in PATH of containers */
    bool strict_cpu;
    bool memory_unlimited;              /* the kernel only measures memory */
    double soft_limit_percent;          /* of the hard limit */
    int64_t swappiness;
    int64_t cpus;                       /* of the machine; 0: every logical one */
    int64_t cpu_percent;                /* of them for all containers; 0: all */
    int64_t node_vcores;
    int64_t pids_max;
    int64_t open_files_max;             /* 0: as the agent's own */
    int64_t kill_delay_ms;              /* TERM to KILL */
    int64_t debug_delay_ms;             /* working directories stay so long after their container */
    int64_t min_user_id;
    const char *allowed_users, *banned_users;
    const char *env_whitelist;
    int64_t cache_size_mb;
    int64_t disk_limit_mb;              /* for the directories of a container; 0: none */
    int64_t quota_project_first, quota_project_count;   /* see quota.h; FIRST 0: limits are only measured */
    struct runtime_health health;
};

/* Find and check everything that launching needs: directories (made if absent), cgroup
 * controllers memory, cpu, pids, each v1 or v2 by itself, writable (if not, ERR names the
 * file, and what to do: run as root, delegate, remount), the shim.
 * Starts nothing. */
int runtime_new(const struct runtime_config *config, struct runtime **ret, struct err *err);
/* Forget; containers go on running. NULL is fine. */
void runtime_free(struct runtime *runtime);

const char *runtime_cgroup_mode(const struct runtime *runtime);     /* "v1", "v2", "hybrid" */
/* Whether the kernel bounds what containers swap; where it does not they may swap beyond their
 * memory limit. */
bool runtime_counts_swap(const struct runtime *runtime);

/* --- one container --------------------------------------------------------- */

/* Keep RECORD (opaque bytes) on disk, so that a start that was accepted survives the agent;
 * not necessarily a power cut, which ends the container as well. -ENOSPC and the like: nothing is
 * left. Doing it again replaces it. */
int runtime_save(struct runtime *runtime, const char *container_id, const void *record,
                 size_t size, struct err *err);

/* Make directories and cgroup, link files, spawn the shim. Returns once the
 * shim is on its way; the outcome comes as an event. On failure everything made is
 * removed (logs and record stay), and ERR has what a user needs to know:
 *   -EACCES  the user may not run containers here (unknown, uid too low, banned)
 *   -EMFILE, -ENFILE, -EAGAIN, -ENOMEM  no descriptors, processes or memory now: try again
 *   -ENOSPC, -EDQUOT, -EROFS  the disk; -ENOENT a file is not in the cache */
int runtime_launch(struct runtime *runtime, const struct launch *launch, struct err *err);

/* Ask a container to end: TERM to its processes, after the kill delay KILL to all in its cgroup,
 * however they fork. Repeating it does nothing. Not running: does nothing. */
void runtime_stop(struct runtime *runtime, const char *container_id);
/* KILL to all in its cgroup now, whether it was asked to end or not. */
void runtime_kill(struct runtime *runtime, const char *container_id);
/* Send SIGNAL_NUMBER to a running container: to its command, to that one's process group, or to every
 * process. -ESRCH: there is no process (ERR has the reason); -EINVAL: no such signal. */
enum runtime_scope { RUNTIME_SIGNAL_GROUP, RUNTIME_SIGNAL_MAIN, RUNTIME_SIGNAL_ALL };
int runtime_signal(struct runtime *runtime, const char *container_id, enum runtime_scope scope,
                   int signal_number, struct err *err);
/* Tell a running container that it will be stopped at DEADLINE_MS (Unix epoch), because of
 * REASON: RUNTIME_NOTICE appears in its working directory, or is replaced, and then
 * SIGNAL_NUMBER goes to its processes (0: none). Its environment has CREEL_PREEMPT_FILE, the
 * whole path. Not running: -ESRCH. */
#define RUNTIME_NOTICE "preempt.json"
int runtime_preempt_notice(struct runtime *runtime, const char *container_id, int64_t deadline_ms,
                           const char *reason, int signal_number, struct err *err);
/* Nothing comes of it: the notice goes. */
void runtime_spare(struct runtime *runtime, const char *container_id);

/* Remove working directory and cgroup of an ended container; the record stays until
 * runtime_forget, the logs until runtime_cleanup_app and the retention. Safe to repeat. */
void runtime_cleanup(struct runtime *runtime, const char *container_id);
/* The RM has the exit: keep a tombstone only, so that a repeated start is refused. */
void runtime_acknowledge(struct runtime *runtime, const char *container_id);
/* The application is over: tombstones, directories, and after LOG_RETAIN_MS its logs.
 * LOG_RETAIN_MS counts from now and survives a restart. Safe to repeat. */
void runtime_cleanup_app(struct runtime *runtime, const char *app_id, int64_t log_retain_ms);

/* The RM counts on this node since MONOTONIC_MS: containers with stop_after_ms live so much longer. Their
 * shims read that in a file of eight bytes, so that it holds as well while no agent is there. */
void runtime_contact(struct runtime *runtime, int64_t monotonic_ms);

/* --- what happened --------------------------------------------------------- */

enum runtime_event_kind {
    RUNTIME_RUNNING,                    /* the command was exec'ed */
    RUNTIME_EXITED,                     /* it ended, and nothing of it is left running */
    RUNTIME_STUCK,                      /* it was killed and does not end; DIAGNOSTICS names a process.
                                           Once; it is killed on and on */
    RUNTIME_GHOST,                      /* an agent whose state directory is gone had left it: it was ended */
    RUNTIME_CHANGED,                    /* its memory limit was not what it was given any more, and was
                                           set back: only root can do that. Once */
};

struct runtime_event {
    enum runtime_event_kind kind;
    char container_id[80];
    int exit_status;                    /* YARN's: code, 128+signal, -104 killed by the kernel for
                                           memory, -1 could not be executed, 154 lost (its shim is
                                           gone without a record) */
    char diagnostics[512];              /* "" or for a person: what was not found, OOM with peak and limit */
    int64_t started_ms, finished_ms;
    uint64_t memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes;
    uint32_t pids_peak;                 /* 0: not known */
};

/* A descriptor that is readable when runtime_poll has something, or a deadline
 * of the runtime's own (a kill delay, log retention) has come. */
int runtime_fd(const struct runtime *runtime);
/* The next event; false when there is none for now. Never blocks. */
bool runtime_poll(struct runtime *runtime, struct runtime_event *event);

/* --- after a restart ------------------------------------------------------- */

struct runtime_found {
    const char *container_id;
    const void *record;                 /* as saved; NULL if it could not be read */
    size_t record_size;
    enum { FOUND_SAVED, FOUND_RUNNING, FOUND_ENDED, FOUND_ACKED } state;
    int64_t started_ms;
};
typedef void runtime_found_fn(void *context, const struct runtime_found *found);

/* Take up what an earlier agent left: call FOUND for each container directory, watch the
 * running ones again (their end comes as an event, also for FOUND_ENDED); end what runs below the control
 * group root and belongs to none (RUNTIME_GHOST; it is over when this returns), and remove working
 * directories that belong to none. A reboot (boot id differs) makes all running ones 154.
 * -EBUSY: something does not end, or another agent uses the root. */
int runtime_recover(struct runtime *runtime, runtime_found_fn *found, void *context,
                    struct err *err);

/* --- files and logs -------------------------------------------------------- */

bool runtime_cache_has(const struct runtime *runtime, const char *hash_hex);
/* Write a chunk of a file being fetched; at OFFSET + SIZE == TOTAL the hash (BLAKE2b-256) is checked
 * and the file appears in the cache, read-only. -EBADMSG hash differs (removed). */
int runtime_cache_write(struct runtime *runtime, const char *hash_hex, uint64_t total,
                        uint64_t offset, const void *data, size_t size, struct err *err);

/* Read a log of a container, running or ended. *SIZE is the file's size now.
 * -ENOENT never written, or expired (ERR has which, with the retention). FILE is "stdout" or
 * "stderr", nothing else. */
int runtime_read_log(struct runtime *runtime, const char *container_id, const char *file,
                     uint64_t offset, void *buffer, size_t room, size_t *got, uint64_t *size,
                     struct err *err);

/* --- measuring --------------------------------------------------------------- */

struct runtime_process {
    int pid;
    uint32_t age;                       /* in samples: 1 when it is seen first */
    uint64_t physical_bytes, virtual_bytes;
};

struct runtime_sample {                 /* of one running container; lent */
    const char *container_id;
    uint64_t memory_bytes, memory_peak_bytes, cpu_time_us;
    uint64_t read_bytes, written_bytes; /* these, the peak and PIDS: at most ten seconds old */
    uint32_t pids;
    uint32_t number;                    /* of the sample of its processes, from 1; 0: none */
    const struct runtime_process *processes;
    size_t process_count;
    bool group_gone;                    /* its control group was removed */
};
typedef void runtime_sample_fn(void *context, const struct runtime_sample *sample);

enum runtime_sample_depth {
    RUNTIME_SAMPLE_FIGURES,             /* two reads for each container */
    RUNTIME_SAMPLE_PROCESSES,           /* and two for each process */
    RUNTIME_SAMPLE_MAPPINGS,            /* physical memory exact, shared pages once: expensive */
};
/* Sample every container that runs. FN may stop containers. */
void runtime_sample(struct runtime *runtime, enum runtime_sample_depth at, runtime_sample_fn *fn,
                    void *context);

/* The command line of PID, "" if it is gone. */
void runtime_command_line(int pid, char *text, size_t size);

/* What the log directory of each running container holds, in bytes, one directory per log disk. */
typedef void runtime_logs_fn(void *context, const char *container_id, uint64_t bytes);
void runtime_measure_logs(struct runtime *runtime, runtime_logs_fn *fn, void *context);

/* Whether the kernel bounds the directories of containers, if that is configured. False: not in all local
 * directories; ERR names one, and what to do. */
bool runtime_quotas_work(const struct runtime *runtime, struct err *err);

/* Measure working directories, as far as there is time for in one call; the next one goes on. FN is called
 * for each container when all of it is counted, or what is counted exceeds MAX_BYTES. TOO_DEEP:
 * directories deeper than 64 are not counted. FN may stop containers. */
typedef void runtime_disks_fn(void *context, const char *container_id, uint64_t bytes, bool too_deep);
void runtime_measure_disks(struct runtime *runtime, uint64_t max_bytes, runtime_disks_fn *fn,
                           void *context);

/* Sum of memory of all containers in their last samples, in bytes. */
uint64_t runtime_used_memory_bytes(struct runtime *runtime);

/* --- the node's condition ------------------------------------------------------ */

/* Whether the node can take another container: its disks and the health script. REPORT gets what
 * is wrong, also what does not keep it from working. */
bool runtime_healthy(struct runtime *runtime, char *report, size_t size);

#endif
