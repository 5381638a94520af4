/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what the agent hands to the shim: struct launch, and what this host adds
 *
 * A row of NUL-terminated "tag=value" texts in an unlinked memory file. All
 * decisions are in it: the shim looks nothing up. Agent and shim share this
 * and are installed together, so that it has no versions. libc alone.
 */
#ifndef CREEL_NM_PLAN_H
#define CREEL_NM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nm-agent/launch.h"
#include "nm-agent/linux/cgroup_leaf.h"

/* Descriptors that the shim is born with, beside /dev/null as 0, 1, 2. */
enum {
    SHIM_FD_PLAN = 3,
    SHIM_FD_STATE = 4,          /* the container's state directory, locked as long as the shim lives */
    SHIM_FD_REPORT = 5,         /* a pipe to the agent: one struct shim_report, once the command runs */
};
struct shim_report {
    int64_t started_ms;
};

/* A shim that is there before its container (shim_pool.h) is born with a socket as SHIM_FD_PLAN
 * instead. Over it, it sends its pid and the other end of a socket of its own, which nobody else
 * has: what it gets over that, an order with the three descriptors, goes with it if it dies. */
enum {
    SHIM_FD_WAIT = 6,           /* where it keeps the one that all share */
    SHIM_FD_TURN = 7,           /* a pipe: from who is before it, and then to who is after it */
    SHIM_FD_ORDER = 8,          /* its own */
};
struct shim_order {
    char container_id[80];
};
/* Its argument, and room for the container's id. Others are the groups that it joins itself. */
#define SHIM_WAITS "waits-for-a-container                                                          "

/* In the container's own directory: what its command reads, if launch.input. */
#define PLAN_INPUT_FIFO ".creel-input"

struct plan {
    /* Its argv, environment (complete), directory (a whole path), stop_after_ms, input, name_leftovers and
     * the attributes of the process. The shim needs no other member, and a plan that was read has none. */
    struct launch launch;
    const char *scratch;                /* the container's own directory, a whole path */
    bool may_fall_back;                 /* run there if launch.directory cannot be entered */
    const char *const *own_names;       /* names in SCRATCH that are no leftovers, ends with NULL; or NULL */
    const char *out_path, *err_path;    /* log files, opened as the user */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t group_count;
    int64_t open_files_max;             /* 0: as the shim's own */
    int64_t memory_bytes;               /* the limit, for what the kernel's kill is explained with */
    struct leaf leaf;
    const char *contact_file;           /* see cutoff.c; NULL: it goes on without contact */
    const char *keeper_file;            /* it goes before all containers of the host end; NULL: none */
    char *data;                         /* what a plan that was read points into */
    const char **words;                 /* of a plan that was read: its argv, environment and own names */
};

/* Write a whole plan. */
int plan_write(int fd, const struct plan *plan);
/* Read it back; PLAN is the caller's (plan_clear). -EPROTO: not a plan; nothing to clear. */
int plan_read(int fd, struct plan *plan);
void plan_clear(struct plan *plan);

#endif
