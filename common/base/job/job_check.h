/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_check.h - checks all fields of a job: each by itself, and those that depend on each other
 *
 * The client checks a job before it sends or prints it, and the resource manager checks it again, since other
 * clients may not. What only the resource manager knows (queues, labels, the size of nodes) is checked there
 * alone. Pure: no I/O, no clock.
 */
#ifndef CREEL_JOB_CHECK_H
#define CREEL_JOB_CHECK_H

#include "common/base/err.h"
#include "common/base/job/job_field.h"

/* -EINVAL with a message that names the option; -EMSGSIZE: an array or a list of dependencies is too long;
 * -EPERM: only root may give this value, and USER (NULL: not known) is another user. */
int job_check(const struct job_values *values, const char *user, struct err *err);

/* Returns whether no file of a job can have NAME, since the agent makes a file or directory of that name in
 * the working directory of each container, or, if FIRST, of the first container of an attempt. */
bool job_check_is_own_name(const char *name, bool first);

#endif
