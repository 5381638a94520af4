/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - the connection to the RM: registration, heartbeats, acknowledgements
 *
 * No message is assumed to have arrived. At most one heartbeat is outstanding, and it is resent unchanged
 * until it is answered. Everything that the RM has not acknowledged is part of each new heartbeat.
 */
#include <assert.h>

#include "nm-agent/core/state.h"

#define BACKOFF_FIRST_MS 1000
#define BACKOFF_MAX_MS 10000
#define UNSENT_MS 200 /* interval of sending attempts without a connection */
#define INTERVAL_DEFAULT_MS 1000
#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 3600000
#define RESEND_MIN_MS 1000
#define SILENT_INTERVALS 5   /* heartbeat intervals without a reply before registering again */
#define LOG_REPORTS_MAX 2000 /* log states in one heartbeat */
#define STATUSES_MAX 4000    /* statuses in one heartbeat; the others are sent with the next */
#define FIELD_BYTES 8        /* maximum size of the tag and length of a list element */

static int64_t patience_ms(const struct link *link)
{
    return link->interval_ms > RESEND_MIN_MS ? link->interval_ms : RESEND_MIN_MS;
}

void link_init(struct agent *agent)
{
    struct link *link = &agent->link;

    link->state = LINK_OFF;
    link->interval_ms = INTERVAL_DEFAULT_MS;
    link->urgent_at = INT64_MAX;
    link->register_sent = INT64_MIN;
    link->leased_until = link->contact_at = INT64_MIN;
    /* The first id is random, so that a reply to an earlier agent matches no request of this one. */
    link->next_request = (rng_next(&agent->rng) >> 16) + 1;
    link->register_floor = link->next_request;
    link->heartbeat_floor = UINT64_MAX;
    history_init(agent, agent->config.history, agent->config.history_size);
}

void link_free(struct agent *agent)
{
    free(agent->link.packed);
    free(agent->link.refusal);
    release_free(agent);
    history_free(agent);
}

/* --- registration ----------------------------------------------------------- */

static void begin_register(struct step *step)
{
    struct link *link = &step->agent->link;
    int64_t now = step->now.steady_ms;

    link->state = LINK_REGISTERING;
    register_reset(step->agent);
    link->outstanding = false;
    link->heartbeat_floor = UINT64_MAX;
    link->backoff_ms = BACKOFF_FIRST_MS;
    link->register_at = now;
    /* An RM that replies to every session with RESYNC must not be flooded. */
    if (link->register_sent != INT64_MIN && link->register_sent + BACKOFF_FIRST_MS > now)
        link->register_at = link->register_sent + BACKOFF_FIRST_MS;
}

static void send_register(struct step *step)
{
    struct link *link = &step->agent->link;
    struct agent_effect *effect = effect_add(step, AGENT_SEND);
    int64_t jitter = link->backoff_ms / 5;

    effect->envelope = register_make(step, link->next_request++);
    link->register_sent = step->now.steady_ms;
    link->register_at =
        step->now.steady_ms + link->backoff_ms + rng_between(&step->agent->rng, -jitter, jitter);
    link->backoff_ms = link->backoff_ms * 2 < BACKOFF_MAX_MS ? link->backoff_ms * 2 : BACKOFF_MAX_MS;
}

void link_start(struct step *step)
{
    assert(step->agent->link.state == LINK_OFF);
    begin_register(step);
    link_timer(step);
}

void link_register_again(struct step *step)
{
    if (step->agent->link.state != LINK_REGISTERED)
        return;
    begin_register(step);
    link_timer(step);
}

/* --- refusal ----------------------------------------------------------------- */

/* Handles a refusal by the RM. IN_SERVICE: the node was registered before, and is ordered to stop. */
static void refuse(struct step *step, const char *diagnostics, bool in_service)
{
    struct agent *agent = step->agent;
    struct container *container, *next;

    free(agent->link.refusal);
    agent->link.refusal = effect_clean_text(*diagnostics ? diagnostics : "no reason given", TEXT_SHOWN_MAX);
    agent->link.state = LINK_REFUSED;
    agent->link.stop_ordered = in_service;
    agent->link.outstanding = false;
    RB_FOREACH_SAFE(container, container_tree, &agent->containers, next) {
        if (!container_phase_over(container->phase))
            containers_stop(step, container, CONTAINER_EXIT_BY_RM,
                            "the resource manager will not have this node");
    }
    link_settle(step);
}

