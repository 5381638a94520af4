/* SPDX-License-Identifier: Apache-2.0 */
/* agent.c - creates the agent's core, and handles its events */
#include "nm-agent/core/agent.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "nm-agent/core/state.h"

/* --- creation and destruction ---------------------------------------------- */

static void own(const char **text)
{
    *text = mem_strdup(*text ? *text : "");
}

static void copy_config(struct agent *agent, const struct agent_config *config)
{
    struct agent_config *copy = &agent->config;
    const char *colon;

    *copy = *config;
    own(&copy->node_id);
    own(&copy->address);
    own(&copy->http_address);
    own(&copy->warning);
    own(&copy->rack);
    own(&copy->label);
    own(&copy->agent_key);
    own(&copy->version);
    own(&copy->cgroup_mode);
    own(&copy->conf_dir);
    own(&copy->cluster);
    own(&copy->rm_client_address);
    own(&copy->rm_am_address);
    own(&copy->rm_key);
    colon = strrchr(copy->node_id, ':');
    agent->host =
        colon ? mem_strndup(copy->node_id, (size_t)(colon - copy->node_id)) : mem_strdup(copy->node_id);
    agent->port = mem_strdup(colon ? colon + 1 : "0");
}

static void free_config(struct agent *agent)
{
    const struct agent_config *config = &agent->config;
    const char *const texts[] = {
        config->node_id,           config->address,       config->rack,        config->label,
        config->agent_key,         config->version,       config->cgroup_mode, config->conf_dir,
        config->rm_client_address, config->rm_am_address, config->rm_key,      config->http_address,
        config->warning,           config->cluster,
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        free((void *)(uintptr_t)texts[i]);
    free(agent->host);
    free(agent->port);
}

struct agent *agent_new(const struct agent_config *config)
{
    struct agent *agent = mem_new0(struct agent);

    copy_config(agent, config);
    agent->total = config->total;
    if (agent->config.message_bytes == 0)
        agent->config.message_bytes = MESSAGE_BYTES;
    rng_seed(&agent->rng, config->seed);
    RB_INIT(&agent->containers);
    RB_INIT(&agent->apps);
    RB_INIT(&agent->fetches);
    RB_INIT(&agent->finished);
    TAILQ_INIT(&agent->finished_oldest);
    TAILQ_INIT(&agent->dirty);
    TAILQ_INIT(&agent->waiting);
    TAILQ_INIT(&agent->measured);
    TAILQ_INIT(&agent->cleaned);
    TAILQ_INIT(&agent->log_news);
    TAILQ_INIT(&agent->replies);
    agent->health_report = mem_strdup("");
    durations_init(agent);
    link_init(agent);
    return agent;
}

void agent_free(struct agent *agent)
{
    if (agent == NULL)
        return;
    state_free(agent);
    replies_free(agent);
    link_free(agent);
    free_config(agent);
    free(agent->health_report);
    free(agent);
}

/* --- containers left by an earlier agent ------------------------------------ */

/* Unpacks RECORD. Returns NULL unless it belongs to CONTAINER_ID, and has a stop order or a launch context
 * that can be launched. */
static Creel__StoredStart *read_record(const char *container_id, const void *record, size_t size)
{
    Creel__StoredStart *start = record ? creel__stored_start__unpack(NULL, size, record) : NULL;

    if (start != NULL && start->grant != NULL && strcmp(start->grant->container_id, container_id) == 0 &&
        (start->stop_exit_status != 0 || launch_judge(start->launch, start->grant->user, NULL) == 0))
        return start;
    creel__stored_start__free_unpacked(start, NULL);
    return NULL;
}

/* Returns a record that replaces an unreadable one: the container is stopped as lost. */
static Creel__StoredStart *lost_record(const struct agent *agent, const char *container_id)
{
    Creel__StoredStart *start = mem_new0(Creel__StoredStart);

    creel__stored_start__init(start);
    start->grant = mem_new0(Creel__ContainerGrant);
    creel__container_grant__init(start->grant);
    start->grant->container_id = mem_strdup(container_id);
    start->grant->node_id = mem_strdup(agent->config.node_id);
    start->stop_exit_status = CONTAINER_EXIT_LOST;
    start->stop_reason = mem_strdup("its record on the agent's disk cannot be read");
    return start;
}

static void restore_container(struct step *step, struct container *container, enum agent_found_state state)
{
    struct agent *agent = step->agent;
    bool stopped = state_stored_start(container)->stop_exit_status != 0;

    switch (state) {
    case AGENT_FOUND_ACKED:
        container->exit_status = 0;
        state_set_phase(agent, container, PHASE_ACKED);
        return;
    case AGENT_FOUND_ENDED:
        state_set_phase(agent, container, stopped ? PHASE_STOPPING : PHASE_RUNNING);
        return;
    case AGENT_FOUND_RUNNING:
        state_set_phase(agent, container, stopped ? PHASE_STOPPING : PHASE_RUNNING);
        if (stopped)
            effect_container(step, AGENT_STOP, container);
        else
            containers_send_due_notice(step, container);
        return;
    case AGENT_FOUND_SAVED:
        state_set_phase(agent, container, PHASE_FETCHING);
        container->phase_at = step->now.steady_ms;
        if (stopped)
            containers_event(step, container, EVENT_STOP);
        return;
    }
    abort();
}

/* Stops containers of applications that have ended, fetches the files of containers that were accepted but
 * not started, and sets the timers of time limits. Called after all calls of agent_found, so that running
 * containers are counted before others are launched. */
static void resume(struct step *step)
{
    struct container *container;
    struct app *app, *next;

    RB_FOREACH_SAFE(app, app_tree, &step->agent->apps, next) {
        if (!app->over && state_app_finished(step->agent, &app->id))
            orders_end_app(step, app);
    }
    RB_FOREACH(container, container_tree, &step->agent->containers) {
        if (container->phase == PHASE_FETCHING && TAILQ_EMPTY(&container->fetches))
            containers_fetch(step, container);
    }
    limit_arm_all(step);
}

void agent_found(struct agent *agent, struct agent_time now, const char *container_id,
                 enum agent_found_state state, const void *record, size_t size, int64_t started_ms,
                 struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    Creel__StoredStart *start;
    struct container *container;
    struct container_id id;

    if (!container_id_parse(container_id, &id) || state_find(agent, container_id) != NULL)
        return;
    start = read_record(container_id, record, size);
    container = state_add(agent, &id, start ? start : lost_record(agent, container_id));
    container->resource = resource_from_message(state_stored_start(container)->grant->resource);
    container->found = true;
    container->on_disk = true;
    container->started_ms = started_ms;
    if (start == NULL && state != AGENT_FOUND_ACKED)
        effect_note(&step, container, true, "its record cannot be read: it is ended");
    restore_container(&step, container, state);
}

void agent_recall(struct agent *agent, const char *app_id)
{
    struct app_id id;

    if (app_id_parse(app_id, &id))
        state_add_finished(agent, &id);
}

void agent_start(struct agent *agent, struct agent_time now, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };

    resume(&step);
    link_start(&step);
}

