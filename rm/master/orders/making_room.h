/* SPDX-License-Identifier: Apache-2.0 */
/*
 * making_room.h - containers that the scheduler preempts, by the queue that gets their room
 *
 * A container is on the list of its queue from its notice, or from the order to stop it, to its end, or until
 * the scheduler needs its room no more. The list is for `creel why` of applications that wait in the queue.
 * It is empty after a start of the resource manager, when the scheduler decides again.
 */
#ifndef CREEL_RM_MASTER_MAKING_ROOM_H
#define CREEL_RM_MASTER_MAKING_ROOM_H

#include "rm/master/state.h"

#define ROOM_QUEUES_MAX 16

/* The containers that are preempted for one queue. */
struct room {
    uint32_t containers;
    uint32_t overdue;     /* those of them that may be stopped at any time (lazy preemption) */
    int64_t first_end_ms; /* latest end of the first of the others; 0: there are no others */
    struct {
        const char *queue; /* borrowed: path of the queue that has the containers */
        uint32_t containers;
    } of[ROOM_QUEUES_MAX]; /* the first queues */
    size_t of_count;
};

/* Adds CONTAINER to the list of container->gainer, or moves it there. */
void rm_room_expect(struct master *m, struct container *container);
/* Removes CONTAINER, which has ended or is not preempted any more, from its list, if it is on one. */
void rm_room_forget(struct master *m, struct container *container);
/* Counts the containers that are preempted for the queue of APP, without those of APP, and without those that
 * cannot end. Cost: O(containers on the list). */
void rm_room_of(const struct master *m, const struct app *app, struct room *ret);

#endif
