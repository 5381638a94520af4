/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_state.h - internal state of the runtime, and of each container
 *
 * Private to nm-agent/linux. A container is in memory from its launch (or recovery) to its cleanup; the file
 * "meta" keeps the data needed later.
 */
#ifndef CREEL_NM_RUNTIME_STATE_H
#define CREEL_NM_RUNTIME_STATE_H

#include <sys/queue.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION \
    HASH_OAT /* the default hash function has unmarked fall-through cases, which
                clang reports */
#endif
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/cgroup/limits.h"
#include "nm-agent/linux/disks/cache.h"
#include "nm-agent/linux/disks/health.h"
#include "nm-agent/linux/disks/quota.h"
#include "nm-agent/linux/logs/aggregation_state.h"
#include "nm-agent/linux/parts/exit_record.h"
#include "nm-agent/linux/parts/names.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/stop_order.h"
#include "nm-agent/linux/parts/users.h"
#include "nm-agent/linux/runtime.h"
#include "nm-agent/linux/runtime/shim_pool.h"

#define POOLED_WORKDIRS_MAX 16

enum container_state {
    CONTAINER_FINDING,  /* after a restart: a shim exists that is not found: find_shim.c */
    CONTAINER_LAUNCHED, /* the shim was started, the command does not run yet */
    CONTAINER_RUNNING,  /* the command runs */
    CONTAINER_LOST,     /* the shim ended without a record: remaining processes are being killed */
    CONTAINER_ENDED,
};

enum stop_phase { STOP_NONE, STOP_TERM, STOP_KILL };

/* Data about a container that is also stored on disk, for cleanup after its end or an agent restart. */
struct meta {
    char *app_id, *user;
    uid_t uid;
    char *work, *logs;    /* directories */
    uint32_t project;     /* quota project of its directories, see quota.h; QUOTA_NONE: none */
    int64_t memory_bytes; /* the kernel's limit; 0: unknown, -1: no limit */
    struct leaf leaf;
};

struct container {
    char id[80];
    enum container_state state;
    struct meta meta;
    pid_t shim; /* pid, if it is a child to be waited for; 0: another process's child, or
                   unknown */
    int shim_fd, report_fd, memory_fd; /* -1: none */
    struct sampler *sampler;           /* owned; NULL: not sampled yet */
    struct process command;            /* as "started" has it, in case that is removed; pid 0: not known */
    int64_t started_ms;
    enum stop_phase stop;
    bool command_ended;      /* its command has ended, as RUNTIME_COMMAND_ENDED reported */
    bool terminated;         /* TERM was sent to at least one process */
    struct stop_order order; /* as the shim has it; KILL_AT_MS is 0 while STOP is STOP_NONE */
    int64_t notice_until_ms; /* SIGNAL_UNTIL_MS of the last preemption notice; 0: none of this agent */
    int64_t stuck_ms;        /* monotonic; time to report that the container does not end; 0: not killed */
    bool stuck_reported;
    bool stopped_reported;      /* its shim is stopped: stuck.c; or it is not found: kill.c */
    pid_t stuck_step;           /* the process of a step that was reported: stuck.c; 0: none */
    unsigned stopped_looks;     /* consecutive looks that found the shim stopped, until it is reported */
    bool changed_reported;      /* a change of its memory limit was reported */
    bool of_other_boot;         /* found after a reboot */
    int64_t search_ms;          /* monotonic; time of the next search for its shim: find_shim.c */
    int64_t unfound_ms;         /* monotonic; time to report that its shim is not found; 0: it is found */
    int64_t due_ms;             /* monotonic; time of the next container_tick; 0: none */
    RB_ENTRY(container) by_due; /* in `due` while DUE_MS is not 0 */
    int64_t pause_ms;           /* pause between two checks; doubled after each check */
    uint64_t log_bytes;         /* size of its logs when they were counted last */
    uint64_t kills_before;      /* processes killed for memory before this agent knew the container */
    bool removing;              /* only a busy cgroup still has to be removed */
    UT_hash_handle hh;
};

struct event_item {
    struct runtime_event event;
    STAILQ_ENTRY(event_item) link;
};

/* The numbers are in files: see retention.c. */
enum retention_state {
    RETENTION_KEPT = 0,    /* the logs stay on this node until DUE_MS */
    RETENTION_EXPIRED = 1, /* they are deleted */
    RETENTION_PENDING = 2, /* they will be written to shared storage; DUE_MS: when the agent stops trying */
    RETENTION_SAVED = 3,   /* they are on shared storage, and are being deleted here */
    RETENTION_MOVED = 4,   /* they are on shared storage alone */
};

/* An application whose logs are kept for a time; after their deletion, the record that they expired. */
struct retention {
    UT_hash_handle hh;          /* in `retentions`, by app_id */
    RB_ENTRY(retention) by_due; /* in `retentions_pending` or `retentions_due` */
    char *app_id;
    int64_t due_ms;  /* wall clock: time of deletion */
    int64_t next_ms; /* wall clock: time of the next action */
    int64_t retain_ms;
    enum retention_state state;
    bool unwritten;    /* its file lacks a change, since the state directory did not answer */
    unsigned failures; /* PENDING: failed attempts of this agent */
    bool waits;        /* PENDING: its user has its share of the processes that write logs */
    int64_t read_ms;   /* PENDING, SAVED: wall clock: time when a client last read them here; 0: never */
};

