/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_arguments.h - values of the options of `yarn schedulerconf` as edits of the configuration of queues
 *
 * A comma in a value is written "\,", as in YARN; other backslashes are removed. A property without value
 * ("KEY=") is removed. Differs: YARN cuts a value at a colon; here the first colon alone ends the queue.
 */
#ifndef CREEL_YARN_CONF_ARGUMENTS_H
#define CREEL_YARN_CONF_ARGUMENTS_H

#include "client/cli/conf/conf_edits.h"

/* Adds an edit of KIND for each queue of TEXT, "QUEUE:KEY=VALUE,KEY=VALUE;QUEUE:...". -EINVAL with YARN's
 * sentence. */
int conf_arguments_queues(struct conf_edits *edits, enum creel_conf_edit_kind kind, const char *text,
                          struct err *err);
/* Adds an edit for each queue of TEXT, "QUEUE;QUEUE". */
void conf_arguments_removed(struct conf_edits *edits, const char *text);
/* Adds the edit of TEXT, "KEY=VALUE,KEY=VALUE". -EINVAL as above. */
int conf_arguments_global(struct conf_edits *edits, const char *text, struct err *err);

#endif
