/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize.c - carries out orders of the RM that change the size of a container
 *
 * The grant in the record of the container has the size and version that the agent applies, and reports. A
 * larger size counts from the order on, a smaller one from the time at which the kernel applies it: so the
 * containers of the node never use more than its total. An order that cannot be carried out now is ignored,
 * since the RM repeats it with each heartbeat.
 *
 * A container that uses more memory than its new size is ended. With cgroup v2 the kernel does that; with
 * cgroup v1 it refuses the new limit with EBUSY, and the agent ends the container.
 */
#include <errno.h>

#include "common/base/job/exit_status.h"
#include "nm-agent/core/state.h"

/* Returns SUM if CONTAINER had the size RESOURCE. */
static struct resource with_size(const struct resource *sum, const struct container *container,
                                 const struct resource *resource)
{
    struct resource rest = resource_subtract(*sum, container->resource);

    return resource_add(rest, *resource);
}

/* Returns true if the node has room for CONTAINER with the size RESOURCE. */
static bool has_room(const struct agent *agent, const struct container *container,
                     const struct resource *resource)
{
    struct resource promised = with_size(&agent->promised, container, resource);
    struct resource used = with_size(&agent->used, container, resource);

    if (state_fits(resource, &container->resource))
        return true;
    if (!state_fits(&promised, &agent->total))
        return false;
    return !container_phase_may_run(container->phase) || state_fits(&used, &agent->total);
}

/* Writes the size and version of ORDER into the grant of CONTAINER, which the agent reports from now on. */
static void record(struct step *step, struct container *container, const Creel__Resource *resource,
                   uint32_t version)
{
    Creel__ContainerGrant *grant = state_stored_start(container)->grant;
    size_t size = creel__resource__get_packed_size(resource);
    uint8_t *bytes = arena_alloc0(step->effects->arena, size + 1);
    Creel__Resource *copy;

    creel__resource__pack(resource, bytes);
    copy = creel__resource__unpack(NULL, size, bytes); /* like the grant itself, which is unpacked */
    if (copy == NULL)
        abort();
    if (grant->resource != NULL)
        creel__resource__free_unpacked(grant->resource, NULL);
    grant->resource = copy;
    grant->version = version;
}

static void send_to_runtime(struct step *step, const struct container *container,
                            const Creel__ResizeOrder *order)
{
    struct agent_effect *effect = effect_container(step, AGENT_RESIZE, container);

    effect->resize = (const Creel__ResizeOrder *)effect_copy(step->effects->arena, &order->base);
    effect->resource = resource_from_message(order->resource);
}

void resize_order(struct step *step, const Creel__ResizeOrder *order)
{
    struct container *container = state_find(step->agent, order->container_id);
    struct resource resource = resource_from_message(order->resource);

    if (container == NULL || !container_phase_promised(container->phase) || container->phase < PHASE_FETCHING)
        return;
    if (state_stored_start(container)->grant->version == order->version) {
        containers_report(step, container, false); /* the RM missed the report */
        return;
    }
    if (!has_room(step->agent, container, &resource))
        return;
    if (container->phase < PHASE_LAUNCHING) { /* not started yet: it will be launched with that size */
        state_set_resource(step->agent, container, &resource);
        record(step, container, order->resource, order->version);
        containers_report(step, container, true);
        containers_launch_waiting(step);
        return;
    }
    if (!state_fits(&resource, &container->resource))
        state_set_resource(step->agent, container, &resource);
    send_to_runtime(step, container, order);
}

/* Ends a container whose memory the kernel could not take back. */
static void end_over_memory(struct step *step, struct container *container, const struct resource *size)
{
    const char *why = arena_printf(step->effects->arena, "used more memory than its new size, %lld MiB",
                                   (long long)size->value[RESOURCE_MEMORY_MB]);

    effect_note(step, container, true, "is ended: %s", why);
    containers_stop(step, container, CONTAINER_EXIT_PHYSICAL, why);
}

void agent_on_resized(struct agent *agent, struct agent_time now, const Creel__ResizeOrder *order, int code,
                      const char *why, struct agent_effects *effects)
{
    struct step step = { agent, now, effects };
    struct container *container = state_find(agent, order->container_id);
    struct resource resource = resource_from_message(order->resource), was;
    char text[RESOURCE_TEXT_MAX];

    if (container == NULL || container_phase_over(container->phase))
        return;
    was = resource_from_message(state_stored_start(container)->grant->resource);
    if (code < 0) {
        state_set_resource(agent, container, &was);
        if (code == -EBUSY && container->phase == PHASE_RUNNING) {
            end_over_memory(&step, container, &resource);
            return;
        }
        if (container->resize_failed != order->version)
            effect_note(&step, container, true,
                        "cannot be resized to %s: %s; tried again with each heartbeat",
                        resource_format(&resource, text), why ? why : "unknown");
        container->resize_failed = order->version;
        return;
    }
    state_set_resource(agent, container, &resource);
    record(&step, container, order->resource, order->version);
    effect_note(&step, container, false, "is resized to %s", resource_format(&resource, text));
    /* For others the RM repeats the order after a restart of the agent. */
    if (container->phase == PHASE_RUNNING)
        containers_save(&step, container);
    containers_report(&step, container, true);
    containers_launch_waiting(&step);
}