/* --- requests of AMs --------------------------------------------------------- */

struct refusal {
    Creel__ErrorCode code;
    const char *text;
};

static const char *explain_expiry(const struct step *step, const struct agent_clock *clock,
                                  int64_t expires_ms)
{
    char why[256];

    agent_clock_explain(clock, expires_ms, why, sizeof(why));
    return arena_printf(step->effects->arena, "the grant of the container %s", why);
}

/* Returns why the start of an unknown container is refused; TEXT is NULL if it is accepted. */
static struct refusal judge_start(const struct step *step, const Creel__ContainerGrant *grant,
                                  const Creel__LaunchContext *launch, const struct container_id *id)
{
    const struct agent *agent = step->agent;
    struct resource resource = resource_from_message(grant->resource);
    struct resource sum = resource_add(agent->promised, resource);
    const struct app *app = state_find_app(agent, &id->attempt.app);
    struct agent_clock clock = agent_clock(agent, step->now);
    char app_id[ID_TEXT_MAX];
    struct err err;

    if (agent->link.state == LINK_REFUSED)
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_STATE,
                                 "the resource manager will not have this node" };
    if (strcmp(grant->node_id, agent->config.node_id) != 0)
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                                 "the container was granted on another node" };
    if (agent_clock_is_past(&clock, grant->expires_ms))
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_STATE,
                                 explain_expiry(step, &clock, grant->expires_ms) };
    if (agent->config.new_state && grant->session != 0 && grant->session < agent->link.first_session)
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_STATE,
                                 "the container was granted to an agent whose state directory is gone" };
    if ((app != NULL && app->over) || state_app_finished(agent, &id->attempt.app))
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_STATE, "its application is over" };
    if (launch_judge_new(step, launch, grant, app_id_format(&id->attempt.app, app_id), grant->master, &err) <
        0)
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                                 arena_strdup(step->effects->arena, err.text) };
    if (!state_fits(&resource, &agent->total))
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_BAD_STATE,
                                 "the container is larger than the node" };
    /* The RM has allocated the resources of a container that it has ordered to stop, but the order has not
     * arrived. */
    if (!state_fits(&sum, &agent->total))
        return (struct refusal){ CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                                 "the node has no room for the container now" };
    return (struct refusal){ 0, NULL };
}

