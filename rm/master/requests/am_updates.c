/* SPDX-License-Identifier: Apache-2.0 */
/* am_updates.c - other sizes for containers that an AM requests with Allocate, and the news about them */
#include "rm/master/requests/am_updates.h"

#include <errno.h>

#include "rm/master/orders/resize.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/message.h"
#include "rm/master/state/page.h"

/* The reason of a ContainerUpdateError; NULL: none. */
static const char *judge_version(const struct attempt *attempt, const struct container *container,
                                 const Creel__ContainerUpdate *update, struct err *err)
{
    if (container == NULL || container->attempt != attempt || container->step != attempt->step) {
        err_set(err, ENOENT, "this attempt has no such container");
        return "INVALID_CONTAINER_ID";
    }
    if (update->version != container->version) {
        err_set(err, EBUSY, "its version is %u, not %u", container->version, update->version);
        return "INCORRECT_CONTAINER_VERSION_ERROR";
    }
    return NULL;
}

static const char *judge_type(const Creel__ContainerUpdate *update, struct err *err)
{
    if (update->type == CREEL__CONTAINER_UPDATE_TYPE__UPDATE_INCREASE_RESOURCE ||
        update->type == CREEL__CONTAINER_UPDATE_TYPE__UPDATE_DECREASE_RESOURCE)
        return NULL;
    err_set(err, EOPNOTSUPP,
            "only increases and decreases are supported: there are no opportunistic containers");
    return "NOT_SUPPORTED";
}

/* Returns the reason why CONTAINER cannot be resized now; NULL: it can be. */
static const char *judge_state(const struct container *container, struct err *err)
{
    int r = rm_resize_judge(container, err);

    return r == 0 ? NULL : r == -EOPNOTSUPP ? "NODE_CANNOT_RESIZE" : "CONTAINER_NOT_RUNNING";
}

static bool is_named_before(const Creel__Allocate *body, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (text_equal(body->updates[i]->container_id, body->updates[index]->container_id))
            return true;
    return false;
}

/* Requests the new size. YARN ignores the amounts of an increase that are smaller than the present ones.
 * Differs: in YARN a decrease with a larger amount makes the container larger without a request. */
static const char *request(struct master *m, struct container *container,
                           const Creel__ContainerUpdate *update, struct err *err)
{
    bool increases = update->type == CREEL__CONTAINER_UPDATE_TYPE__UPDATE_INCREASE_RESOURCE;
    struct resource target = rm_resource_from(m, update->capability);

    if (rm_resource_judge(m, update->capability, err) < 0)
        return "RESOURCE_OUTSIDE_ALLOWED_RANGE";
    if (increases) {
        target = resource_max(target, container->resource);
    } else if (!resource_fits(&target, &container->resource)) {
        err_set(err, ERANGE, "a decrease cannot raise an amount");
        return "RESOURCE_OUTSIDE_ALLOWED_RANGE";
    }
    return rm_resize(m, container, &target, err) < 0 ? "RESOURCE_OUTSIDE_ALLOWED_RANGE" : NULL;
}

static void refuse(struct master *m, const struct container *container, const Creel__ContainerUpdate *update,
                   const char *reason, const struct err *err, Creel__AllocateReply *reply)
{
    struct arena *arena = m->out->arena;
    Creel__ContainerUpdateError *error = arena_new0(arena, Creel__ContainerUpdateError);

    creel__container_update_error__init(error);
    error->container_id = rm_message_text(arena, update->container_id);
    error->reason = rm_message_text(arena, reason);
    error->message = rm_message_text(arena, err->text);
    error->version = container ? container->version : 0;
    page_append(arena, (void ***)&reply->update_errors, &reply->n_update_errors, error);
}

static void apply(struct master *m, struct attempt *attempt, const Creel__Allocate *body, size_t index,
                  Creel__AllocateReply *reply)
{
    const Creel__ContainerUpdate *update = body->updates[index];
    struct container *container = rm_container_find(m, update->container_id);
    struct err err = { .text = "" };
    const char *reason = judge_version(attempt, container, update, &err);

    if (reason == NULL && is_named_before(body, index)) {
        err_set(&err, EBUSY, "another update of this call names it");
        reason = "UPDATE_OUTSTANDING_ERROR";
    }
    if (reason == NULL)
        reason = judge_type(update, &err);
    if (reason == NULL)
        reason = judge_state(container, &err);
    if (reason == NULL)
        reason = request(m, container, update, &err);
    if (reason)
        refuse(m, container, update, reason, &err, reply);
}

void rm_am_updates_apply(struct master *m, struct attempt *attempt, const Creel__Allocate *body,
                         Creel__AllocateReply *reply)
{
    for (size_t i = 0; i < body->n_updates; i++)
        apply(m, attempt, body, i, reply);
}

bool rm_am_updates_pull(struct master *m, struct attempt *attempt, Creel__AllocateReply *reply,
                        struct am_room *room)
{
    struct container *container;

    while ((container = TAILQ_FIRST(&attempt->resized)) != NULL && !rm_am_room_is_full(room)) {
        Creel__Container *message = rm_granted_message(m, container, true);

        TAILQ_REMOVE(&attempt->resized, container, in_am_resized);
        container->am_resized = false;
        rm_am_room_add(room, &message->base);
        page_append(m->out->arena, (void ***)&reply->updated, &reply->n_updated, message);
    }
    return reply->n_updated > 0;
}
