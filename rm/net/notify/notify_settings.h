/* SPDX-License-Identifier: Apache-2.0 */
/* notify_settings.h - reads the keys creel.jobs.notify-* */
#ifndef CREEL_RM_NOTIFY_SETTINGS_H
#define CREEL_RM_NOTIFY_SETTINGS_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/net/notify/notify_command.h"

struct notify_settings {
    struct notify_command command; /* argv NULL: there is no notify command; stop_fd is set by the caller */
    char *user;                    /* name of the command's user, or the number if it has no name; owned */
    char **words;                  /* target of command.argv; owned */
    char **environment;            /* owned */
    gid_t *groups;                 /* owned */
};

/* Fills SETTINGS. -EINVAL: the command is not an absolute path, the user does not exist, or this process may
 * not switch to that user; SETTINGS is empty then. */
int notify_settings_read(const struct conf *conf, struct notify_settings *settings, struct err *err);
void notify_settings_done(struct notify_settings *settings);

#endif
