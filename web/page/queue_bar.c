/* SPDX-License-Identifier: Apache-2.0 */
/* queue_bar.c - a queue as fractions of the cluster */
#include "web/page/queue_bar.h"

#include "web/page/bar.h"
#include "web/page/page_text.h"
#include "yarn/resource.h"

/* Returns PART as a fraction of the cluster: that of memory or that of vcores, whichever is larger. */
static double fraction_of(const struct page *page, const Creel__Resource *part)
{
    const Creel__Resource *total = web_model_cluster(page->model)->total;
    double memory =
        yarn_memory_mb(total) > 0 ? (double)yarn_memory_mb(part) / (double)yarn_memory_mb(total) : 0;
    double vcores = yarn_vcores(total) > 0 ? (double)yarn_vcores(part) / (double)yarn_vcores(total) : 0;

    return memory > vcores ? memory : vcores;
}

static const char *label_of(struct page *page, const Creel__QueueReport *queue)
{
    struct arena *arena = page->arena;
    const char *share =
        *queue->policy != '\0'
            ? arena_printf(arena, "fair share %s", page_text_resource(arena, queue->fair_share))
            : arena_printf(arena, "guaranteed %s",
                           page_text_percent(arena, (double)queue->absolute_capacity));
    const char *maximum = queue->absolute_max_capacity >= 1
                              ? "no maximum"
                              : arena_printf(arena, "maximum %s",
                                             page_text_percent(arena, (double)queue->absolute_max_capacity));

    return arena_printf(arena, "%s: uses %s of the cluster (%s), %s, %s; pending %s", queue->path,
                        page_text_percent(arena, (double)queue->absolute_used),
                        page_text_resource(arena, queue->used), share, maximum,
                        page_text_resource(arena, queue->pending));
}

void queue_bar(struct page *page, const Creel__QueueReport *queue)
{
    bool fair = *queue->policy != '\0';
    double used = (double)queue->absolute_used, asked = fraction_of(page, queue->pending);
    double share = fair ? fraction_of(page, queue->fair_share) : (double)queue->absolute_capacity;
    double own = used < share ? used : share;
    const struct bar_part parts[] = {
        { 0, own, "used" },
        { own, used, "borrowed" },
        { used, used + asked, "asked" },
    };
    struct bar_mark marks[3];
    size_t count = 0;

    marks[count++] = (struct bar_mark){ share, fair ? "instant" : "guarantee" };
    if (fair)
        marks[count++] = (struct bar_mark){ fraction_of(page, queue->steady_fair_share), "guarantee" };
    if (queue->absolute_max_capacity < 1)
        marks[count++] = (struct bar_mark){ (double)queue->absolute_max_capacity, "maximum" };
    bar_draw(page, "queuebar", label_of(page, queue), parts, 3, marks, count);
}
