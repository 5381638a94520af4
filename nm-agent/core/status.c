/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - builds the status of a container for the RM */
#include "nm-agent/core/state.h"

#include <string.h>

static char *cut_text(struct arena *arena, const char *text, size_t max)
{
    scoped_free char *clean = effect_clean_text(text, max);

    return arena_strdup(arena, clean);
}

Creel__ContainerStatus *status_make(struct arena *arena, struct container *container, bool grant,
                                    size_t diagnostics_max)
{
    Creel__ContainerStatus *status = arena_new0(arena, Creel__ContainerStatus);

    creel__container_status__init(status);
    status->container_id = arena_strdup(arena, container->text);
    status->state = container_phase_state(container->phase);
    status->exit_status = container->exit_status;
    status->diagnostics = cut_text(arena, container->diagnostics, diagnostics_max);
    status->started_ms = container->started_ms;
    status->finished_ms = container->finished_ms;
#define T(type, member, step) status->member = container->totals.member;
    CONTAINER_TOTALS(T)
#undef T
    if (container->stuck != NULL && !container_phase_over(container->phase))
        status->stuck = cut_text(arena, container->stuck, diagnostics_max);
    status->node_fault = container->node_fault;
    status->no_account = container->no_account;
    status->retry_elsewhere = container->retry_elsewhere;
    /* preempt_ms is set only after the notice was given: until then the RM must repeat the order. */
    if (state_stored_start(container)->preempt_void_ms != 0)
        status->spared_ms = state_stored_start(container)->preempt_ms;
    else if (state_stored_start(container)->preempt_notice_ms != 0)
        status->preempt_ms = state_stored_start(container)->preempt_ms;
    status->limit_ms = limit_rm_ms(container);
    status->version = state_stored_start(container)->grant->version;
    if (state_stored_start(container)->launch != NULL)
        status->title = cut_text(arena, state_stored_start(container)->launch->title, TITLE_SHOWN_MAX);
    /* If a container was ended before its start arrived, only its id is known. */
    if (grant && *state_stored_start(container)->grant->user != '\0')
        status->grant =
            (Creel__ContainerGrant *)effect_copy(arena, &state_stored_start(container)->grant->base);
    return status;
}
