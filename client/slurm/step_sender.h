/* SPDX-License-Identifier: Apache-2.0 */
/* step_sender.h - finds the process that has sent a signal to srun */
#ifndef CREEL_CLIENT_SLURM_STEP_SENDER_H
#define CREEL_CLIENT_SLURM_STEP_SENDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether the process SENDER of USER is the agent of the node, which signals the tasks itself. If in
 * doubt, it is not: tasks then get the signal twice, which is better than not at all. SENDER is 0 for a
 * process outside of the pid namespace. */
bool step_sender_is_agent(pid_t sender, uid_t user);

#endif
