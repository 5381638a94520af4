/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_types.h - the resource types of a configuration
 *
 * Keys, in yarn-site.xml, or in YARN's files of their own: resource-types.xml, and node-resources.xml for the
 * amounts that a node offers:
 *   yarn.resource-types                          further types, comma-separated
 *   yarn.resource-types.<name>.units             what a bare number of it counts
 *   yarn.resource-types.<name>.minimum-allocation, .maximum-allocation, .increment-allocation
 *   yarn.nodemanager.resource-type.<name>        how much of it this node offers: 4, 16Gi
 */
#ifndef CREEL_CONF_RESOURCE_TYPES_H
#define CREEL_CONF_RESOURCE_TYPES_H

#include "common/base/err.h"
#include "common/base/resource_types.h"
#include "common/conf/conf.h"

/* Read yarn.resource-types and yarn.resource-types.<name>.units. -EINVAL: a name is not valid, too long or
 * repeated, a unit is unknown, or the unit of memory or vcores is changed; -E2BIG: more than
 * RESOURCE_TYPES_MAX. ERR names file and line, and *TYPES is not changed. */
int resource_types_load(const struct conf *conf, struct resource_types *types, struct err *err);

/* Set the limits of one container for the types beyond vcores: <name>.minimum-allocation (0) and
 * <name>.maximum-allocation (RESOURCE_OTHERS_MAX: none). -EINVAL: one is no amount, or the minimum is
 * above the maximum; ERR names file and line, what is set by then stays. */
int resource_types_load_limits(const struct conf *conf, const struct resource_types *types,
                               struct resource *minimum, struct resource *maximum, struct err *err);

/* What a node offers: the yarn.nodemanager.resource-type.<name> in CONF. The unit behind a number
 * counts, else that of yarn.resource-types.<name>.units if CONF has it, else the resource manager's.
 * -EINVAL: one is no amount, or of memory or vcores (which have keys of their own); -E2BIG: too
 * many. */
int resource_types_load_offers(const struct conf *conf, struct resource_offers *offers,
                               struct err *err);

#endif
