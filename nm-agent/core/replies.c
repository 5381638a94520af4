/* SPDX-License-Identifier: Apache-2.0 */
/* replies.c - sends replies to AMs when the records of accepted containers are on disk */
#include <assert.h>

#include "nm-agent/core/state.h"

struct reply *replies_new(struct step *step, uint64_t connection, uint64_t request_id, size_t count)
{
    struct reply *reply = mem_new0(struct reply);

    reply->connection = connection;
    reply->request_id = request_id;
    reply->count = count;
    reply->results = mem_array0(count + 1, sizeof(*reply->results));
    TAILQ_INSERT_TAIL(&step->agent->replies, reply, next);
    return reply;
}

void replies_wait(struct container *container, struct reply *reply, size_t index)
{
    struct reply_wait *wait = mem_new0(struct reply_wait);

    wait->reply = reply;
    wait->index = index;
    reply->results[index].pending = true;
    reply->pending++;
    TAILQ_INSERT_TAIL(&container->replies, wait, next);
}

void replies_accept(struct reply *reply, size_t index, const char *container_id)
{
    reply->results[index].container_id = mem_strdup(container_id);
}

void replies_refuse(struct reply *reply, size_t index, const char *container_id, Creel__ErrorCode code,
                    const char *text)
{
    struct reply_result *result = &reply->results[index];

    result->container_id = mem_strdup(container_id);
    result->failed = true;
    result->code = code;
    result->text = effect_clean_text(text, TEXT_SHOWN_MAX);
}

static void free_reply(struct agent *agent, struct reply *reply)
{
    TAILQ_REMOVE(&agent->replies, reply, next);
    for (size_t i = 0; i < reply->count; i++) {
        free(reply->results[i].container_id);
        free(reply->results[i].text);
    }
    free(reply->results);
    free(reply);
}

static Creel__StartResult *make_result(struct arena *arena, const struct reply_result *from)
{
    Creel__StartResult *result = arena_new0(arena, Creel__StartResult);

    creel__start_result__init(result);
    result->container_id = arena_strdup(arena, from->container_id);
    if (!from->failed)
        return result;
    result->error = arena_new0(arena, Creel__Error);
    creel__error__init(result->error);
    result->error->code = from->code;
    result->error->message = arena_strdup(arena, from->text);
    return result;
}

void replies_finish(struct step *step, struct reply *reply)
{
    struct arena *arena = step->effects->arena;
    Creel__StartContainersReply *body;
    struct agent_effect *effect;

    if (reply->pending > 0)
        return;
    body = arena_new0(arena, Creel__StartContainersReply);
    creel__start_containers_reply__init(body);
    body->n_results = reply->count;
    body->results = arena_array0(arena, reply->count + 1, sizeof(*body->results));
    for (size_t i = 0; i < reply->count; i++)
        body->results[i] = make_result(arena, &reply->results[i]);
    effect = effect_add(step, AGENT_REPLY);
    effect->connection = reply->connection;
    effect->envelope = effect_envelope(arena, reply->request_id);
    effect->envelope->body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY;
    effect->envelope->start_containers_reply = body;
    free_reply(step->agent, reply);
}

void replies_settle(struct step *step, struct container *container, Creel__ErrorCode code, const char *text)
{
    struct reply_wait *wait;

    while ((wait = TAILQ_FIRST(&container->replies)) != NULL) {
        struct reply *reply = wait->reply;

        assert(reply->results[wait->index].pending);
        reply->results[wait->index].pending = false;
        reply->pending--;
        if (text == NULL)
            replies_accept(reply, wait->index, container->text);
        else
            replies_refuse(reply, wait->index, container->text, code, text);
        TAILQ_REMOVE(&container->replies, wait, next);
        free(wait);
        replies_finish(step, reply);
    }
}

void replies_free(struct agent *agent)
{
    struct reply *reply;

    while ((reply = TAILQ_FIRST(&agent->replies)) != NULL)
        free_reply(agent, reply);
}