static struct container *add_asked(struct step *step, const struct container_id *id,
                                   const struct agent_start_request *request)
{
    struct arena *arena = step->effects->arena;
    Creel__StoredStart start = CREEL__STORED_START__INIT;
    struct container *container;
    size_t size;
    uint8_t *bytes;

    /* START needs pointers to writable messages: effect_copy copies the borrowed ones. */
    start.grant = (Creel__ContainerGrant *)effect_copy(arena, &request->grant->base);
    start.launch = (Creel__LaunchContext *)effect_copy(arena, &request->launch->base);
    start.accepted_ms = step->now.wall_ms;
    size = creel__stored_start__get_packed_size(&start);
    bytes = arena_alloc0(arena, size + 1);
    creel__stored_start__pack(&start, bytes);
    container = state_add(step->agent, id, creel__stored_start__unpack(NULL, size, bytes));
    if (container->start == NULL)
        abort();
    container->resource = resource_from_message(request->grant->resource);
    return container;
}

static void handle_start_request(struct step *step, struct reply *reply, size_t index,
                                 const struct agent_start_request *request)
{
    const char *text = request->grant ? request->grant->container_id : "";
    struct container *container;
    struct container_id id;
    struct refusal refusal;

    if (request->grant == NULL) {
        replies_refuse(reply, index, "", request->refusal, request->refusal_text);
        return;
    }
    if (!container_id_parse(text, &id)) {
        replies_refuse(reply, index, "", CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                       "the grant names no container");
        return;
    }
    container = state_find(step->agent, text);
    if (container == NULL) {
        refusal = judge_start(step, request->grant, request->launch, &id);
        if (refusal.text != NULL) {
            replies_refuse(reply, index, text, refusal.code, refusal.text);
            return;
        }
        container = add_asked(step, &id, request);
    }
    containers_event(step, container, EVENT_START);
    if (container->phase == PHASE_SAVING || container->phase == PHASE_DROPPING)
        replies_wait(container, reply, index);
    else
        replies_accept(reply, index, text);
}

void agent_on_start(struct agent *agent, struct agent_time now, uint64_t connection, uint64_t request_id,
                    const struct agent_start_request *requests, size_t count, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct reply *reply = replies_new(&step, connection, request_id, count);

    for (size_t i = 0; i < count; i++)
        handle_start_request(&step, reply, i, &requests[i]);
    replies_finish(&step, reply);
}

