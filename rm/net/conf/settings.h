/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - converts the configuration into the settings of the master
 *
 * Validates settings that the key table cannot: the scheduler and its queues (rm/schedconf).
 */
#ifndef CREEL_RM_SETTINGS_H
#define CREEL_RM_SETTINGS_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/master/master.h"
#include "rm/schedconf/schedconf.h"

struct settings {
    struct master_config master; /* its texts are owned by this struct and by the configuration */
    char *admin_users;
    struct sched_config sched; /* target of master.sched */
    bool sched_taken;          /* the master owns its parts */
};

/* Reads SETTINGS from CONF, which must outlive SETTINGS. The caller sets the callbacks of the master.
 * -EINVAL: ERR names the key, its value and the possible values. */
int settings_read(const struct conf *conf, struct settings *settings, struct err *err);
/* Returns the users of yarn.admin.acl, with the members of its groups; "*": all. The caller frees them. */
char *settings_admin_users(const struct conf *conf);
struct master_user_limits settings_user_limits(const struct conf *conf);
void settings_log_access(const struct conf *conf); /* who may act on the cluster */
void settings_done(struct settings *settings);

#endif
