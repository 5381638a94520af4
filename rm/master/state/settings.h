/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - settings of administrators beside the configuration, kept over restarts
 *
 * The kinds of settings are states of queues, labels, labels of nodes, the last application number, access
 * tokens, join tokens, hosts that have joined and creel-web processes. Each setting is a row in the store.
 */
#ifndef CREEL_RM_MASTER_SETTINGS_H
#define CREEL_RM_MASTER_SETTINGS_H

#include "rm/master/state.h"

/* Further kinds are in state.h. */
#define SETTING_WEB_SERVICE "web-service" /* its name is that of the creel-web: web_services.h */

struct setting *rm_setting_find(const struct master *m, const char *kind, const char *name);
void rm_setting_put(struct master *m, const char *kind, const char *name, const char *value,
                    const char *before, const char *by);
/* Adds a join token or a joined host, with its public key. No setting may have this name or key yet. The
 * caller stores the new setting with rm_store_setting. */
struct setting *rm_setting_put_key(struct master *m, const char *kind, const char *name, const char *key,
                                   const char *by);
/* Returns the join token or the joined host that has the public key KEY; NULL: none. */
struct setting *rm_setting_of_key(const struct master *m, const char *key);
void rm_setting_forget(struct master *m, struct setting *setting);
void rm_settings_free(struct master *m);
/* Moves the ends of join tokens by SET_MS, by which the clock was set since they were stored. */
void rm_settings_shift(struct master *m, int64_t set_ms);
/* Stops or starts a queue and stores that as a setting; returns the result of sched_queue_set_running. */
int rm_queue_state_set(struct master *m, const char *path, bool running, const char *user, struct err *err);
/* Applies the settings to a new configuration. Sets *RET to sentences about them, in the step's arena, and
 * returns their number. */
size_t rm_settings_apply(struct master *m, const char *const **ret);

#endif
