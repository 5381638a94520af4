/* SPDX-License-Identifier: Apache-2.0 */
/* containers.c - executes the actions of the container's state machine */
#include <assert.h>
#include <string.h>

#include "common/base/text.h"
#include "nm-agent/core/state.h"

#define NOTICE_HOLDS_MS 60000

void containers_set_diagnostics(struct container *container, const char *text)
{
    free(container->diagnostics);
    container->diagnostics = effect_clean_text(text, TEXT_SHOWN_MAX);
}

void containers_report(struct step *step, struct container *container, bool urgent)
{
    container->first_sent_seq = 0;
    if (!container->dirty) {
        container->dirty = true;
        TAILQ_INSERT_TAIL(&step->agent->dirty, container, in_dirty);
    }
    if (urgent)
        link_urgent(step);
}

void containers_save(struct step *step, struct container *container)
{
    struct agent_effect *effect = effect_container(step, AGENT_SAVE, container);
    size_t size = creel__stored_start__get_packed_size(state_stored_start(container));
    uint8_t *bytes = arena_alloc0(step->effects->arena, size + 1);

    creel__stored_start__pack(state_stored_start(container), bytes);
    effect->data = bytes;
    effect->size = size;
}

/* Requests the file of FETCH for USER, once. */
static void request_for(struct step *step, struct fetch *fetch, const char *user)
{
    struct agent_effect *effect;

    for (size_t i = 0; i < fetch->user_count; i++)
        if (strcmp(fetch->users[i], user) == 0)
            return;
    mem_grow(fetch->users, fetch->user_count, fetch->user_capacity);
    fetch->users[fetch->user_count++] = mem_strdup(user);
    effect = effect_add(step, AGENT_FETCH);
    effect->data = arena_dup(step->effects->arena, fetch->hash, HASH_SIZE);
    effect->size = HASH_SIZE;
    effect->user = arena_strdup(step->effects->arena, user);
}

/* Lets CONTAINER wait for the file HASH, which is requested for its user. */
static void request_file(struct step *step, struct container *container, const uint8_t *hash)
{
    struct agent *agent = step->agent;
    struct fetch_wait *wait;
    struct fetch key, *fetch;

    memcpy(key.hash, hash, HASH_SIZE);
    fetch = RB_FIND(fetch_tree, &agent->fetches, &key);
    if (fetch == NULL) {
        fetch = mem_new0(struct fetch);
        memcpy(fetch->hash, hash, HASH_SIZE);
        TAILQ_INIT(&fetch->waits);
        RB_INSERT(fetch_tree, &agent->fetches, fetch);
    }
    request_for(step, fetch, state_stored_start(container)->grant->user);
    TAILQ_FOREACH(wait, &container->fetches, in_container) {
        if (wait->fetch == fetch)
            return; /* the container uses the same file under two names */
    }
    wait = mem_new0(struct fetch_wait);
    wait->container = container;
    wait->fetch = fetch;
    TAILQ_INSERT_TAIL(&fetch->waits, wait, in_fetch);
    TAILQ_INSERT_TAIL(&container->fetches, wait, in_container);
}

void containers_fetch(struct step *step, struct container *container)
{
    const Creel__LaunchContext *launch = state_stored_start(container)->launch;

    for (size_t i = 0; i < launch->n_files; i++)
        request_file(step, container, launch->files[i]->hash.data);
    if (TAILQ_EMPTY(&container->fetches))
        containers_event(step, container, EVENT_FETCHED);
}

/* Ends CONTAINER: frees its resources, and reports it at once. */
static void end(struct step *step, struct container *container, int exit_status)
{
    container->exit_status = exit_status;
    if (container->finished_ms == 0)
        container->finished_ms = step->now.wall_ms;
    state_drop_fetches(container);
    if (container->on_disk)
        effect_container(step, AGENT_CLEANUP, container);
    effect_note(step, container, false, "ended with %d%s%s", exit_status,
                container->diagnostics && *container->diagnostics ? ": " : "",
                container->diagnostics ? container->diagnostics : "");
    containers_report(step, container, true);
}

/* Ends CONTAINER, which never ran. The end is saved in its record; otherwise the next agent would start the
 * container. */
