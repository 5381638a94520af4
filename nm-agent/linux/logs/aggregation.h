/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aggregation.h - moves the logs of ended applications to shared storage (yarn-behaviour 13.6)
 *
 * Private to nm-agent/linux. When an application has ended and its containers are gone, its logs become
 * pending (retention.h, a file in the state directory, so that a later agent continues). A process
 * creel-aggregate, with the rights of the user, writes them to one file. It looks the user up, too:
 * a name service that is slow does not delay the agent. The logs on the node are deleted
 * when the process has ended with success: the file is then complete and synced.
 *
 * The agent itself never touches the shared storage, which may not answer for hours. At most
 * AGGREGATION_JOBS_MAX processes run, AGGREGATION_JOBS_OF_USER_MAX of them for one user, each for a limited
 * time. If the storage fails, one attempt is made
 * after a time that doubles to five minutes; what fails for one user alone is repeated after a time that
 * doubles to an hour, and does not delay other users.
 *
 * Old files are deleted by each agent, at an interval of check_ms, with the rights of each user: no daemon
 * has another task than others, and storage that refuses root works. A file in the directory of the user has
 * the time of the last check, so that only one agent reads the directory in each interval.
 */
#ifndef CREEL_NM_AGGREGATION_H
#define CREEL_NM_AGGREGATION_H

#include "nm-agent/linux/runtime_state.h"

void aggregation_init(struct runtime *runtime, const struct runtime_aggregation *config);
/* Ends all processes; what they have not finished stays pending. */
void aggregation_end(struct runtime *runtime);

/* The application has ended, and none of its containers is left: moves its logs, or keeps them for RETAIN_MS
 * if that is not configured. A repeated call does nothing. */
void aggregation_add(struct runtime *runtime, const char *app_id, int64_t retain_ms);
/* Looks after the processes, and starts the next ones, if that is due at NOW_MS (monotonic). */
void aggregation_go_on(struct runtime *runtime, int64_t now_ms);

/* --- aggregation_problem.c ------------------------------------------------------- */

void aggregation_report(struct runtime *runtime, const char *text);
/* Reports a problem once, until it is another one or is gone. */
void aggregation_set_problem(struct runtime *runtime, const char *text, bool is_of_user);
void aggregation_clear_problem(struct runtime *runtime);
/* MESSAGE: the warning of a process that has succeeded, that the storage has little room; "": it has enough.
 * Reports a change. */
void aggregation_set_room(struct runtime *runtime, const char *message);

#endif
