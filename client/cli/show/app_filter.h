/* SPDX-License-Identifier: Apache-2.0 */
/* app_filter.h - reads --state, --user, --queue and --tag of commands that choose applications */
#ifndef CREEL_CLI_APP_FILTER_H
#define CREEL_CLI_APP_FILTER_H

#include <stdbool.h>

#include "client/cli/frame/options.h"
#include "client/include/creel.h"
#include "common/base/err.h"

struct app_filter {
    struct creel_app_filter asked;
    enum creel_app_state states[CREEL_APP_KILLED];
    bool wanted[CREEL_APP_KILLED + 1];
    char *users_text, *queues_text; /* owned */
    const char **users, **queues;   /* owned */
    const char *tag;
};

#define APP_FILTER_ENDED "FINISHED,FAILED,KILLED" /* all states of applications that have ended */

/* Initializes FILTER from OPTIONS. FILTER points into OPTIONS, which must live as long. USUAL_STATES has the
 * syntax of --state, and is used if --state is not given. The caller calls app_filter_done, also after a
 * failure. -EINVAL: a state is unknown. */
int app_filter_read(struct app_filter *filter, const struct options *options, const char *usual_states,
                    struct err *err);
void app_filter_done(struct app_filter *filter);

#endif
