/* SPDX-License-Identifier: Apache-2.0 */
/* task_label.h - "[c03] ": label of output lines with the task's number */
#ifndef CREEL_CLI_TASK_LABEL_H
#define CREEL_CLI_TASK_LABEL_H

#include <stdint.h>
#include <stdio.h>

#define TASK_LABEL_MAX 24

/* Formats NUMBER with the width of the largest of COUNT numbers, at least two digits. */
static inline const char *task_label(uint32_t number, uint32_t count, char label[TASK_LABEL_MAX])
{
    int width = 2;

    for (uint32_t rest = count ? (count - 1) / 100 : 0; rest; rest /= 10)
        width++;
    if (snprintf(label, TASK_LABEL_MAX, "[c%0*u] ", width, number) < 0)
        label[0] = '\0';
    return label;
}

#endif
