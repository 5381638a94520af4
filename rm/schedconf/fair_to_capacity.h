/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_to_capacity.h - the configuration of the fair scheduler for the capacity scheduler
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

/* NAME is the whole name of a property of capacity-scheduler.xml. */
typedef void schedconf_property_fn(void *context, const char *name, const char *value);

/* Calls PROPERTY for each property, and WARN once for each setting without counterpart. -EINVAL: CONF is
 * invalid, or has another scheduler; ERR has one line for each problem, and PROPERTY is not called. */
int schedconf_fair_to_capacity(const struct conf *conf, schedconf_property_fn *property, conf_warn_fn *warn,
                               void *context, struct err *err);

/* Write capacity-scheduler.xml to OUT: the begin, one property, the end. */
void schedconf_xml_begin(FILE *out);
void schedconf_xml_property(FILE *out, const char *name, const char *value);
void schedconf_xml_end(FILE *out);

#endif
