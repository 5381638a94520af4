/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_types.h - reads the resource types and their limits from a configuration
 *
 * Keys, in yarn-site.xml, or in YARN's own files: resource-types.xml, and node-resources.xml for the amounts
 * that a node offers:
 *   yarn.resource-types                          further types, comma-separated
 *   yarn.resource-types.<name>.units             unit of a bare number of the type
 *   yarn.resource-types.<name>.minimum-allocation, .maximum-allocation, .increment-allocation
 *   yarn.nodemanager.resource-type.<name>        amount that this node offers: 4, 16Gi
 */
#ifndef CREEL_CONF_RESOURCE_TYPES_H
#define CREEL_CONF_RESOURCE_TYPES_H

#include "common/base/err.h"
#include "common/base/resource_types.h"
#include "common/conf/conf.h"

/* Reads yarn.resource-types and yarn.resource-types.<name>.units. -EINVAL: a name is not valid, too long or
 * repeated, a unit is unknown, or the unit of memory or vcores is changed; -E2BIG: more than
 * RESOURCE_TYPES_MAX. ERR names file and line, and *TYPES is not changed. */
int resource_types_load(const struct conf *conf, struct resource_types *types, struct err *err);

/* Sets the limits of one container for the types beyond vcores: <name>.minimum-allocation (0) and
 * <name>.maximum-allocation (RESOURCE_OTHERS_MAX: no limit). -EINVAL: a value is no amount, or a minimum is
 * above the maximum; ERR names file and line. Limits set before the error stay set. */
int resource_types_load_limits(const struct conf *conf, const struct resource_types *types,
                               struct resource *minimum, struct resource *maximum, struct err *err);

/* Reads the resources that a node offers, yarn.nodemanager.resource-type.<name> of CONF. The unit of an
 * amount is the unit after the number, else yarn.resource-types.<name>.units if CONF has that key, else the
 * resource manager's unit. -EINVAL: a value is no amount, or the key is for memory or vcores (which have keys
 * of their own); -E2BIG: too many. */
int resource_types_load_offers(const struct conf *conf, struct resource_offers *offers, struct err *err);

#endif
