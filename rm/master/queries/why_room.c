/* SPDX-License-Identifier: Apache-2.0 */
/* why_room.c - explains which containers are preempted for an application that waits */
#include "common/base/text_builder.h"
#include "rm/master/orders/making_room.h"
#include "rm/master/parts/format.h"
#include "rm/master/queries/why.h"
#include "rm/master/state/copy.h"

/* Returns the queues that have the containers of ROOM: "2 of a, 1 of b". */
static const char *queues_text(struct master *m, const struct room *room)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    uint32_t others = room->containers;

    for (size_t i = 0; i < room->of_count && i < FORMAT_NAMES; i++) {
        text_builder_printf(&text, "%s%u of %s", i > 0 ? ", " : "", room->of[i].containers,
                            format_queue(room->of[i].queue));
        others -= room->of[i].containers;
    }
    if (others > 0)
        text_builder_printf(&text, ", %u of others", others);
    return text_builder_finish(&text);
}

/* Returns when the containers end, to follow the queues; "": that is not known. */
static const char *end_text(struct master *m, const struct room *room)
{
    struct arena *arena = m->out->arena;
    int64_t left_ms = room->first_end_ms - m->now_ms;
    const char *left = format_duration(arena, left_ms > 0 ? (left_ms + 999) / 1000 * 1000 : 0);

    if (room->overdue == room->containers)
        return "; they end when a request can use their room";
    if (left_ms <= 0)
        return "; the first is to end now";
    return arena_printf(arena, "; the first ends in at most %s", left);
}

Creel__WhyItem *rm_why_room(struct master *m, const struct app *app)
{
    struct arena *arena = m->out->arena;
    struct sched_why_item none = { .queue = app->queue };
    Creel__WhyItem *item;
    struct room room;

    rm_room_of(m, app, &room);
    if (room.containers == 0)
        return NULL;
    item = rm_why_item(m, &none,
                       arena_printf(arena, "%u container%s being stopped to make room for %s: %s%s",
                                    room.containers, room.containers == 1 ? " is" : "s are",
                                    format_queue(app->queue), queues_text(m, &room), end_text(m, &room)));
    item->reason_code = rm_message_text(arena, RM_WHY_ROOM);
    item->room = arena_new0(arena, Creel__RoomBeingMade);
    creel__room_being_made__init(item->room);
    item->room->containers = room.containers;
    item->room->first_end_ms = room.first_end_ms;
    item->room->of = arena_array0(arena, room.of_count, sizeof(*item->room->of));
    for (size_t i = 0; i < room.of_count; i++) {
        Creel__RoomOfQueue *of = item->room->of[item->room->n_of++] = arena_new0(arena, Creel__RoomOfQueue);

        creel__room_of_queue__init(of);
        of->queue = rm_message_text(arena, room.of[i].queue);
        of->containers = room.of[i].containers;
    }
    return item;
}
