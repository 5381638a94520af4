/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_state.h - inside the runtime: its state and that of one container
 *
 * Private to nm-agent/linux. A container is in memory from its launch (or
 * recovery) to its cleanup; "meta" on disk keeps what is needed beyond that.
 */
#ifndef CREEL_NM_RUNTIME_STATE_H
#define CREEL_NM_RUNTIME_STATE_H

#include <sys/queue.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT          /* the default one falls through cases, which clang minds */
#endif
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/cache.h"
#include "nm-agent/linux/cgroup.h"
#include "nm-agent/linux/exit_record.h"
#include "nm-agent/linux/health.h"
#include "nm-agent/linux/limits.h"
#include "nm-agent/linux/quota.h"
#include "nm-agent/linux/runtime.h"
#include "nm-agent/linux/shim_pool.h"
#include "nm-agent/linux/usage.h"
#include "nm-agent/linux/users.h"

#define POOLED_WORKDIRS_MAX 16

enum container_state {
    CONTAINER_FINDING,          /* after a restart: a shim is about to note that it has started */
    CONTAINER_LAUNCHED,         /* the shim is on its way */
    CONTAINER_RUNNING,          /* the command runs */
    CONTAINER_LOST,             /* the shim is gone without a record: what it left is being killed */
    CONTAINER_ENDED,
};

enum stop_phase { STOP_NONE, STOP_TERM, STOP_KILL };

/* What outlives the container's processes, and the agent. */
struct meta {
    char *app_id, *user;
    uid_t uid;
    char *work, *logs;          /* directories */
    uint32_t project;           /* of its directories, see quota.h; QUOTA_NONE: none */
    int64_t memory_bytes;       /* the kernel's limit; 0: none is known, -1: there is none */
    struct leaf leaf;
};

struct container {
    char id[80];
    enum container_state state;
    struct meta meta;
    pid_t shim;                 /* to be reaped if it is our child; 0: it is not, or unknown */
    int shim_fd, report_fd, memory_fd;      /* -1: none */
    struct sampler *sampler;    /* owned; NULL: not sampled yet */
    int64_t started_ms;
    enum stop_phase stop;
    bool terminated;            /* TERM has reached a process */
    int64_t kill_at_ms;         /* monotonic */
    int64_t stuck_ms;           /* monotonic: when to report that it does not end; 0: not killed */
    bool stuck_reported;
    bool changed_reported;      /* that its limit had been changed */
    bool of_other_boot;         /* found after the machine was started anew */
    int64_t due_ms;             /* monotonic: when tick has to look again; 0: need not */
    RB_ENTRY(container) by_due; /* while DUE_MS is not 0 */
    int64_t pause_ms;           /* between the next two looks */
    bool removing;              /* cleaned up but for a cgroup that was still busy */
    UT_hash_handle hh;
};

struct event_item {
    struct runtime_event event;
    STAILQ_ENTRY(event_item) link;
};

/* An application whose logs are kept for a while, and then the memory that they were. */
struct retention {
    UT_hash_handle hh;          /* by app_id */
    RB_ENTRY(retention) by_due;
    char *app_id;
    int64_t due_ms;             /* wall clock: when the logs go */
    int64_t next_ms;            /* wall clock: when something is to be done */
    int64_t retain_ms;
    bool expired;               /* only the memory of it is left */
};

RB_HEAD(due_tree, container);
RB_HEAD(retention_tree, retention);

struct removal {                /* a tree that could not be removed in one go: removal.h */
    char *path;
    TAILQ_ENTRY(removal) link;
};

