/* SPDX-License-Identifier: Apache-2.0 */
/* aggregation_problem.c - reports problems of the shared storage of logs, and their ends */
#include <stdio.h>
#include <string.h>

#include "common/base/text_print.h"
#include "nm-agent/linux/logs/aggregation.h"

void aggregation_report(struct runtime *runtime, const char *text)
{
    struct runtime_event event = { .kind = RUNTIME_LOGS };

    text_print(event.end.diagnostics, sizeof(event.end.diagnostics), "%s", text);
    container_push_event(runtime, &event);
}

void aggregation_set_problem(struct runtime *runtime, const char *text, bool is_of_user)
{
    struct aggregation *aggregation = &runtime->aggregation;
    char problem[sizeof(aggregation->problem)];

    text_print(problem, sizeof(problem), "logs cannot be moved to shared storage: %s",
               text[0] ? text : "creel-aggregate gave no reason");
    if (strcmp(problem, aggregation->problem) == 0)
        return;
    memcpy(aggregation->problem, problem, sizeof(problem));
    aggregation->problem_is_of_user = is_of_user;
    aggregation_report(runtime, problem);
}

void aggregation_clear_problem(struct runtime *runtime)
{
    struct aggregation *aggregation = &runtime->aggregation;

    if (aggregation->problem[0] == '\0')
        return;
    if (!aggregation->problem_is_of_user)
        aggregation_report(runtime, "logs can be moved to shared storage again");
    aggregation->problem[0] = '\0';
}

void aggregation_set_room(struct runtime *runtime, const char *message)
{
    struct aggregation *aggregation = &runtime->aggregation;
    bool lacked = aggregation->room[0] != '\0', lacks = message[0] != '\0';

    text_print(aggregation->room, sizeof(aggregation->room), "%s", message);
    if (lacks != lacked)
        aggregation_report(runtime, lacks ? message : "shared storage of logs has room again");
}
