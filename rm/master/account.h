/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - what the resource manager keeps for each user
 *
 * The account of a user counts the applications that have not ended, wherever they are: in a queue, held,
 * waiting for a time or for other applications, arrays, and the tasks that an array has submitted. The tasks
 * that an array has not submitted yet cost two bits each, and are not counted. user_limits.h has the limits.
 *
 * Nothing is stored: applications are counted where they are created and where they end, also at recovery.
 * The master owns the accounts; an account exists while it counts something.
 */
#ifndef CREEL_RM_MASTER_ACCOUNT_H
#define CREEL_RM_MASTER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "common/base/err.h"

struct app;
struct master;

struct account {
    UT_hash_handle hh;
    char *user;         /* owned */
    uint32_t apps;      /* all applications, also ended ones that are remembered */
    uint32_t live_apps; /* those that have not ended */
};

struct account_share { /* what one application adds to the account of its user */
    struct account *account;
    bool live; /* it counts in LIVE_APPS */
};

void rm_account_enter(struct master *m, struct app *app); /* APP is new */
void rm_account_end(struct app *app);                     /* APP has ended, and is remembered */
void rm_account_leave(struct master *m, struct app *app); /* APP is about to be freed */

/* Returns the account of USER; NULL: nothing is kept for it. */
struct account *rm_account_find(const struct master *m, const char *user);

/* Recomputes all accounts and compares. -EINVAL: one differs; ERR has the user. For tests and simulation. */
int rm_account_check(const struct master *m, struct err *err);

#endif