/* --- heartbeats ---------------------------------------------------------------- */

/* Adds applications that were cleaned up (add_containers: containers with unacknowledged changes): as many as
 * the message has room for, and at least one. Each is sent with every heartbeat until the RM acknowledges it;
 * first_sent_seq is the number of the first one. */
static void add_apps(struct step *step, Creel__Heartbeat *body)
{
    struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    size_t most = agent->config.message_bytes / 8 / (ID_TEXT_MAX + FIELD_BYTES);
    struct app *app;

    body->finished_apps = arena_array0(arena, most + 1, sizeof(*body->finished_apps));
    TAILQ_FOREACH(app, &agent->cleaned, in_cleaned) {
        if (body->n_finished_apps > 0 && body->n_finished_apps >= most)
            break;
        body->finished_apps[body->n_finished_apps++] = arena_strdup(arena, app->text);
        if (app->first_sent_seq == 0)
            app->first_sent_seq = agent->link.seq;
    }
}

static void add_containers(struct step *step, Creel__Heartbeat *body)
{
    struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    size_t bytes = creel__heartbeat__get_packed_size(body), count = 0;
    struct container *container;

    TAILQ_FOREACH(container, &agent->dirty, in_dirty)
        if (++count == STATUSES_MAX)
            break;
    body->containers = arena_array0(arena, count + 1, sizeof(*body->containers));
    TAILQ_FOREACH(container, &agent->dirty, in_dirty) {
        Creel__ContainerStatus *status;

        if (body->n_containers == STATUSES_MAX)
            break;
        status = status_make(arena, container, false, TEXT_SHOWN_MAX);
        bytes += creel__container_status__get_packed_size(status) + FIELD_BYTES;
        if (body->n_containers > 0 && bytes > agent->config.message_bytes)
            break;
        body->containers[body->n_containers++] = status;
        if (container->first_sent_seq == 0)
            container->first_sent_seq = agent->link.seq;
    }
}

/* Adds states of logs: each is sent with every heartbeat until the RM acknowledges it. */
static void add_log_news(struct step *step, Creel__Heartbeat *body)
{
    struct arena *arena = step->effects->arena;
    struct log_news *news;

    body->log_reports = arena_array0(arena, LOG_REPORTS_MAX, sizeof(*body->log_reports));
    TAILQ_FOREACH(news, &step->agent->log_news, link) {
        Creel__LogReport *report;

        if (body->n_log_reports == LOG_REPORTS_MAX)
            break;
        report = arena_new0(arena, Creel__LogReport);
        creel__log_report__init(report);
        report->app_id = arena_strdup(arena, news->app_id);
        report->state = news->state;
        body->log_reports[body->n_log_reports++] = report;
        if (news->first_sent_seq == 0)
            news->first_sent_seq = step->agent->link.seq;
    }
}

void agent_crashes_are(struct agent *agent, uint32_t crashes)
{
    agent->crashes = crashes;
}

static Creel__Heartbeat *make_heartbeat(struct step *step)
{
    struct agent *agent = step->agent;
    struct arena *arena = step->effects->arena;
    Creel__Heartbeat *body = arena_new0(arena, Creel__Heartbeat);
    struct agent_clock clock = agent_clock(agent, step->now);

    creel__heartbeat__init(body);
    body->node_id = arena_strdup(arena, agent->config.node_id);
    body->session = agent->link.session;
    body->seq = ++agent->link.seq;
    body->unhealthy = agent->unhealthy;
    body->log_level = agent->log_level;
    body->certificate_expires_ms = agent->certificate_expires_ms;
    body->crashes = agent->crashes;
    body->health_report = arena_strdup(arena, agent->health_report);
    body->used_memory_bytes = agent->use.memory_bytes;
    body->node_memory_bytes = agent->use.node_memory_bytes;
    body->cpu_millicores = agent->use.cpu_millicores;
    body->node_cpu_millicores = agent->use.node_cpu_millicores;
    body->clock_measured = clock.known;
    body->clock_skew_ms = clock.known ? clock.skew_ms : 0;
    body->clock_error_ms = clock.error_ms;
    figures_fill(step, body);
    add_apps(step, body);
    add_log_news(step, body);
    add_containers(step, body);
    return body;
}

