/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tasks.h - runs processes of this host at the same time, and copies their output line by line
 */
#ifndef CREEL_CLI_ALLOC_TASKS_H
#define CREEL_CLI_ALLOC_TASKS_H

#include <stdint.h>

#include "common/base/err.h"

/* Returns the arguments of task NUMBER, as an array that ends with NULL and that the caller frees. The texts
 * stay valid until alloc_tasks_run returns. */
typedef const char **alloc_task_fn(void *context, uint32_t number);

/* Runs /proc/self/exe COUNT times, each with the arguments of COMMAND and with standard input INPUTS[number]
 * (-1: none). Takes over INPUTS but STDIN_FILENO, and closes each as soon as its task has started. Each line
 * of output begins with the number of the task. Signals that end are forwarded. Sets *EXIT_STATUS to the
 * highest exit status. -errno: a task could not be started; those before it are ended. */
int alloc_tasks_run(uint32_t count, const int *inputs, alloc_task_fn *command, void *context,
                    int *exit_status, struct err *err);

#endif
