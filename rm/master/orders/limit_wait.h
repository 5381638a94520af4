/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_wait.h - an application whose limit is reached, and whose outcome may be known already
 *
 * A limit kills what runs. It kills nothing while the commands have ended and only the processes that they
 * left are being stopped, or while an agent may still report that: after a restart of the resource manager,
 * the ends of commands are known again when the nodes have registered.
 */
#ifndef CREEL_RM_MASTER_LIMIT_WAIT_H
#define CREEL_RM_MASTER_LIMIT_WAIT_H

#include <stdbool.h>

struct app;
struct master;

/* The limit of APP is reached: returns true if it must not kill APP now. Then the timer of the limit is set
 * again, and the agents get a later limit (APP->limit_wait_ms). */
bool rm_limit_waits(struct master *m, struct app *app);

#endif
