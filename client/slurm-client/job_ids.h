/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_ids.h - lists of jobs as Slurm's commands take them
 *
 *     42  42_7  42_[1-3,5]  42_7.batch  42.0      separated by commas
 *
 * creel has the first container of a job for all of its steps. Pure.
 */
#ifndef CREEL_SLURM_CLIENT_JOB_IDS_H
#define CREEL_SLURM_CLIENT_JOB_IDS_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/job/array_spec.h"
#include "common/base/text_builder.h"

struct job_id {
    const char *text; /* the id as it was given */
    uint32_t number;
    const char *tasks;      /* indexes of an array, "7" or "1-3,5"; NULL: all of the job */
    struct array_spec spec; /* of TASKS */
    const char *step;       /* "batch", "0"; NULL: all of the job */
};

struct job_ids {
    struct job_id *items; /* owned, in order of number */
    size_t count, capacity;
    bool given; /* a list was read: if it is empty, no job is in it */
};

/* Adds the ids of TEXT to IDS. The texts are in ARENA. -EINVAL: ERR names the id that is none. The caller
 * calls job_ids_done in any case. */
int job_ids_read(struct job_ids *ids, const char *text, struct arena *arena, struct err *err);
void job_ids_done(struct job_ids *ids);

/* Returns the first id of IDS that has NUMBER; NULL: none. *COUNT ids have it, one after the other. */
const struct job_id *job_ids_find(const struct job_ids *ids, uint32_t number, size_t *count);
/* Returns whether IDS has a job by its NUMBER, or the task INDEX of the array NUMBER. IS_TASK false: the job
 * is no task, or all waiting tasks of an array. If no list was read, it has all. */
bool job_ids_have(const struct job_ids *ids, uint32_t number, bool is_task, uint32_t index);
/* Returns whether IDS names NUMBER with indexes of tasks. */
bool job_ids_name_tasks(const struct job_ids *ids, uint32_t number);
/* Returns whether IDS names NUMBER without indexes of tasks. If no list was read, it names all. */
bool job_ids_name_whole(const struct job_ids *ids, uint32_t number);

/* Returns those of ID's tasks that the array with the indexes ARRAY ("0-9:3%2") has, as "1-3,7", in ARENA;
 * NULL: none. ID has tasks. */
const char *job_id_tasks_of(const struct job_id *id, const char *array, struct arena *arena);

/* Adds COUNT indexes, which ascend, as "1-3,7". */
void job_ids_put_indexes(struct text_builder *text, const uint32_t *indexes, size_t count);

#endif
