/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_row.h - the row of an application, from which its reports are made, too
 *
 * A value of an application is written to its row here, read from it by recover.c, and shown by
 * master_row_report: in the reports of the resource manager and in those of the history.
 */
#ifndef CREEL_RM_MASTER_APP_ROW_H
#define CREEL_RM_MASTER_APP_ROW_H

#include "rm/master/state.h"

struct app_facts { /* for master_row_report; the members are borrowed from the application, or in the arena
                      of the step */
    Creel__StoredApp row;
    Creel__StoredAttempt attempt; /* the last one: row.last_attempt */
};

/* Sets FACTS to what the reports of APP have from its row, without dependencies and failed tasks. ROW must
 * not be stored: rm_app_row returns the whole row. */
void rm_app_facts(struct master *m, const struct app *app, struct app_facts *facts);
/* Sets ROW to the values of ATTEMPT, borrowed from it, without its master_grant. */
void rm_attempt_facts(const struct attempt *attempt, Creel__StoredAttempt *row);
/* Returns the row of APP, packed, in the arena of the step. The packed bytes of its job are kept until it has
 * ended. */
ProtobufCBinaryData rm_app_row(struct master *m, struct app *app);

/* Returns the use of APP, and of its tasks if it is an array, up to the last change of its containers: that
 * of its row. */
struct usage_sum rm_app_use(const struct app *app);

#endif