RB_HEAD(due_tree, container);
RB_HEAD(retention_tree, retention);

struct removal { /* a tree whose removal is not finished: removal.h */
    char *path;
    struct removal_step *step; /* that its disk's thread has to run, or runs; NULL: none */
    TAILQ_ENTRY(removal) link;
};

struct orphan_dirs {   /* directories that belong to no container: orphan_dirs.h */
    struct disk *disk; /* on which they are being removed; NULL: none */
    struct names apps; /* paths of all application directories on DISK */
    size_t next;       /* in APPS */
    int64_t due_ms;    /* monotonic; time of the next part or attempt; 0: none */
};

struct runtime {
    char *state_dir, *shim_path, *creel_dir, *env_whitelist, *allowed_users, *banned_users;
    char **local_dirs, **log_dirs;
    int *locks; /* of the state directory and the local directories */
    size_t lock_count;
    int containers_fd, retain_fd, contact_fd;
    struct cgroups *cgroups;
    struct keeper keeper; /* `file` is NULL: no keeper */
    struct cache *cache;
    struct shim_pool shim_pool;
    struct limits_node limits;
    struct users_rule users;
    struct users_cache users_known;
    int64_t kill_delay_ms;
    int64_t open_files_max;
    int64_t results_max_bytes; /* of each container */
    struct health health;
    int64_t debug_delay_ms;  /* delay of the deletion of working directories: delayed_delete.h */
    int64_t delayed_next_ms; /* wall clock; time of the next delayed deletion; 0: none */
    bool rebooted;           /* the machine was rebooted since the last agent ran */
    int epoll_fd, timer_fd;
    int64_t armed_ms;             /* monotonic; expiry of the timer; 0: not set */
    struct container *containers; /* owned; hash by id */
    struct due_tree due;          /* containers with a due time */
    STAILQ_HEAD(, event_item) events;
    struct retention *retentions; /* owned; hash by id */
    struct retention_tree retentions_due, retentions_pending;
    bool retentions_unwritten; /* at least one is UNWRITTEN */
    struct aggregation aggregation;
    TAILQ_HEAD(removals, removal) removals;
    int64_t removal_due_ms; /* monotonic; time of the next removal step */
    struct orphan_dirs orphan_dirs;
    struct quota quota;
    struct runtime_counters counters;
    int64_t logs_counted_ms; /* monotonic; time of the last count of the logs of all containers; 0: never */
    struct measurement *measurement; /* of the working directory of MEASURED: disks.c; NULL: none */
    char measured[80];               /* id of the container that was measured last; "": none */
    char *pooled_workdirs[POOLED_WORKDIRS_MAX]; /* owned: paths, see workdir_pool.h; NULL: none */
    unsigned pooled_next;
};

/* Ends the measurement of the working directory of container ID (NULL: any), if it is in progress: the open
 * directories would keep the files of its project after their removal. */
void disks_stop_measuring(struct runtime *runtime, const char *id);

/* --- runtime_state.c: one container, on disk and in the table ------------------- */

struct container *container_find(const struct runtime *runtime, const char *id);
struct container *container_add(struct runtime *runtime, const char *id, struct meta *meta);
void container_forget(struct runtime *runtime, struct container *container);
/* Closes *FD if it is open, and sets it to -1. */
static inline void container_close_fd(int *fd)
{
    mem_close_fd(fd);
    *fd = -1;
}
/* Stops watching *FD (-1: not watched), and closes it. */
void container_unwatch(struct runtime *runtime, int *fd);
/* Watches the shim (a pidfd, -1: none) and its report pipe (-1: none); takes ownership of both. */
void container_watch(struct runtime *runtime, struct container *container, int shim_fd, int report_fd);
/* Opens the container's state directory; returns the descriptor or -errno. */
int container_open(const struct runtime *runtime, const char *id, struct err *err);
/* Opens the container's state directory, and creates it if it is missing; then *MADE is true. Returns the
 * descriptor or -errno. */
int container_make(const struct runtime *runtime, const char *id, bool *made, struct err *err);
/* Returns true if the state directory contains NAME ("started", "acked", ...). */
bool container_has(int state_fd, const char *name);

/* Returns true if the state directory is locked: the container's shim, or a child that it has just forked,
 * exists. */
bool container_is_locked(int state_fd);

int meta_write(int state_fd, const struct meta *meta, struct err *err);
/* Like meta_write(), for a container that runs: the file has the old or the new content, whatever happens. */
int meta_replace(int state_fd, const struct meta *meta, struct err *err);
int meta_read(int state_fd, struct meta *meta, struct err *err);
void meta_clear(struct meta *meta);

/* Reads the identity of the shim from "started". Returns false if the file is missing or damaged. */
bool container_read_shim(int state_fd, struct process *shim);
/* The same for that of the command's process, in the second line. */
bool container_read_command(const struct runtime *runtime, const char *id, struct process *command);
/* Remembers the process of the command that "started" names, unless it is known. */
void container_note_command(struct runtime *runtime, struct container *container);

