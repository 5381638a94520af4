/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_users.h - what this host knows of the owners of jobs
 *
 * A host may ask a server about a user (getpwnam(3)): each user is looked up once in a command, and only if a
 * column needs it.
 */
#ifndef CREEL_SLURM_CLIENT_JOB_USERS_H
#define CREEL_SLURM_CLIENT_JOB_USERS_H

#include <stdbool.h>
#include <sys/types.h>

struct job_user {
    bool is_known; /* false: this host does not know the user */
    uid_t id;
    gid_t group_id;    /* of the first group */
    const char *group; /* its name; NULL: this host does not know it */
};

struct job_users *job_users_new(void);
void job_users_free(struct job_users *users); /* USERS may be NULL */
/* Returns the user NAME, which USERS owns. */
const struct job_user *job_users_find(struct job_users *users, const char *name);

#endif