static void send_heartbeat(struct step *step)
{
    struct link *link = &step->agent->link;
    struct agent_effect *effect = effect_add(step, AGENT_SEND);
    Creel__Envelope *envelope = effect_envelope(step->effects->arena, link->next_request++);

    envelope->body_case = CREEL__ENVELOPE__BODY_HEARTBEAT;
    envelope->heartbeat = make_heartbeat(step);
    effect->envelope = envelope;
    free(link->packed);
    link->packed_size = creel__envelope__get_packed_size(envelope);
    link->packed = mem_alloc(link->packed_size + 1);
    creel__envelope__pack(envelope, link->packed);
    link->outstanding = true;
    link->outstanding_request = envelope->request_id;
    link->sent_at = step->now.steady_ms;
    link->resend_at = step->now.steady_ms + patience_ms(link);
    link->urgent_at = INT64_MAX;
}

static void resend_heartbeat(struct step *step)
{
    struct link *link = &step->agent->link;
    struct agent_effect *effect = effect_add(step, AGENT_SEND);

    effect->envelope = (Creel__Envelope *)effect_unpack(step->effects->arena, &creel__envelope__descriptor,
                                                        link->packed, link->packed_size);
    assert(effect->envelope != NULL);
    link->resend_at = step->now.steady_ms + patience_ms(link);
}

void link_unsent(struct agent *agent, struct agent_time now)
{
    struct link *link = &agent->link;
    int64_t again = now.steady_ms + UNSENT_MS;

    /* The message was not sent: send it again without back-off. */
    if (link->state == LINK_REGISTERING && link->register_sent != INT64_MIN) {
        link->register_sent = INT64_MIN;
        link->register_at = again;
        link->backoff_ms = BACKOFF_FIRST_MS;
    } else if (link->state == LINK_REGISTERED && link->outstanding) {
        link->resend_at = again;
    }
}

static int64_t next_heartbeat_at(const struct link *link)
{
    int64_t at = link->sent_at + link->interval_ms;

    return link->urgent_at < at ? link->urgent_at : at;
}

int64_t link_deadline_ms(const struct agent *agent)
{
    const struct link *link = &agent->link;

    switch (link->state) {
    case LINK_OFF:
    case LINK_REFUSED:
        return INT64_MAX;
    case LINK_REGISTERING:
        return link->register_at;
    case LINK_REGISTERED:
        return link->outstanding ? link->resend_at : next_heartbeat_at(link);
    }
    abort();
}

void link_timer(struct step *step)
{
    struct link *link = &step->agent->link;
    int64_t now = step->now.steady_ms;

    if (now < link_deadline_ms(step->agent))
        return;
    if (link->state == LINK_REGISTERED && link->outstanding &&
        now - link->answered_at >= SILENT_INTERVALS * patience_ms(link)) {
        effect_note(step, NULL, true, "the resource manager is silent; registering again");
        begin_register(step);
    }
    if (link->state == LINK_REGISTERING && now >= link->register_at)
        send_register(step);
    else if (link->state == LINK_REGISTERED && link->outstanding)
        resend_heartbeat(step);
    else if (link->state == LINK_REGISTERED)
        send_heartbeat(step);
}

/* --- messages of the RM ---------------------------------------------------------- */

static void learn_keys(struct step *step, Creel__TokenKey *const *keys, size_t count)
{
    struct arena *arena = step->effects->arena;
    struct agent_effect *effect;
    Creel__TokenKey **copies;

    if (count == 0)
        return;
    copies = arena_array0(arena, count, sizeof(*copies));
    for (size_t i = 0; i < count; i++)
        copies[i] = (Creel__TokenKey *)effect_copy(arena, &keys[i]->base);
    effect = effect_add(step, AGENT_LEARN_KEYS);
    effect->keys = copies;
    effect->key_count = count;
}

static void set_log_level(struct step *step, Creel__LogLevel level)
{
    if (level == CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN || level == step->agent->log_level)
        return;
    step->agent->log_level = level;
    effect_add(step, AGENT_LOG_LEVEL)->log_level = level;
}

static void set_interval(struct link *link, uint32_t interval_ms)
{
    if (interval_ms == 0)
        return;
    link->interval_ms = interval_ms < INTERVAL_MIN_MS   ? INTERVAL_MIN_MS
                        : interval_ms > INTERVAL_MAX_MS ? INTERVAL_MAX_MS
                                                        : interval_ms;
}

