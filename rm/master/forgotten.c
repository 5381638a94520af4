/* SPDX-License-Identifier: Apache-2.0 */
/* forgotten.c - access to applications that only the history has: the master decides, the shell reads */
#include <assert.h>
#include <stdlib.h>

#include "rm/master/authz.h"
#include "rm/jobs/depends.h"
#include "rm/master/resolve.h"

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

bool master_may(struct master *m, const char *user, enum master_right right, const Creel__AppReport *report)
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
    allowed = rm_authz_app(m, user, operations[right], &app);
    m->out = NULL;
    arena_free(none.arena);
    return allowed;
}

static void clear_text(char *text)
{
    if (*text != '\0') /* an empty text is a constant */
        *text = '\0';
}

static void clear_texts(char **texts, size_t *count)
{
    while (*count > 0)
        free(texts[--*count]);
}

void master_hide(struct master *m, const char *user, Creel__AppReport *report)
{
    if (master_may(m, user, MASTER_MAY_SEE, report))
        return;
    clear_text(report->diagnostics);
    clear_text(report->tracking_url);
    clear_text(report->am_host);
    clear_text(report->master_container_id);
    clear_text(report->master_node_id);
    clear_texts(report->command, &report->n_command);
    clear_texts(report->nodes, &report->n_nodes);
    clear_texts(report->avoided_nodes, &report->n_avoided_nodes);
    clear_texts(report->blacklisted, &report->n_blacklisted);
}
