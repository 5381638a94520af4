/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finished_apps.h - list of ended applications, stored over restarts of the agent
 *
 * A file in the state directory with one id in each line, appended when an application ends, and reduced to
 * the newest ids when the agent starts. Loss of the last lines in a crash of the machine is harmless. While
 * the state directory does not answer, ids wait in memory.
 */
#ifndef CREEL_NM_FINISHED_APPS_H
#define CREEL_NM_FINISHED_APPS_H

#include "common/base/err.h"

struct finished_apps;

/* Opens the list, and calls EACH for the newest applications (at most AGENT_FINISHED_APPS_MAX), oldest
 * first. */
int finished_apps_open(const char *state_dir, void (*each)(void *context, const char *app_id), void *context,
                       struct finished_apps **ret, struct err *err);
void finished_apps_add(struct finished_apps *finished, const char *app_id);
/* Writes the ids that were added. To be called when the state directory answers. */
void finished_apps_write(struct finished_apps *finished);
void finished_apps_close(struct finished_apps *finished); /* FINISHED may be NULL */

#endif
