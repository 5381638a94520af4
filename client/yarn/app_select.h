/* SPDX-License-Identifier: Apache-2.0 */
/* app_select.h - which applications `application -list` shows: -appStates, -appTypes and -appTags */
#ifndef CREEL_YARN_APP_SELECT_H
#define CREEL_YARN_APP_SELECT_H

#include <stdbool.h>

#include "client/include/creel.h"
#include "client/yarn/options.h"

struct app_select {
    enum creel_app_state states[CREEL_APP_KILLED];
    size_t state_count;
    char *types, *tags;    /* owned; "MAPREDUCE, SPARK" as YARN prints them; "": all */
    char states_text[128]; /* "SUBMITTED, ACCEPTED, RUNNING" */
    char *wrong;           /* owned; after -1: the word that is no state */
};

/* Reads OPTIONS. Returns -1 if a state is not known. The caller calls app_select_done in any case. */
int app_select_read(const struct yarn_options *options, struct app_select *ret);
void app_select_done(struct app_select *select);

/* Returns true if -appTypes and -appTags select APP. The states are not checked: the request has them. */
bool app_select_has(const struct app_select *select, const struct creel_app *app);

#endif