void agent_on_stop(struct agent *agent, struct agent_time now, uint64_t connection, uint64_t request_id,
                   const Creel__ContainerGrant *const *grants, size_t count, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct agent_effect *effect;
    Creel__Ok *ok;

    for (size_t i = 0; i < count; i++) {
        struct container *container = state_find(agent, grants[i]->container_id);

        if (container != NULL)
            containers_stop(&step, container, CONTAINER_EXIT_BY_AM, "stopped by its application master");
    }
    effect = effect_add(&step, AGENT_REPLY);
    effect->connection = connection;
    effect->envelope = effect_envelope(effects->arena, request_id);
    effect->envelope->body_case = CREEL__ENVELOPE__BODY_OK;
    ok = arena_new0(effects->arena, Creel__Ok);
    creel__ok__init(ok);
    effect->envelope->ok = ok;
}

/* --- results of effects -------------------------------------------------------- */

bool agent_is_disk_error(int code)
{
    return code == -ENOSPC || code == -EDQUOT || code == -EROFS || code == -EIO;
}

static void set_failure(struct container *container, int code, const char *what, const char *why)
{
    scoped_free char *text = mem_printf("%s: %s", what, why ? why : strerror(-code));

    container->exit_status = agent_is_disk_error(code) ? CONTAINER_EXIT_DISKS : CONTAINER_EXIT_NOT_STARTED;
    containers_set_diagnostics(container, text);
}

bool agent_on_saved(struct agent *agent, struct agent_time now, const char *container_id, int code,
                    const char *why, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);
    bool is_first = container && (container->phase == PHASE_SAVING || container->phase == PHASE_DROPPING);

    if (container != NULL && code == 0)
        containers_event(&step, container, EVENT_SAVED);
    if (container == NULL || code == 0)
        return false;
    if (is_first)
        set_failure(container, code, "the agent cannot keep its record", why);
    containers_event(&step, container, container->ordered ? EVENT_SAVE_FAILED : EVENT_SAVE_REFUSED);
    return !is_first;
}

static void fetched(struct step *step, struct container *container)
{
    if (TAILQ_EMPTY(&container->fetches))
        containers_event(step, container, EVENT_FETCHED);
}

void agent_on_fetched(struct agent *agent, struct agent_time now, const uint8_t hash[32], int code,
                      const char *why, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct fetch_wait *wait;
    struct fetch key, *fetch;

    memcpy(key.hash, hash, HASH_SIZE);
    fetch = RB_FIND(fetch_tree, &agent->fetches, &key);
    if (fetch == NULL)
        return;
    RB_REMOVE(fetch_tree, &agent->fetches, fetch);
    while ((wait = TAILQ_FIRST(&fetch->waits)) != NULL) {
        struct container *container = wait->container;

        TAILQ_REMOVE(&fetch->waits, wait, in_fetch);
        TAILQ_REMOVE(&container->fetches, wait, in_container);
        free(wait);
        if (code == 0) {
            fetched(&step, container);
            continue;
        }
        set_failure(container, code, "a file of it could not be fetched", why);
        containers_event(&step, container, EVENT_FETCH_FAILED);
    }
    state_free_fetch(fetch);
}

void agent_on_launched(struct agent *agent, struct agent_time now, const char *container_id, int code,
                       const char *why, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);
    bool later = shortage_is(code) && shortage_retries(&step, why ? why : strerror(-code));
    bool elsewhere = !later && code != -EBADR; /* EBADR: names of files of the job, the same on each node */

    assert(agent->launching > 0);
    agent->launching--;
    if (code == 0)
        shortage_end(agent);
    if (container != NULL && code == 0) {
        containers_event(&step, container, EVENT_LAUNCHED);
    } else if (container != NULL) {
        set_failure(container, code, "could not be launched", why);
        container->retry_elsewhere = elsewhere;
        container->no_account = code == -LAUNCH_NO_ACCOUNT;
        /* EACCES: its user may not run containers here */
        container->node_fault = elsewhere && code != -EACCES && !container->no_account;
        if (later)
            shortage_postpone(&step, container);
        else
            containers_event(&step, container, EVENT_LAUNCH_FAILED);
    }
    containers_launch_waiting(&step);
}