static void end_unstarted(struct step *step, struct container *container, int exit_status)
{
    Creel__StoredStart *start = state_stored_start(container);

    if (start->stop_exit_status == 0) {
        start->stop_exit_status = exit_status;
        start->stop_reason = mem_strdup(container->diagnostics ? container->diagnostics : "");
        start->stopped_ms = step->now.wall_ms;
    }
    container->on_disk = true;
    containers_save(step, container);
    end(step, container, exit_status);
}

static void end_stopped(struct step *step, struct container *container)
{
    scoped_free char *text = mem_printf("never started: %s", state_stored_start(container)->stop_reason);

    containers_set_diagnostics(container, text);
    end_unstarted(step, container, state_stored_start(container)->stop_exit_status);
}

/* Returns true if CONTAINER ended because of its preemption notice. If the job chose a signal for the notice,
 * any exit status counts; else only a status other than 0. An earlier stop order has precedence. A notice is
 * effective until NOTICE_HOLDS_MS after its deadline, or after its cancellation. */
static bool ended_by_notice(struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);
    int64_t held_ms = start->preempt_void_ms != 0 ? start->preempt_void_ms : start->preempt_own_ms;
    bool heeds = start->launch != NULL && *start->launch->preempt_signal != '\0';
    bool stopped = start->stop_exit_status != 0 && start->stopped_ms <= container->command_ms;

    return start->preempt_own_ms != 0 && !stopped && container->exit_status >= 0 &&
           container->exit_status != CONTAINER_EXIT_LOST &&
           container->command_ms >= start->preempt_notice_ms &&
           container->command_ms <= held_ms + NOTICE_HOLDS_MS && (heeds || container->exit_status != 0);
}

/* Returns how CONTAINER, which counts as preempted, ended; its exit_status is that of the command. */
static char *describe_preemption(struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);
    const char *reason = start->preempt_reason;
    int own = container->exit_status;
    bool same = text_equal(start->stop_reason, reason); /* the usual case: the deadline of the notice came */

    if (start->stop_exit_status != 0 && start->stopped_ms <= container->finished_ms)
        return mem_printf("%s; its command ended after the notice (exit status %d), what it had left was "
                          "stopped%s%s",
                          reason, own, same ? "" : ": ", same ? "" : start->stop_reason);
    if (container->finished_ms > start->preempt_own_ms)
        return mem_printf("%s; its last process ended after the deadline (exit status %d)", reason, own);
    return mem_printf("%s; it ended by itself before the deadline (exit status %d)", reason, own);
}

/* Ends CONTAINER after the exit of its processes; its exit_status is the status of the processes. */
static void end_exit(struct step *step, struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);
    int own = container->exit_status;
    int status =
        container_exit_status(own, container->command_ms, start->stop_exit_status, start->stopped_ms);

    if (ended_by_notice(container)) {
        scoped_free char *text = describe_preemption(container);

        containers_set_diagnostics(container, text);
        end(step, container, CONTAINER_EXIT_PREEMPTED);
        return;
    }
    if (status != own || (start->stop_exit_status != 0 && own == 0)) {
        const char *old = container->diagnostics ? container->diagnostics : "";
        scoped_free char *text =
            mem_printf("%s (exit status %d)%s%s", start->stop_reason, own, *old ? ": " : "", old);

        containers_set_diagnostics(container, text);
    }
    end(step, container, status);
}

static void act_stop(struct step *step, struct container *container)
{
    containers_save(step, container); /* so that its exit counts as stopped even after a restart */
    effect_container(step, AGENT_STOP, container);
    containers_report(step, container, true);
}

/* Replaces the text *FIELD. The generated code's constant for an absent text must not be freed. */
static void set_text(char **field, const char *text)
{
    if (*field != (char *)(uintptr_t)protobuf_c_empty_string)
        free(*field);
    *field = mem_strdup(text);
}

static void send_notice(struct step *step, struct container *container)
{
    Creel__StoredStart *start = state_stored_start(container);
    struct agent_effect *effect;
    int number = 0;

    /* Saved before the notice, with preempt_notice_ms 0: if the agent ends at this point, an exit counts as
     * caused by the notice, and a container that still runs gets the notice again. */
    if (start->preempt_own_ms == 0)
        start->preempt_own_ms = clock_own_ms(step, start->preempt_ms);
    containers_save(step, container);
    effect = effect_container(step, AGENT_PREEMPT_NOTICE, container);
    effect->text = arena_strdup(step->effects->arena, start->preempt_reason);
    effect->deadline_ms = start->preempt_own_ms;
    if (*start->launch->preempt_signal != '\0' && text_parse_signal(start->launch->preempt_signal, &number))
        effect->signal_number = number;
    start->preempt_notice_ms = step->now.wall_ms;
    containers_save(step, container);
    containers_report(step, container, true);
    effect_note(step, container, false, "is warned of its preemption: %s", start->preempt_reason);
}

