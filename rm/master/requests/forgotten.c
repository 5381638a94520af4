/* SPDX-License-Identifier: Apache-2.0 */
/* forgotten.c - access to applications that only the history has: the master decides, the shell reads */
#include <assert.h>
#include <stdlib.h>

#include "rm/master/services/authz.h"
#include "rm/master/queries/report.h"
#include "common/base/job/depends.h"
#include "rm/master/services/resolve.h"

bool master_has_forgotten(const struct master *m, const char *text, struct app_id *id)
{
    return rm_has_forgotten(m, text, id);
}

bool master_has_forgotten_task(const struct master *m, const char *text, struct app_id *array,
                               uint32_t *index)
{
    return rm_has_forgotten_task(m, text, array, index);
}

static size_t find_parents(const struct master *m, struct arena *arena, const char *text, struct app_id *ids)
{
    struct depends depends;
    size_t count = 0;

    if (depends_parse(arena, text, &depends, NULL) < 0)
        return 0; /* the submission is refused */
    for (size_t i = 0; i < depends.count; i++)
        if (depends.items[i].id != NULL && master_has_forgotten(m, depends.items[i].id, &ids[count]))
            count++;
    return count;
}

size_t master_forgotten_parents(const struct master *m, const Creel__Envelope *request, struct app_id **ids)
{
    const Creel__SubmitApp *body =
        request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP ? request->submit_app : NULL;
    struct arena *arena;
    size_t count;

    *ids = NULL;
    if (body == NULL || body->job == NULL || *body->job->depends_on == '\0')
        return 0;
    arena = arena_new();
    *ids = mem_array0(DEPENDS_MAX, sizeof(**ids));
    count = find_parents(m, arena, body->job->depends_on, *ids);
    arena_free(arena);
    if (count > 0)
        return count;
    free(*ids);
    *ids = NULL;
    return 0;
}

void master_set_ended(struct master *m, const struct master_ended *ended, size_t count)
{
    m->forgotten = ended;
    m->forgotten_count = count;
}

const char *master_acting_user(struct master *m, const struct master_peer *peer,
                               const Creel__Envelope *envelope, struct err *err)
{
    return rm_authz_acting_user(m, peer, envelope, err);
}

bool master_may(struct master *m, const char *user, const char *job, enum master_right right,
                const Creel__AppReport *report)
{
    static const enum authz_operation operations[] = {
        [MASTER_MAY_SEE] = AUTHZ_SEE_APP,
        [MASTER_MAY_LIST] = AUTHZ_LIST_CONTAINERS,
        [MASTER_MAY_READ_LOGS] = AUTHZ_READ_LOGS,
    };
    const struct app app = { .user = report->user, .queue = report->queue };
    struct master_effects none = { .arena = arena_new() }; /* the groups of USER are put there */
    bool allowed;

    assert(m->out == NULL); /* not called within a step */
    m->out = &none;
    m->asking_job = job;
    allowed = rm_authz_app(m, user, operations[right], &app);
    m->asking_job = NULL;
    m->out = NULL;
    arena_free(none.arena);
    return allowed;
}

void master_hide(struct master *m, const char *user, const char *job, Creel__AppReport *report)
{
    if (!master_may(m, user, job, MASTER_MAY_SEE, report))
        rm_report_hide(report, free);
}