/* Returns the time at which the registration REQUEST_ID was sent, or an earlier time if it is unknown. */
static int64_t registration_sent_at(const struct step *step, uint64_t request_id)
{
    const struct link *link = &step->agent->link;

    if (link->register_sent != INT64_MIN && request_id + 1 == link->next_request)
        return link->register_sent;
    return step->now.steady_ms - 2 * BACKOFF_MAX_MS;
}

static void begin_session(struct step *step, uint64_t request_id, const Creel__RegisterNodeReply *reply)
{
    struct agent *agent = step->agent;
    struct link *link = &agent->link;
    char text[RESOURCE_TEXT_MAX];
    struct container *container;
    struct app *app;

    link->state = LINK_REGISTERED;
    link->session = reply->session;
    /* Sessions begin again after an operator has accepted the loss of the resource manager's state. */
    if (link->first_session == 0 || reply->session < link->first_session)
        link->first_session = reply->session;
    link->register_floor = request_id + 1;
    link->heartbeat_floor = link->next_request;
    link->seq = 0;
    link->outstanding = false;
    link->answered_at = step->now.steady_ms;
    link->urgent_at = step->now.steady_ms;
    link->leased_until = INT64_MIN;
    link->lease_ms =
        reply->expiry_ms > 0 && reply->expiry_ms < INT64_MAX ? (int64_t)reply->expiry_ms : INT64_MAX;
    set_interval(link, reply->heartbeat_interval_ms);
    if (clock_update(step, registration_sent_at(step, request_id), reply->now_ms))
        limit_arm_all(step);
    history_update(step, reply->history);
    learn_keys(step, reply->token_keys, reply->n_token_keys);
    /* The containers listed in the registration may have changed since: send all statuses again. */
    TAILQ_FOREACH(container, &agent->dirty, in_dirty)
        container->first_sent_seq = 0;
    RB_FOREACH(container, container_tree, &agent->containers) {
        if (register_lists(container) && !container->dirty)
            containers_report(step, container, false);
    }
    TAILQ_FOREACH(app, &agent->cleaned, in_cleaned)
        app->first_sent_seq = 0;
    log_news_again(agent);
    figures_again(agent);
    effect_note(step, NULL, false, "registered, offering %s, heartbeat every %lld ms, %s",
                resource_format(&agent->config.total, text), (long long)link->interval_ms,
                release_text(step));
}

static void on_register_reply(struct step *step, uint64_t request_id, const Creel__RegisterNodeReply *reply)
{
    struct link *link = &step->agent->link;

    if (request_id < link->register_floor || request_id >= link->next_request)
        return;
    /* Two registrations were answered with the same session: if the session began again, its heartbeats would
     * be numbered from 1, and the RM would ignore them as old. */
    if (reply->action == CREEL__NODE_ACTION__NODE_NORMAL && reply->session == link->session)
        return;
    if (!release_fits(step, reply)) {
        register_reset(step->agent);
        return;
    }
    if (!history_follows(step, reply)) { /* the registration is repeated with back-off; the RM has had contact
                                            with this node */
        link->contact_at = registration_sent_at(step, request_id);
        register_reset(step->agent);
        return;
    }
    switch (reply->action) {
    case CREEL__NODE_ACTION__NODE_SHUTDOWN:
        refuse(step, reply->diagnostics, false);
        return;
    case CREEL__NODE_ACTION__NODE_RESYNC:
        register_reset(step->agent);
        return; /* the registration is repeated with back-off */
    default:
        begin_session(step, request_id, reply);
    }
}

/* Handles the reply to the newest part of the list of containers; other replies are ignored. If REPLY
 * confirms more containers than the last one, the next part is sent at once, else after the back-off. */
static void on_register_containers_reply(struct step *step, uint64_t request_id,
                                         const Creel__RegisterContainersReply *reply)
{
    struct link *link = &step->agent->link;

    if (link->state != LINK_REGISTERING || request_id + 1 != link->next_request ||
        request_id < link->register_floor || !register_handle_reply(step->agent, reply))
        return;
    link->backoff_ms = BACKOFF_FIRST_MS;
    link->register_at = step->now.steady_ms;
}

