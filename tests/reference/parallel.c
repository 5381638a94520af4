/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.c - reference capacity scheduler: limits on parallel applications (CSMaxRunningAppsEnforcer)
 *
 * An application has its place from its submission, or from the moment at which a place becomes free, until
 * it ends; whether a limit on AMs keeps it waiting does not matter.
 *
 * Two flaws of YARN are not part of the model: after a move the queues above the old queue still count the
 * application, and a new priority of an application that waits for a place lets its leaf have it twice.
 */
#include "tests/reference/reference.h"

static int64_t count_placed(const struct reference *ref, int queue, int user)
{
    int64_t count = 0;

    for (int a = 0; a < REF_APPS; a++)
        count += ref->apps[a].here && ref->apps[a].placed && ref_below(ref, ref->apps[a].queue, queue) &&
                 (user < 0 || ref->apps[a].user == user);
    return count;
}

bool ref_may_be_placed(const struct reference *ref, int app)
{
    int user = ref->apps[app].user;

    if (count_placed(ref, 0, user) >= ref->config.user_parallel[user])
        return false;
    for (int q = ref->apps[app].queue; q >= 0; q = ref->config.queues[q].parent)
        if (count_placed(ref, q, -1) >= ref->config.queues[q].max_parallel)
            return false;
    return true;
}

/* Returns the oldest application without a place that came after ORDER; -1: none. */
static int next_without_place(const struct reference *ref, uint64_t order)
{
    int found = -1;

    for (int a = 0; a < REF_APPS; a++)
        if (ref->apps[a].here && !ref->apps[a].placed && ref->apps[a].order > order &&
            (found < 0 || ref->apps[a].order < ref->apps[found].order))
            found = a;
    return found;
}

void ref_give_places(struct reference *ref)
{
    int app = -1;

    while ((app = next_without_place(ref, app < 0 ? 0 : ref->apps[app].order)) >= 0)
        if (ref_may_be_placed(ref, app)) {
            ref->apps[app].placed = true;
            ref_activate(ref, ref->apps[app].queue);
        }
}
