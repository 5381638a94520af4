/* SPDX-License-Identifier: Apache-2.0 */
/* commits.h - effects of the master, and rows on their way to the store (apply.c) */
#ifndef CREEL_RM_COMMITS_H
#define CREEL_RM_COMMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "rm/master/master.h"
#include "rm/net/requests/pending.h"

struct daemon_commits {
    struct master_effects effects[2]; /* one is filled while the other one is carried out */
    struct master_effects *filling;
    struct pending *pending;
    bool failing, retry; /* RETRY: it is time for a try to write */
    struct err error;    /* why the last try failed; valid, as the next two, if FAILING */
    int64_t failing_ms;  /* since when */
    int64_t logged_ms;   /* when the last failure was logged */
    int64_t backoff_ms;
    int timer; /* of the next try to write */
    int deadline_timer;
    int64_t deadline_ms; /* time of deadline_timer; INT64_MAX: not set */
};

#endif
