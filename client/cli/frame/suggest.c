/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - finds the word that a mistyped word probably means */
#include "client/cli/frame/suggest.h"

#include <string.h>

#define LENGTH_MAX 40

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

size_t suggest_distance(const char *a, const char *b)
{
    size_t steps[LENGTH_MAX + 1][LENGTH_MAX + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > LENGTH_MAX || m > LENGTH_MAX)
        return n > m ? n : m;
    for (size_t i = 0; i <= n; i++)
        steps[i][0] = i;
    for (size_t k = 0; k <= m; k++)
        steps[0][k] = k;
    for (size_t i = 1; i <= n; i++) {
        for (size_t k = 1; k <= m; k++) {
            size_t replace = steps[i - 1][k - 1] + (a[i - 1] != b[k - 1]);

            steps[i][k] = smallest(steps[i - 1][k] + 1, steps[i][k - 1] + 1, replace);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                steps[i - 2][k - 2] + 1 < steps[i][k])
                steps[i][k] = steps[i - 2][k - 2] + 1;
        }
    }
    return steps[n][m];
}

void suggest_offer(struct suggestion *best, const char *typed, const char *candidate)
{
    size_t distance = suggest_distance(typed, candidate);
    size_t length = strlen(typed);
    size_t limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;

    /* A typed prefix of the candidate counts as similar. */
    if (length >= 3 && !strncmp(typed, candidate, length))
        distance = 1;
    if (distance > limit || distance >= strlen(candidate))
        return;
    if (!best->text || distance < best->distance) {
        best->text = candidate;
        best->distance = distance;
    }
}

const char *suggest_habit(const char *typed)
{
    static const char *const habits[][2] = {
        { "squeue", "app list" },
        { "requeue", "app requeue" },
        { "sbatch", "submit" },
        { "srun", "run" },
        { "salloc", "alloc" },
        { "scancel", "kill" },
        { "sinfo", "node list" },
        { "scontrol", "status" },
        { "sacct", "history apps" },
        { "sstat", "container stats" },
        { "seff", "history efficiency" },
        { "sattach", "attach" },
        { "jobs", "ps" },
        { "list", "app list" },
        { "ls", "app list" },
        { "show", "status" },
        { "get", "app list" },
        { "describe", "status" },
        { "apply", "submit" },
        { "delete", "kill" },
        { "stop", "kill" },
        { "rm", "kill" },
        { "qsub", "submit" },
        { "qstat", "ps" },
        { "qdel", "kill" },
        { "job", "app" },
        { "pods", "container list" },
        { "pod", "container list" },
        { "nodes", "node list" },
        { "queues", "queue list" },
        { "containers", "container list" },
        { "apps", "app list" },
        { "application", "app" },
        { "applicationattempt", "app attempts" },
        { "log", "logs" },
        { "tail", "logs -f" },
        { "batch", "submit" },
        { "start", "submit" },
        { "info", "cluster info" },
        { "up", "dev up" },
        { "down", "dev down" },
        { "config", "conf show" },
        { "keys", "keygen" },
        { "schedulerconf", "conf set" },
    };

    for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
        if (!strcmp(habits[i][0], typed))
            return habits[i][1];
    }
    return NULL;
}
