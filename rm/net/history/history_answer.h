/* SPDX-License-Identifier: Apache-2.0 */
/* history_answer.h - one request to the history: what a thread reads for it (private to history_*.c) */
#ifndef CREEL_RM_HISTORY_ANSWER_H
#define CREEL_RM_HISTORY_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"
#include "rm/master/master.h"
#include "rm/net/parts/request_queue.h"
#include "rm/net/parts/worker.h"
#include "rm/store/job_history.h"

struct history_server;

/* Filled by the loop, answered by the thread, sent by the loop. */
struct history_answer {
    struct worker_job job; /* first member */
    struct history_server *server;
    const char *state_directory; /* borrowed */
    struct queued_request *query;
    Creel__Envelope *request;
    unsigned thread;  /* that reads it (history_threads.h) */
    int64_t begun_ms; /* steady clock */
    char *user;       /* the user of the request; owned */
    struct app_id id; /* the application, if the request is about one */
    bool is_task;     /* it is the task with INDEX of the array ID */
    uint32_t index;
    struct app_id *parents; /* dependencies of a submission that are in the history only; owned */
    size_t parent_count;
    /* Set by the thread: */
    struct master_ended *ended; /* results of PARENTS; owned */
    size_t ended_count;
    int result;
    struct err err;
    Creel__AppReport **apps; /* owned, with their elements */
    size_t app_count, app_capacity;
    Creel__ContainerReport **containers; /* owned, with their elements */
    size_t container_count, container_capacity, bytes;
    Creel__JobHistorySum **sums; /* owned, with their elements and texts */
    size_t sum_count, sum_capacity;
    size_t damaged;
    bool more;
    char next[JOB_HISTORY_NEXT_MAX];
};

/* Reads the history files, in a thread. */
void history_answer_run(struct worker_job *job);
void history_answer_free(struct history_answer *answer);

#endif
