/* SPDX-License-Identifier: Apache-2.0 */
/*
 * making_room.h - containers that the scheduler preempts, by the queue that gets their room
 *
 * A container is on the list from its notice, or from the order to stop it, to its end, or until the
 * scheduler spares it. The list is for `creel why` of applications that wait. Each round of the capacity
 * scheduler deals the room that is made to the queues anew: it says for which queue a container with a notice
 * is preempted. For a container that is being stopped, the queue of the last decision holds.
 *
 * The list is not stored. After a start of the resource manager it is empty: notices of before are revoked
 * when their nodes report them, and the first round decides anew.
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

/* Adds CONTAINER, which the scheduler preempts, to the list. */
void rm_room_expect(struct master *m, struct container *container);
/* Removes CONTAINER, which has ended or is not preempted any more, from the list, if it is there. */
void rm_room_forget(struct master *m, struct container *container);
/* Counts the containers that are preempted for the queue of APP, without those of APP, and without those that
 * cannot end. Cost: O(containers that are preempted). */
void rm_room_of(const struct master *m, const struct app *app, struct room *ret);

#endif
