/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - what administrators set beside the configuration, kept over restarts
 *
 * States of queues, labels, labels of nodes: each is a row in the store.
 */
#ifndef CREEL_RM_MASTER_SETTINGS_H
#define CREEL_RM_MASTER_SETTINGS_H

#include "rm/master/state.h"

struct setting *rm_setting_find(const struct master *m, const char *kind, const char *name);
void rm_setting_put(struct master *m, const char *kind, const char *name, const char *value,
                    const char *before, const char *by);
void rm_setting_forget(struct master *m, struct setting *setting);
void rm_settings_free(struct master *m);
/* Stops or starts a queue for good; returns as sched_queue_set_running. */
int rm_queue_state_set(struct master *m, const char *path, bool running, const char *user,
                       struct err *err);
/* The configuration is new: labels and queues are set again. Returns the count of sentences about
 * it, in the step's arena. */
size_t rm_settings_apply(struct master *m, const char *const **ret);

#endif