void containers_send_due_notice(struct step *step, struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);

    if (start->preempt_ms != 0 && start->preempt_notice_ms == 0 && start->preempt_void_ms == 0)
        send_notice(step, container);
}

void containers_preempt_notice(struct step *step, struct container *container, int64_t deadline_ms,
                               const char *reason)
{
    Creel__StoredStart *start = state_stored_start(container);
    scoped_free char *clean = effect_clean_text(reason, TEXT_SHOWN_MAX);

    if ((start->preempt_ms == deadline_ms && start->preempt_void_ms == 0) || start->stop_exit_status != 0 ||
        container_phase_over(container->phase) || start->launch == NULL) {
        if (container->phase > PHASE_DROPPING)
            containers_report(step, container, false);
        return;
    }
    start->preempt_ms = deadline_ms;
    start->preempt_notice_ms = start->preempt_own_ms = start->preempt_void_ms = 0;
    set_text(&start->preempt_reason, *clean ? clean : "preempted");
    if (container->phase == PHASE_RUNNING)
        send_notice(step, container);
}

void containers_spare(struct step *step, struct container *container, int64_t deadline_ms)
{
    Creel__StoredStart *start = state_stored_start(container);
    bool is_void = start->preempt_void_ms != 0, was_given = start->preempt_notice_ms != 0;

    if (!is_void || start->preempt_ms != deadline_ms) {
        if (start->preempt_ms != deadline_ms) /* the notice was for another deadline */
            start->preempt_notice_ms = start->preempt_own_ms = 0;
        start->preempt_ms = deadline_ms;
        start->preempt_void_ms = step->now.wall_ms;
        if (was_given && !is_void && container->phase == PHASE_RUNNING) {
            effect_container(step, AGENT_SPARE, container);
            containers_save(step, container);
            effect_note(step, container, false, "stays: nothing comes of the notice of its preemption");
        }
    }
    if (container->phase > PHASE_DROPPING)
        containers_report(step, container, false);
}

static void act_launch(struct step *step, struct container *container)
{
    struct agent_effect *effect = effect_container(step, AGENT_LAUNCH, container);

    step->agent->launching++;
    effect->launch = launch_make(step, container);
    container->launched_ms = step->now.wall_ms;
    limit_arm(step, container);
}

static void act_accept(struct step *step, struct container *container)
{
    container->on_disk = true;
    replies_settle(step, container, 0, NULL);
    containers_report(step, container, false);
    containers_fetch(step, container);
}

/* Ends CONTAINER because the disk refused its record. */
static void act_end_unsaved(struct step *step, struct container *container)
{
    if (state_stored_start(container)->stop_exit_status != 0)
        container->exit_status = state_stored_start(container)->stop_exit_status;
    replies_settle(step, container, CREEL__ERROR_CODE__ERROR_STORE,
                   container->diagnostics ? container->diagnostics : "");
    end(step, container, container->exit_status);
}

static void act_end_failed(struct step *step, struct container *container)
{
    if (state_stored_start(container)->stop_exit_status != 0)
        end_stopped(step, container);
    else
        end_unstarted(step, container, container->exit_status);
}

static void act_acknowledge(struct step *step, struct container *container)
{
    struct app *app = container->app;

    if (container->on_disk)
        effect_container(step, AGENT_ACKNOWLEDGE, container);
    state_fold(container);
    apps_settle(step, app);
}

