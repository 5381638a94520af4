/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.h - formats a message as one line, for the log of a seed (-v)
 */
#ifndef CREEL_SIM_DESCRIBE_H
#define CREEL_SIM_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/proto/creel.pb-c.h"

/* Writes the main content of ENVELOPE, cut at SIZE; returns TEXT. */
const char *describe_envelope(const Creel__Envelope *envelope, char *text, size_t size);

/* Returns the task that a container with ENVIRONMENT runs; -1: none. */
int describe_task(const char *const *environment);
/* "ARRAY_INDEX" in TEXT; false: it is no task of an array. */
bool describe_array_task(const char *const *environment, char *text, size_t size);

#endif
