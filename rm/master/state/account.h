/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - what the resource manager keeps for each user
 *
 * The account of a user counts the applications that have not ended, wherever they are: in a queue, held,
 * waiting for a time or for other applications, arrays, and the tasks that an array has submitted. The tasks
 * that an array has not submitted yet are not counted; they have two bits each in the size of the array.
 * Beside their number the account has the size of their jobs, also of ended ones that are remembered, and the
 * rows of their requests for containers. A name on the blacklist of an application master is such a row.
 * user_limits.h has the limits.
 *
 * Nothing is stored: applications are counted where they are created and where they end, also at recovery.
 * The master owns the accounts; an account exists while it counts something.
 */
#ifndef CREEL_RM_MASTER_ACCOUNT_H
#define CREEL_RM_MASTER_ACCOUNT_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "common/base/err.h"
#include "rm/master/parts/kept_files.h"

struct app;
struct master;

struct account {
    UT_hash_handle hh;
    char *user;          /* owned */
    uint32_t apps;       /* all applications, also ended ones that are remembered */
    uint32_t live_apps;  /* those that have not ended */
    uint64_t live_bytes; /* size of their jobs, of the states that their AMs store, and of texts: diagnostics,
                             addresses, reasons of kills and holds */
    uint64_t ended_bytes; /* the same, of ended ones */
    uint64_t ask_rows;    /* rows of requests for containers and names of blacklists, as of the last Allocate
                                of each AM */
    int64_t started_ms;   /* last start of a container of the user; 0: none since the restart */
    struct kept_files files;              /* of the jobs that have not ended */
    TAILQ_HEAD(account_ended, app) ended; /* oldest first */
    bool changed; /* is on master->changed_accounts: an application has ended in this step */
    TAILQ_ENTRY(account) in_changed;
};

struct account_share { /* what one application adds to the account of its user */
    struct account *account;
    bool live; /* it has not ended */
    uint64_t bytes;
    uint32_t ask_rows;
    TAILQ_ENTRY(app) in_ended;
};

void rm_account_enter(struct master *m, struct app *app); /* APP is new */
void rm_account_end(struct master *m, struct app *app);   /* APP has ended, and is remembered */
void rm_account_leave(struct master *m, struct app *app); /* APP is about to be freed */

/* Counts the size of APP again: its AM's state has another size, or it has become an array. */
void rm_account_measure(struct app *app);
/* Sets TEXT, which is kept with APP (of itself, its attempts and holds), to a copy of VALUE; counts it. */
void rm_account_set_text(struct app *app, char **text, const char *value);
/* Counts again what the AM of APP requests and blacklists; APP is in its queue. */
void rm_account_count_asks(struct app *app);
void rm_account_drop_asks(struct app *app); /* all of that is void */

/* Returns the account of USER; NULL: nothing is kept for it. */
struct account *rm_account_find(const struct master *m, const char *user);

/* Recomputes all accounts and compares. -EINVAL: one differs; ERR has the user. For tests and simulation. */
int rm_account_check(const struct master *m, struct err *err);

#endif