/* Reads the exit record. Returns false if there is no complete one. */
bool container_read_exit(int state_fd, struct container_end *record);

/* Ends CONTAINER: queues the event, stops watching. */
void container_end(struct runtime *runtime, struct container *container, const struct container_end *record);

/* --- runtime_queue.c: due containers and queued events ------------------------ */

/* Sets the time (monotonic) of the next container_tick of CONTAINER. 0: none. */
void container_set_due(struct runtime *runtime, struct container *container, int64_t due_ms);
/* Returns the container with the earliest due time; NULL: none. */
struct container *container_first_due(struct runtime *runtime);
/* Queues EVENT for runtime_poll. */
void container_push_event(struct runtime *runtime, const struct runtime_event *event);
/* Makes the runtime's descriptor readable at the next due time, or at once if an event is queued. */
void runtime_arm(struct runtime *runtime);

/* --- kill.c: timed actions on a container ----------------------------------- */

/* Performs the actions due at NOW_MS. */
void container_tick(struct runtime *runtime, struct container *container, int64_t now_ms);
/* Handles the end of the shim: reads its exit record, or starts killing remaining processes. */
void container_shim_gone(struct runtime *runtime, struct container *container);
/* Sends SIGNAL_NUMBER to the processes of CONTAINER in SCOPE, which handle it until UNTIL_MS (monotonic).
 * Returns the number of processes. */
int container_signal_until(struct runtime *runtime, struct container *container, enum runtime_scope scope,
                           int signal_number, int64_t until_ms);
void container_reported(struct runtime *runtime, struct container *container);
/* Reports END of the command of CONTAINER. */
void container_command_ended(struct runtime *runtime, struct container *container,
                             const struct command_end *end);
/* Reports that the command of a container has ended, if its shim was started by an earlier agent, and has
 * written COMMAND_END_FILE. */
void container_find_command_end(struct runtime *runtime, struct container *container);

/* Reports that CONTAINER was killed and does not end, with the process. */
void container_report_stuck(struct runtime *runtime, struct container *container);
/* Describes a process of LEAF that was killed and does not end, or without one the process SHIM (0: none). */
void container_describe_stuck(const struct leaf *leaf, pid_t shim, char *text, size_t room);
/* Describes PID, a process of a step that was killed and does not end, while the container runs. */
void container_describe_step(pid_t pid, char *text, size_t room);

/* --- find_shim.c: the shim of a container of an earlier agent ----------------------- */

/* Finds the shim of CONTAINER, whose state directory is STATE_FD, and watches it: CONTAINER is RUNNING then.
 * Makes "started" again if it is missing or damaged. Returns false if the shim is not found. */
bool container_adopt_shim(struct runtime *runtime, struct container *container, int state_fd);

/* --- keep_records.c ---------------------------------------------------------------- */

/* Writes "started" of CONTAINER, whose shim is watched, again, and reports that. Returns 0 or -errno. */
int container_make_started(struct runtime *runtime, struct container *container, int state_fd,
                           struct err *err);

/* --- stop.c: what the shim has to know about a stop --------------------------------- */

/* CONTAINER gets SIGKILL at KILL_AT_MS (monotonic): writes that for the shim. */
void stop_announce(struct runtime *runtime, struct container *container, int64_t kill_at_ms);
/* The processes of CONTAINER handle SIGNAL_NUMBER until UNTIL_MS (monotonic). 0, 0: no longer. */
void stop_note_signal(struct runtime *runtime, struct container *container, int signal_number,
                      int64_t until_ms);
/* TERM was sent to all processes of CONTAINER. */
void stop_note_terminated(struct runtime *runtime, struct container *container);
/* Continues the stop of CONTAINER that an earlier agent began. */
void stop_recover(struct container *container, int state_fd);

/* --- orphans.c: processes that belong to no container ----------------------------- */

/* Kills the processes below the control group root that belong to no known container. Returns 0 when they
 * have ended, else -EBUSY. */
int orphans_end(struct runtime *runtime, struct err *err);

/* --- metrics.c: figures for metrics ---------------------------------------------- */

/* CONTAINER was started by an earlier agent: what it has written so far is not counted, and processes that
 * the kernel killed for memory do not end it any more. */
void counters_adopt(const struct runtime *runtime, struct container *container);
/* Returns whether the kernel killed a process for the memory limit of CONTAINER, so that the container is to
 * end. On cgroup v2 the kernel has killed all its processes. */
bool counters_memory_killed(const struct runtime *runtime, const struct container *container,
                            uint64_t peak_bytes);
/* CONTAINER has ended with RECORD: counts its processes that the kernel killed for memory, and its logs. */
void counters_add_end(struct runtime *runtime, struct container *container,
                      const struct container_end *record);

/* --- sampler.c: resource usage of a container ---------------------------------- */

/* Stops sampling a container. */
void sampler_free(struct sampler *sampler); /* SAMPLER may be NULL */

#endif