static void act(struct step *step, struct container *container, enum container_action action)
{
    switch (action) {
    case ACTION_BUG: /* containers_event has aborted */
    case ACTION_NONE:
    case ACTION_JOIN: /* the caller adds the reply */
        return;
    case ACTION_SAVE:
        containers_save(step, container);
        return;
    case ACTION_KNOWN:
        containers_report(step, container, false);
        return;
    case ACTION_ACCEPT:
        act_accept(step, container);
        return;
    case ACTION_QUEUE:
        containers_launch_waiting(step);
        return;
    case ACTION_LAUNCH:
        act_launch(step, container);
        return;
    case ACTION_TELL:
        containers_report(step, container, true);
        containers_send_due_notice(step, container);
        limit_arm(step, container);
        return;
    case ACTION_STOP:
        act_stop(step, container);
        return;
    case ACTION_STOP_AGAIN:
        effect_container(step, AGENT_STOP, container);
        return;
    case ACTION_END_SAVED:
        replies_settle(step, container, 0, NULL);
        end_stopped(step, container);
        return;
    case ACTION_END_STOPPED:
        end_stopped(step, container);
        return;
    case ACTION_END_UNSAVED:
        act_end_unsaved(step, container);
        return;
    case ACTION_END_FAILED:
        act_end_failed(step, container);
        return;
    case ACTION_END_EXIT:
        end_exit(step, container);
        return;
    case ACTION_REFUSE:
        replies_settle(step, container, CREEL__ERROR_CODE__ERROR_STORE,
                       container->diagnostics ? container->diagnostics : "");
        state_remove(step->agent, container);
        return;
    case ACTION_ACKNOWLEDGE:
        act_acknowledge(step, container);
        return;
    }
    abort();
}

void containers_event(struct step *step, struct container *container, enum container_event event)
{
    struct container_step next = container_step(container->phase, event);
    bool freed = (container_phase_may_run(container->phase) || container_phase_promised(container->phase)) &&
                 container_phase_over(next.next);

    if (next.action == ACTION_BUG)
        err_abort("container %s: event %s in state %s", container->text, container_event_name(event),
                  container_phase_name(container->phase));
    durations_count(step, container, event);
    if (next.next != container->phase)
        container->phase_at = step->now.steady_ms;
    if (next.next != PHASE_GONE)
        state_set_phase(step->agent, container, next.next);
    act(step, container, next.action);
    if (freed) {
        containers_launch_waiting(step);
        link_settle(step);
    }
}

void containers_stop(struct step *step, struct container *container, int status, const char *reason)
{
    Creel__StoredStart *start = state_stored_start(container);

    if (start->stop_exit_status == 0 && !container_phase_over(container->phase)) {
        scoped_free char *clean = effect_clean_text(reason, TEXT_SHOWN_MAX);

        start->stop_exit_status = status;
        start->stop_reason = mem_strdup(*clean ? clean : "stopped");
        start->stopped_ms = step->now.wall_ms;
    }
    containers_event(step, container, EVENT_STOP);
}

/* Skipped containers are tried again after heartbeats. */
struct container *containers_first_waiting(const struct agent *agent, int64_t steady_ms)
{
    struct container *container;

    TAILQ_FOREACH(container, &agent->waiting, in_waiting) {
        int64_t stop_after_ms = state_stored_start(container)->grant->stop_after_ms;

        if (stop_after_ms <= 0 || steady_ms < agent->link.contact_at + stop_after_ms / 2)
            return container;
    }
    return NULL;
}

void containers_launch_waiting(struct step *step)
{
    struct agent *agent = step->agent;
    struct container *container;

    agent->link.judged_at = step->now.steady_ms;
    if (agent->link.state == LINK_REFUSED || !link_is_leased(agent, step->now) ||
        step->now.steady_ms < agent->launch_at)
        return;
    /* In the order in which they became ready, so that small containers cannot starve a large one before
     * them. Containers that wait for contact to the RM are skipped. */
    while (agent->launching < AGENT_LAUNCHES_MAX &&
           (container = containers_first_waiting(agent, step->now.steady_ms)) != NULL) {
        struct resource sum = resource_add(agent->used, container->resource);

        /* A container that may exceed the total (FOUND) is also launched when no other container runs. */
        if (!state_fits(&sum, &agent->total) && !(container->found && resource_is_zero(&agent->used)))
            return;
        containers_event(step, container, EVENT_ROOM);
    }
}

void agent_on_command_ended(struct agent *agent, struct agent_time now, const char *container_id,
                            int exit_status, int64_t command_ms, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    if (container == NULL || container->phase != PHASE_RUNNING)
        return; /* in a stop, the order decides: see container_exit_status */
    container->exit_status = exit_status;
    container->command_ms = command_ms;
    if (ended_by_notice(container))
        container->exit_status = CONTAINER_EXIT_PREEMPTED; /* as at its end: the attempt is repeated */
    containers_event(&step, container, EVENT_COMMAND_ENDED);
}
