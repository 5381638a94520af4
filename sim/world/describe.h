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

/* Returns the index of the task that a container with ENVIRONMENT runs; -1: the container runs no task. */
int describe_task(const char *const *environment);
/* Writes the name of an array's task, "ARRAY_INDEX", to TEXT. Returns false if ENVIRONMENT is not that of an
 * array's task. */
bool describe_array_task(const char *const *environment, char *text, size_t size);

#endif
