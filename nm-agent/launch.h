/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - the parameters with which an agent starts a container
 *
 * The core (nm-agent/core) creates them from the grant and the launch context. The runtime (nm-agent/linux)
 * creates directories and control groups from them. The shim starts the command with them: linux/plan.h adds
 * the decisions of this host, and passes all to the shim. All pointers are borrowed: they point into the
 * arena of the core's effects, or, in the shim, into its plan.
 */
#ifndef CREEL_NM_AGENT_LAUNCH_H
#define CREEL_NM_AGENT_LAUNCH_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/job/job_field.h"
#include "common/base/resource.h"

/* The result of a start, negated, if the user has no account on this node. (No file system returns it.) */
#define LAUNCH_NO_ACCOUNT EUNATCH

struct launch_file {
    const char *name;     /* name of the link in the working directory */
    const char *hash_hex; /* 64 digits: names a file of the cache */
    uint32_t mode;        /* 0500 or 0400 */
    bool unpack;          /* an archive: it is replaced by a directory NAME with its content before the
                             command starts */
};

struct launch_secret { /* a file that only the user can read, such as a token */
    const char *name;
    const void *data;
    size_t size;
    const char *variable; /* environment variable set to the file's full path; NULL: none */
};

struct launch {
    const char *container_id, *app_id, *user;
    struct resource resource;       /* gives memory limit and CPU share */
    const char *const *argv;        /* NULL-terminated */
    const char *const *environment; /* "NAME=value", NULL-terminated; overrides the defaults (PATH, HOME,
                                       USER, LOGNAME, SHELL, PWD, TMPDIR, CONTAINER_ID, LOCAL_DIRS,
                                       LOG_DIRS, CREEL_APP_ID, CREEL_CONTAINER_ID, CREEL_PREEMPT_FILE and
                                       the variables of the whitelist) */
    const struct launch_file *files;
    size_t file_count;
    const char *directory;        /* NULL: the working directory */
    const char *submit_directory; /* used instead of the working directory if it can be entered; NULL: none */
    bool input;                   /* standard input is a FIFO in the working directory */
    bool name_leftovers;          /* the exit record names what is left in the working directory */
    bool slurm_commands;          /* srun and scontrol of creel are first in PATH */
    const struct launch_secret *secrets;
    size_t secret_count;
    const void
        *job_token; /* of the application: its containers on this host share a file, which only the user
                              can read */
    size_t job_token_size; /* 0: none */
    int64_t stop_after_ms; /* the shim ends the container if the node has had no contact with the resource
                              manager for this time; 0: never */
    /* Attributes of the process, which the shim sets: a member for each row of JOB_PROCESS_FIELDS, of type
     * const char * or int64_t by its kind. NULL, "" and 0: not given. */
#define LAUNCH_MEMBER(member, kind, ...) JOB_BY_STORAGE(LAUNCH_MEMBER_, kind)(member)
#define LAUNCH_MEMBER_text(member) const char *member;
#define LAUNCH_MEMBER_number(member) int64_t member;
    JOB_PROCESS_FIELDS(LAUNCH_MEMBER)
#undef LAUNCH_MEMBER
#undef LAUNCH_MEMBER_text
#undef LAUNCH_MEMBER_number
};

#endif