void agent_on_running(struct agent *agent, struct agent_time now, const char *container_id,
                      int64_t started_ms, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    if (container == NULL)
        return;
    if (container->started_ms == 0)
        container->started_ms = started_ms;
    containers_event(&step, container, EVENT_RUNNING);
}

void agent_on_exited(struct agent *agent, struct agent_time now, const char *container_id,
                     const struct container_end *end, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    if (container == NULL)
        return;
    container->exit_status = end->exit_status;
    if (end->started_ms != 0)
        container->started_ms = end->started_ms;
    container->finished_ms = end->finished_ms != 0 ? end->finished_ms : now.wall_ms;
    container->command_ms = end->command_ms != 0 ? end->command_ms : container->finished_ms;
    container->totals = end->totals;
    container_totals_raise(&container->totals, &container->figures.totals); /* peaks of samples */
    container->node_fault = end->node_fault;
    container->retry_elsewhere = end->node_fault;
    containers_set_diagnostics(container, end->diagnostics);
    containers_event(&step, container, EVENT_EXITED);
}

void agent_on_stuck(struct agent *agent, struct agent_time now, const char *container_id, const char *what,
                    struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    if (container == NULL)
        return;
    free(container->stuck);
    container->stuck = *what != '\0' ? effect_clean_text(what, TEXT_SHOWN_MAX) : NULL;
    containers_report(&step, container, true);
}

void agent_on_record_lost(struct agent *agent, struct agent_time now, const char *container_id,
                          struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    if (container != NULL && (container->phase == PHASE_RUNNING || container->phase == PHASE_STOPPING))
        containers_save(&step, container);
}

void agent_on_over_limit(struct agent *agent, struct agent_time now, const char *container_id, int status,
                         const char *why, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, container_id);

    /* A container that is being stopped already keeps the reason of that stop. */
    if (container == NULL || container->phase != PHASE_RUNNING)
        return;
    effect_note(&step, container, true, "is ended: %s", why);
    containers_stop(&step, container, status, why);
}

/* --- other events --------------------------------------------------------------- */

void agent_on_message(struct agent *agent, struct agent_time now, const Creel__Envelope *envelope,
                      struct agent_effects *effects)
{
    struct step step = { agent, now, effects };

    link_message(&step, envelope);
}

void agent_on_health(struct agent *agent, struct agent_time now, bool healthy, const char *report,
                     const struct agent_use *use, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };

    free(agent->health_report);
    agent->health_report = effect_clean_text(report, TEXT_SHOWN_MAX);
    agent->use = *use;
    if (agent->unhealthy == !healthy)
        return;
    agent->unhealthy = !healthy;
    effect_note(&step, NULL, !healthy, healthy ? "healthy again" : "unhealthy: %s", agent->health_report);
    link_urgent(&step);
}

void agent_on_logs(struct agent *agent, const char *app_id, Creel__LogAggregation state)
{
    log_news_add(agent, app_id, state);
}

void agent_on_http_address(struct agent *agent, struct agent_time now, const char *address,
                           struct agent_effects *effects)
{
    struct step step = { agent, now, effects };

    free((void *)(uintptr_t)agent->config.http_address);
    agent->config.http_address = mem_strdup(address);
    link_register_again(&step);
}

void agent_log_level_is(struct agent *agent, Creel__LogLevel level)
{
    agent->log_level = level;
}

void agent_certificate_is(struct agent *agent, int64_t expires_ms)
{
    agent->certificate_expires_ms = expires_ms;
}

void agent_on_unsent(struct agent *agent, struct agent_time now)
{
    link_unsent(agent, now);
}

void agent_on_timer(struct agent *agent, struct agent_time now, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };

    limit_timer(&step);
    link_timer(&step);
}

int64_t agent_next_deadline_ms(const struct agent *agent)
{
    int64_t link_ms = link_deadline_ms(agent), limit_ms = limit_next_ms(agent);

    return link_ms < limit_ms ? link_ms : limit_ms;
}
