/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_private.h - declarations shared by the files of rm/schedconf */
#ifndef CREEL_RM_SCHEDCONF_PRIVATE_H
#define CREEL_RM_SCHEDCONF_PRIVATE_H

#include "rm/schedconf/schedconf.h"

/* State of one call of schedconf_build(). */
struct schedconf_build {
    const struct conf *conf; /* borrowed */
    conf_warn_fn *warn;      /* may be NULL */
    void *context;
    struct sched_config *config; /* the result; names and types are set first */
};

/*
 * Checks rules for yarn.scheduler.{minimum,maximum}-allocation-{mb,vcores} that the key table cannot express:
 * a container must have some memory and some vcores, and only the fair scheduler may have a minimum of 0
 * (ZERO_MINIMUM).
 */
int schedconf_check_limits(const struct conf *conf, bool zero_minimum, struct err *err);

/* Each function fills build->config for one scheduler. -EINVAL: parts of build->config may be set; the caller
 * frees them. */
int schedconf_build_capacity(struct schedconf_build *build, struct err *err);
int schedconf_build_fair(struct schedconf_build *build, struct err *err);

#endif
