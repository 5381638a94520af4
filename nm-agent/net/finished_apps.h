/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finished_apps.h - the applications that are over, remembered over restarts of the agent
 *
 * A file of one id a line in the state directory, appended to as they end and
 * cut short at a start. Losing its tail with the machine is harmless.
 */
#ifndef CREEL_NM_FINISHED_APPS_H
#define CREEL_NM_FINISHED_APPS_H

#include "common/base/err.h"

struct finished_apps;

/* Call EACH for the newest (at most AGENT_FINISHED_APPS_MAX), oldest first. */
int finished_apps_open(const char *state_dir, void (*each)(void *context, const char *app_id),
                       void *context, struct finished_apps **ret, struct err *err);
void finished_apps_add(struct finished_apps *finished, const char *app_id);
void finished_apps_close(struct finished_apps *finished); /* NULL is fine */

#endif
