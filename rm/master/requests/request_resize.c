/* SPDX-License-Identifier: Apache-2.0 */
/* request_resize.c - request: another size for a running container (resize.h) */
#include <errno.h>
#include <string.h>

#include "rm/master/orders/resize.h"
#include "rm/master/queries/why.h"
#include "rm/master/requests.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/decisions.h"
#include "rm/master/services/resolve.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/message.h"

#define MIB ((uint64_t)1 << 20)

/* Sets *RET to the size that CONTAINER is to have. Memory and vcores that are 0 in ASKED stay as they are, as
 * do types that ASKED does not name. */
static int target_of(const struct master *m, const struct container *container, const Creel__Resource *asked,
                     struct resource *ret, struct err *err)
{
    int r = asked ? rm_resource_judge(m, asked, err) : 0;
    struct resource given;

    if (r < 0)
        return r;
    if (asked == NULL || (asked->memory_mb == 0 && asked->vcores == 0 && asked->n_others == 0))
        return err_set(err, EINVAL, "no amount is given");
    given = rm_resource_from(m, asked);
    *ret = container->resource;
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (given.value[t] != 0)
            ret->value[t] = given.value[t];
    for (size_t i = 0; i < asked->n_others; i++) {
        int type = resource_types_index(&m->types, asked->others[i]->name, strlen(asked->others[i]->name));

        if (type > RESOURCE_VCORES)
            ret->value[type] = given.value[type];
    }
    return 0;
}

static int resize(struct master *m, struct container *container, const Creel__ResizeContainer *body,
                  struct err *err)
{
    struct resource target;
    int r;

    if (body->cancel) { /* a repeated request finds nothing to cancel */
        rm_resize_cancel(m, container);
        return 0;
    }
    if ((r = rm_resize_judge(container, err)) < 0 ||
        (r = target_of(m, container, body->resource, &target, err)) < 0)
        return r;
    r = rm_resize(m, container, &target, err);
    if (r == -EALREADY) { /* no difference is left: an increase that waits is withdrawn */
        rm_resize_cancel(m, container);
        r = 0;
    }
    return r;
}

static void explain(struct master *m, const struct container *container, Creel__ResizeContainerReply *reply)
{
    struct arena *arena = m->out->arena;
    uint64_t bytes = (uint64_t)container->resource.value[RESOURCE_MEMORY_MB] * MIB;
    struct sched_why why;

    if (container->sched && sched_container_why(m->sched, container->sched, &why)) {
        reply->waits = rm_message_text(arena, rm_why_text(m, &why));
        reply->waits_code = rm_message_text(arena, sched_reason_name(why.reason));
    } else if (container->memory_bytes > bytes)
        reply->warning = arena_printf(arena,
                                      "it used %llu MiB when its agent measured last, more than its new "
                                      "limit of %llu MiB, and may be killed for that",
                                      (unsigned long long)(container->memory_bytes / MIB),
                                      (unsigned long long)(bytes / MIB));
}

void rm_on_resize_container(struct master *m, const struct master_peer *peer, const Creel__Envelope *in,
                            const char *user)
{
    const Creel__ResizeContainer *body = in->resize_container;
    struct container *container;
    struct resource target;
    Creel__Envelope *envelope;
    struct err err;
    bool waits;

    container = rm_resolve_container(m, body->container_id, &err);
    if (container == NULL ||
        rm_authz_check_app(m, user, AUTHZ_CONTROL_CONTAINERS, container->app, &err) < 0) {
        rm_reply_err(m, peer, in->request_id, &err);
        return;
    }
    waits = rm_resize_waits(container, &target);
    if (resize(m, container, body, &err) < 0) {
        rm_reply_error(m, peer, in->request_id, rm_error_code(-err.code), "%s: %s", container->text,
                       err.text);
        return;
    }
    rm_decisions_apply(m);
    if (container->sched)
        rm_resize_keep(m, container);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_RESIZE_CONTAINER_REPLY);
    envelope->resize_container_reply = arena_new0(m->out->arena, Creel__ResizeContainerReply);
    creel__resize_container_reply__init(envelope->resize_container_reply);
    envelope->resize_container_reply->container = rm_container_report(m, container);
    explain(m, container, envelope->resize_container_reply);
    if (body->cancel && !waits)
        envelope->resize_container_reply->warning = rm_message_text(m->out->arena, "no increase of it waits");
    rm_send_changed(m, peer, container->resize_seq, envelope,
                    arena_printf(m->out->arena, "%s is being changed", container->text));
}
