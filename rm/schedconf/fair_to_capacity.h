/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_to_capacity.h - writes the configuration of the fair scheduler as capacity-scheduler.xml
 *
 * Weights stay weights ("3.0w"), so that the queues of the result divide the cluster as before; the placement
 * policy becomes mapping rules. What the capacity scheduler does in another way, or not at all, is a warning.
 * YARN's converter has the same purpose (yarn fs2cs); its percentages are not made.
 */
#ifndef CREEL_RM_FAIR_TO_CAPACITY_H
#define CREEL_RM_FAIR_TO_CAPACITY_H

#include <stdio.h>

#include "rm/schedconf/schedconf.h"

/* Writes the file to OUT. WARN is called once for each setting without counterpart. -EINVAL: CONF is invalid,
 * or has another scheduler; ERR has one line for each problem, and nothing is written. */
int schedconf_fair_to_capacity(const struct conf *conf, FILE *out, schedconf_warn_fn *warn, void *context,
                               struct err *err);

#endif
