/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-history.h - applications that have ended, also those that the resource manager has forgotten
 *
 * Part of libcreel. Memory and errors as in creel.h. The resource manager keeps the history for the time of
 * creel.history.retention-ms. creel_app_get, creel_container_list and creel_log_access of an application
 * that it has forgotten are answered from the history, too.
 */
#ifndef CREEL_HISTORY_H
#define CREEL_HISTORY_H

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct creel_used {                         /* sums of the ended containers of an application */
    uint32_t containers, failed_containers; /* failed: exit status not 0 */
    uint64_t cpu_time_us, read_bytes, written_bytes;
    uint64_t memory_peak_bytes;      /* of the container that used most */
    uint64_t memory_used_mb_seconds; /* peak of each container times the time that it ran */
    uint32_t node_count;
    const char *const *nodes; /* the first ones; ends with NULL; in a list only if WITH_NODES */
};

struct creel_history_filter {           /* all zero: everything */
    const enum creel_app_state *states; /* FINISHED, FAILED, KILLED */
    size_t state_count;
    const char *const *users;   /* end with NULL */
    const char *const *queues;  /* paths or last components; includes the queues below them */
    const char *name;           /* pattern with * and ?; NULL: all */
    int64_t since_ms, until_ms; /* bounds of the time of the end; 0: none */
    bool tasks;                 /* also the tasks of arrays */
    bool with_nodes;            /* each application has its nodes */
    size_t limit;               /* maximum number, the last ended ones; 0: all */
    bool no_long_commands;      /* as in struct creel_app_filter */
};

/* Lists ended applications, the last ended first; each has its USED. *MORE is true if LIMIT left some out.
 * *WARNING is a sentence about what the list may lack, or NULL if the list is complete. The caller frees
 * *WARNING with free(), and RET with creel_apps_free. */
int creel_history_list(struct creel_client *client, const struct creel_history_filter *filter,
                       struct creel_apps **ret, bool *more, char **warning, struct creel_error *error);

enum creel_history_group { CREEL_HISTORY_BY_USER, CREEL_HISTORY_BY_QUEUE, CREEL_HISTORY_BY_HOUR };

struct creel_history_sum {
    const char *group; /* a user or a queue; of an hour "" */
    int64_t begin_ms;  /* of an hour, in which the applications ended; else 0 */
    uint64_t jobs, succeeded, failed, killed;
    uint64_t waited_ms;                        /* from the submission to the first container */
    uint64_t vcore_seconds, memory_mb_seconds; /* allocated */
    uint64_t cpu_time_us, memory_used_mb_seconds;
};

struct creel_history_sums {
    size_t count;
    struct creel_history_sum *items;
};

/* Adds up ended applications at the resource manager, by user or queue in order of the name, or by hour.
 * Hours begin HOUR_OFFSET_S (-3600 to 3600) later than in UTC. The limit of FILTER is not used. *WARNING is
 * as in creel_history_list. The caller frees RET with creel_history_sums_free. */
int creel_history_sum(struct creel_client *client, const struct creel_history_filter *filter,
                      enum creel_history_group by, int hour_offset_s, struct creel_history_sums **ret,
                      char **warning, struct creel_error *error);
void creel_history_sums_free(struct creel_history_sums *sums); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
