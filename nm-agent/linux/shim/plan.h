/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - writes and reads the plan, the parameters that the agent passes to a shim
 *
 * A plan is a struct launch and the decisions of this host. The format is a sequence of NUL-terminated
 * "tag=value" texts in an unlinked memory file. It has all decisions: the shim reads no configuration. Agent
 * and shim use this file and are installed together, so that the format has no versions. It needs libc alone.
 */
#ifndef CREEL_NM_PLAN_H
#define CREEL_NM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nm-agent/launch.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

/* Descriptors with which the shim is started, beside /dev/null as 0, 1, 2. */
enum {
    SHIM_FD_PLAN = 3,
    SHIM_FD_STATE = 4,  /* the container's state directory, locked while the shim lives */
    SHIM_FD_REPORT = 5, /* a pipe to the agent: a struct shim_report when the command has
                           started, a struct command_end if it has ended and left processes */
};
struct shim_report {
    int64_t started_ms;
};

/* A shim that is started before its container (shim_pool.h) gets a socket as SHIM_FD_PLAN instead. On this
 * socket the shim sends its pid and one end of a new socket pair. The agent sends the order, with the three
 * descriptors above, over that pair, which no other shim has: if the shim dies, the order is lost with it. */
enum {
    SHIM_FD_WAIT = 6,  /* a copy of the socket that all waiting shims share */
    SHIM_FD_TURN = 7,  /* write end of a pipe to the template: the shim writes a byte when it has its
                          order */
    SHIM_FD_ORDER = 8, /* the shim's own socket for its order */
};
/* Its process name when it has its order. */
#define SHIM_NAME "creel-shim"
struct shim_order {
    char container_id[80];
};
/* First argument of a waiting shim, padded to make room for the container's id. Further arguments are the
 * groups that the shim joins. */
#define SHIM_WAITS "waits-for-a-container                                                          "

struct plan {
    /* Used are argv, environment (complete), directory (absolute path), stop_after_ms, input, name_leftovers
     * and the attributes of the process. plan_read leaves all other members empty. */
    struct launch launch;
    const char *scratch;          /* the container's own directory, a whole path */
    bool may_fall_back;           /* run in SCRATCH if launch.directory cannot be entered */
    const char *const *own_names; /* names in SCRATCH that are no leftovers, ends with NULL; or NULL */
    const char *const *archives;  /* names in SCRATCH to unpack before the command, ends with NULL; or NULL */
    const char *unpack_program;   /* creel-unpack, a whole path; NULL: no archives */
    const char *pack_program;     /* creel-pack, a whole path; NULL: no results are packed */
    int64_t results_bytes_max;    /* of the results */
    const char *out_path, *err_path; /* log files, opened as the user */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t group_count;
    int64_t open_files_max;      /* 0: the limit of the shim */
    bool memory_kills_container; /* a process killed for the memory limit ends the container */
    int64_t kill_delay_ms;       /* time between SIGTERM and SIGKILL for what the command leaves behind */
    int64_t memory_bytes;        /* memory limit, for the message about an OOM kill */
    struct leaf leaf;
    const char *contact_file; /* see cutoff.c; NULL: the command runs on without contact */
    const char *keeper_file;  /* removed before all containers of the host are ended (keeper.h); NULL: none */
    char *data;               /* owned by a plan that was read: its texts point into it */
    const char **words;       /* of a plan that was read: its argv, environment, own names and archives */
};

/* Writes PLAN to FD. */
int plan_write(int fd, const struct plan *plan);
/* Reads a plan from FD. The caller frees PLAN with plan_clear. -EPROTO: not a plan. On error nothing is to be
 * freed. */
int plan_read(int fd, struct plan *plan);
void plan_clear(struct plan *plan);

#endif