static void handle_acknowledged(struct step *step, uint64_t acked_seq)
{
    struct agent *agent = step->agent;
    struct dirty_list ended = TAILQ_HEAD_INITIALIZER(ended);
    struct container *container, *next;
    struct app *app, *next_app;

    log_news_acknowledged(agent, acked_seq);
    TAILQ_FOREACH_SAFE(app, &agent->cleaned, in_cleaned, next_app) {
        if (app->first_sent_seq != 0 && app->first_sent_seq <= acked_seq)
            state_remove_app(agent, app);
    }
    TAILQ_FOREACH_SAFE(container, &agent->dirty, in_dirty, next) {
        if (container->first_sent_seq == 0 || container->first_sent_seq > acked_seq)
            continue;
        TAILQ_REMOVE(&agent->dirty, container, in_dirty);
        container->dirty = false;
        if (container->phase == PHASE_ENDED)
            TAILQ_INSERT_TAIL(&ended, container, in_dirty);
        else if (container->phase == PHASE_ACKED)
            containers_event(step, container, EVENT_ACKED);
        else if (container->phase == PHASE_RUNNING)
            state_fold(container);
    }
    /* The acknowledgement of an ended application's last container deletes its other containers: these are
     * tombstones, so none of them is in this list. */
    while ((container = TAILQ_FIRST(&ended)) != NULL) {
        TAILQ_REMOVE(&ended, container, in_dirty);
        containers_event(step, container, EVENT_ACKED);
    }
}

static void on_heartbeat_reply(struct step *step, uint64_t request_id, const Creel__HeartbeatReply *reply)
{
    struct link *link = &step->agent->link;
    bool answered;

    if (link->state != LINK_REGISTERED || request_id < link->heartbeat_floor ||
        request_id >= link->next_request)
        return;
    if (reply->action == CREEL__NODE_ACTION__NODE_SHUTDOWN) {
        refuse(step, reply->diagnostics, true);
        return;
    }
    if (reply->action == CREEL__NODE_ACTION__NODE_RESYNC) {
        effect_note(step, NULL, false, "asked to register again");
        begin_register(step);
        return;
    }
    link->answered_at = step->now.steady_ms;
    history_update(step, reply->history);
    answered = link->outstanding && request_id == link->outstanding_request;
    if (answered) {
        link->outstanding = false;
        set_log_level(step, reply->log_level); /* a late reply may have an earlier level */
        if (clock_update(step, link->sent_at, reply->now_ms))
            limit_arm_all(step);
    }
    set_interval(link, reply->heartbeat_interval_ms);
    learn_keys(step, reply->token_keys, reply->n_token_keys);
    handle_acknowledged(step, reply->acked_seq);
    orders_apply(step, reply->orders);
    /* Launch only after all orders: resources freed by one stop order must not be used for a container that
     * the next order stops. */
    if (answered && link->state == LINK_REGISTERED)
        link_renew_lease(link);
    containers_launch_waiting(step);
}

static void on_error(struct step *step, uint64_t request_id, const Creel__Error *error)
{
    struct link *link = &step->agent->link;

    if (request_id >= link->next_request)
        return;
    if (link->state == LINK_REGISTERED && request_id >= link->heartbeat_floor &&
        error->code == CREEL__ERROR_CODE__ERROR_RESYNC)
        begin_register(step);
    else if (link->state == LINK_REGISTERING && request_id >= link->register_floor)
        effect_note(step, NULL, true, "the resource manager refused the registration: %s", error->message);
    else if (link->state == LINK_REGISTERED && request_id >= link->heartbeat_floor)
        effect_note(step, NULL, true, "the resource manager refused a heartbeat: %s", error->message);
}

void link_message(struct step *step, const Creel__Envelope *envelope)
{
    enum link_state state = step->agent->link.state;

    if (state == LINK_OFF || state == LINK_REFUSED)
        return;
    switch (envelope->body_case) {
    case CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY:
        on_register_reply(step, envelope->request_id, envelope->register_node_reply);
        break;
    case CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY:
        on_register_containers_reply(step, envelope->request_id, envelope->register_containers_reply);
        break;
    case CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY:
        on_heartbeat_reply(step, envelope->request_id, envelope->heartbeat_reply);
        break;
    case CREEL__ENVELOPE__BODY_NODE_ORDERS:
        if (state == LINK_REGISTERED)
            orders_apply(step, envelope->node_orders);
        break;
    case CREEL__ENVELOPE__BODY_ERROR:
        on_error(step, envelope->request_id, envelope->error);
        break;
    default:
        break;
    }
    link_timer(step);
}
