/* SPDX-License-Identifier: Apache-2.0 */
/*
 * past.h - the applications that are over, remembered over restarts of the agent
 *
 * A file of one id a line in the state directory, appended to as they end and
 * cut short at a start. Losing its tail with the machine is harmless.
 */
#ifndef CREEL_NM_PAST_H
#define CREEL_NM_PAST_H

#include "common/base/err.h"

struct past;

/* Call EACH for the newest (at most AGENT_PAST_APPS_MAX), oldest first. */
int past_open(const char *state_dir, void (*each)(void *context, const char *app_id),
              void *context, struct past **ret, struct err *err);
void past_add(struct past *past, const char *app_id);
void past_close(struct past *past);             /* NULL is fine */

#endif
