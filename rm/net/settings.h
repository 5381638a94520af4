/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - from the configuration to what the master wants to know
 *
 * Judges what the key table cannot: the scheduler and its queues (rm/schedconf).
 */
#ifndef CREEL_RM_SETTINGS_H
#define CREEL_RM_SETTINGS_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/master/master.h"
#include "rm/schedconf/schedconf.h"

struct settings {
    struct master_config master;        /* its texts live here and in the configuration */
    char *admin_users;
    struct sched_config sched;          /* what master.sched points to */
    bool sched_taken;                   /* the master has its parts */
};

/* -EINVAL: ERR names the key, its value and what is possible. The callbacks of
 * the master are the caller's to fill in. CONF must outlive SETTINGS. */
int settings_read(const struct conf *conf, struct settings *settings, struct err *err);
void settings_done(struct settings *settings);

#endif
