/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_to_capacity.h - writes the configuration of the fair scheduler as capacity-scheduler.xml
 *
 * Weights stay weights ("3.0w"), so that the queues of the result divide the cluster as before; the
 * placement policy becomes mapping rules. A setting for which the capacity scheduler has no counterpart
 * causes a warning. YARN's converter (yarn fs2cs) has the same purpose; unlike it, this code writes no
 * percentages.
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
