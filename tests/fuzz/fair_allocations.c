/* SPDX-License-Identifier: Apache-2.0 */
/* fair_allocations.c - fuzz target: arbitrary bytes as fair-scheduler.xml; accepted queues form a
 * consistent tree */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rm/sched/fair/allocations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void ignore_warning(void *context, enum conf_effect effect, const char *text)
{
    (void)context;
    require(effect < CONF_EFFECT_COUNT);
    require(*text != '\0');
}

static void check_queue(const struct fair_allocations *allocations, const struct fair_settings *settings)
{
    const struct resource total = resource_of(100000, 100);
    const struct resource maximum = fair_settings_maximum(settings, &total);
    const struct resource minimum = fair_settings_minimum(settings);
    struct fair_settings *made;

    require(fair_allocations_find(allocations, settings->path) == settings);
    require(*settings->path != '\0' && settings->path[strlen(settings->path) - 1] != '.');
    require(resource_fits(&minimum, &maximum));
    require(!resource_any_negative(&minimum) && !resource_any_negative(&maximum));
    require(settings->weight >= 0 && settings->max_running_apps >= 0);
    require(settings->max_am_share <= 1 && settings->max_am_share >= -1);
    require(settings->fair_share_threshold >= 0 && settings->fair_share_threshold <= 1);
    require(settings->min_share_timeout_ms >= 0 && settings->fair_share_timeout_ms >= 0);
    require(settings->acl_submit && settings->acl_administer);
    require(settings->parent == NULL || !settings->parent->leaf);
    made = fair_settings_new(allocations, settings, "root.made", true);
    require(made->acl_submit && made->min_share_timeout_ms == settings->min_share_timeout_ms);
    fair_settings_free(made);
}

static void place(struct fair_allocations *allocations, const char *queue)
{
    static const char *const groups[] = { "staff", "a.b", "dev" };
    const struct fair_queue_view view = {
        .context = allocations,
        .configured = fair_allocations_configured,
        .existing = fair_allocations_configured,
    };
    const struct placement_request request = { { "al.ice", groups, 3 }, queue, NULL };
    struct placement_result result = { .queue = NULL };
    struct err err = { .code = 0 };

    if (fair_placement_decide(allocations->placement, &view, &request, NULL, NULL, &result, &err) < 0) {
        require(result.queue == NULL && err.text[0] != '\0');
        return;
    }
    require(strncmp(result.queue, "root.", 5) == 0 && result.rule > 0);
    require(fair_allocations_configured(allocations, result.queue) ==
            (result.create ? FAIR_QUEUE_NONE : FAIR_QUEUE_LEAF));
    placement_result_clear(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fair_options options = {
        .types = resource_types_basic(),
        .user_as_default_queue = size % 2,
        .allow_undeclared_pools = true,
    };
    struct fair_allocations *allocations = NULL;
    const struct fair_settings *settings;
    struct err err = { .code = 0 };
    int r = fair_allocations_load("fair-scheduler.xml", (const char *)data, size, &options, ignore_warning,
                                  NULL, &allocations, &err);

    if (r != 0) {
        require(allocations == NULL && err.code == -r && err.text[0] != '\0');
        return 0;
    }
    STAILQ_FOREACH(settings, &allocations->queues, link)
        check_queue(allocations, settings);
    place(allocations, NULL);
    place(allocations, "dev");
    place(allocations, "root.dev.x");
    fair_allocations_free(allocations);
    return 0;
}
