/* SPDX-License-Identifier: Apache-2.0 */
/* audit_change.h - the DESCRIPTION of audit lines (audit.h): to what a request changes its object */
#ifndef CREEL_RM_AUDIT_CHANGE_H
#define CREEL_RM_AUDIT_CHANGE_H

#include <stddef.h>

#include "common/proto/creel.pb-c.h"

/* Writes the requested change to TEXT, which has SIZE bytes and is cut at its end: "512 MiB, 4 vcores",
 * "cancel", "priority 5". "" if the operation and its object say all. */
void audit_change_describe(const Creel__Envelope *request, char *text, size_t size);

#endif