struct runtime {
    char *state_dir, *shim_path, *creel_dir, *env_whitelist, *allowed_users, *banned_users;
    char **local_dirs, **log_dirs;
    int *locks;                 /* of the state directory and the local ones */
    size_t lock_count;
    int containers_fd, retain_fd, contact_fd;
    struct cgroups *cgroups;
    struct keeper keeper;       /* its file NULL: none */
    struct cache *cache;
    struct shim_pool shim_pool;
    struct limits_node limits;
    struct users_rule users;
    struct users_cache users_known;
    int64_t kill_delay_ms;
    int64_t open_files_max;
    struct health health;
    int64_t debug_delay_ms;     /* working directories are deleted so much later: delayed_delete.h */
    int64_t delayed_next_ms;    /* wall clock: when the first of them is due; 0: there is none */
    bool rebooted;              /* since an agent worked here last */
    int epoll_fd, timer_fd;
    int64_t armed_ms;           /* monotonic: what the timer is set to; 0: to nothing */
    struct container *containers;       /* owned: by id */
    struct due_tree due;        /* those that have to be looked at some time */
    STAILQ_HEAD(, event_item) events;
    struct retention *retentions;       /* owned: by id */
    struct retention_tree retentions_due;
    TAILQ_HEAD(removals, removal) removals;
    int64_t removal_due_ms;     /* monotonic, when the first of them goes on */
    struct quota quota;
    struct usage_walk walk;     /* of the working directory of MEASURED */
    char measured[80];          /* a container's id; "": of none */
    char *pooled_workdirs[POOLED_WORKDIRS_MAX]; /* owned: paths, see workdir_pool.h; NULL: none */
    unsigned pooled_next;
};

/* --- runtime_state.c: one container, on disk and in the table ------------------- */

struct container *container_find(const struct runtime *runtime, const char *id);
struct container *container_add(struct runtime *runtime, const char *id, struct meta *meta);
void container_forget(struct runtime *runtime, struct container *container);
/* Close *FD if it is open, and set it to -1. */
static inline void container_close_fd(int *fd)
{
    mem_close_fd(fd);
    *fd = -1;
}
/* Stop following *FD (-1: it is not followed), and close it. */
void container_unwatch(struct runtime *runtime, int *fd);
/* Follow the shim (a pidfd, -1: none) and its report (-1: none); both are taken over. */
void container_watch(struct runtime *runtime, struct container *container, int shim_fd,
                     int report_fd);
/* The state directory; -errno. */
int container_open(const struct runtime *runtime, const char *id, struct err *err);
/* The same, made if it is not there: MADE. */
int container_make(const struct runtime *runtime, const char *id, bool *made, struct err *err);
/* Has NAME ("started", "acked", ...) in its state directory. */
bool container_has(int state_fd, const char *name);

/* Its shim is there, or what that has just forked: the lock of its state directory is held. */
bool container_is_locked(int state_fd);

int meta_write(int state_fd, const struct meta *meta, struct err *err);
int meta_read(int state_fd, struct meta *meta, struct err *err);
void meta_clear(struct meta *meta);

/* The exit record if there is a whole one. */
bool container_read_exit(int state_fd, struct exit_record *record);

/* Its end: queue the event, stop watching. */
void container_end(struct runtime *runtime, struct container *container,
                   const struct exit_record *record);

/* --- runtime_queue.c: what is due, and what is to be reported ----------------- */

/* CONTAINER is due at DUE_MS (monotonic): container_tick. 0: never. */
void container_set_due(struct runtime *runtime, struct container *container, int64_t due_ms);
/* The one that is due first; NULL: none. */
struct container *container_first_due(struct runtime *runtime);
/* Queue EVENT for runtime_poll. */
void container_push_event(struct runtime *runtime, const struct runtime_event *event);
/* Have the runtime's descriptor become readable when there is something to do. */
void runtime_arm(struct runtime *runtime);

/* --- kill.c: everything that happens to a container by time ----------------- */

/* Do what is due at NOW_MS. */
void container_tick(struct runtime *runtime, struct container *container, int64_t now_ms);
/* The shim is gone: take its record, or begin to clear up after it. */
void container_shim_gone(struct runtime *runtime, struct container *container);
void container_reported(struct runtime *runtime, struct container *container);

/* How a process of LEAF that was killed and does not end is described. */
void container_describe_stuck(const struct leaf *leaf, char *text, size_t room);

/* --- ghosts.c: what belongs to no container -------------------------------------- */

/* End what is below the control group root and not in the table. It is over then, or -EBUSY. */
int ghosts_end(struct runtime *runtime, struct err *err);

/* --- sampler.c: what it uses --------------------------------------------------- */

/* It is sampled no more. */
void sampler_free(struct sampler *sampler);     /* NULL is fine */

#endif
