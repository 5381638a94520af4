/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effect.c - keys of YARN that are taken and change nothing here, and why
 *
 * A value that says what is so anyway is passed over in silence.
 */
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "rm/sched/capacity/config/private.h"

struct no_effect {
    const char *key;                    /* with a dot at its end: all that begin so */
    const char *as_here;                /* the value that is so here; "*": any; NULL: none */
    const char *reason;
};

static const char no_reservations[] = "there are no reservations for times to come";
static const char one_node[] = "a node is looked at by itself, the emptiest first";
static const char of_queues[] = "it is a key of queues: <queue>.";

static const struct no_effect of_all[] = {
    { "schedule-asynchronously.enable", "*", NULL },    /* room is offered when it is there */
    { "schedule-asynchronously.", NULL, "room is offered when it is there, by one thread" },
    { "application.fail-fast", "false", "an application whose queue is gone ends, not the RM" },
    { "user-metrics.enable", "false", "creel queue users has the figures of users" },
    { "multi-node-placement-enabled", "false", one_node },
    { "multi-node-sorting.", NULL, one_node },
    { "skip-allocate-on-nodes-with-reserved-containers", "true",
      "a reserved node is offered to nobody else" },
    { "ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation", "false",
      "a reservation stays on its node until it is served or given up" },
    { "queue-management-policy.", NULL, "managed parents know one policy" },
    { "queue.auto.refresh.", NULL, "creel admin refresh queues reads the file again" },
    { "disable_preemption", "false", of_queues },
    { "default-application-priority", "0", of_queues },
    { "app.", NULL, "nothing is known of it" },
    { "autoqueue.", NULL, "auto-queue-creation-v2 is what makes queues" },
    { "auto-create-child-queue.", NULL, of_queues },
    { "node-labels.", NULL, "creel.node-labels declares labels" },
};

static const struct no_effect of_queue[] = {
    { "acl_administer_jobs", "*", NULL },       /* the name of Hadoop 0.21 */
    { "acl_list_reservations", "*", NULL },
    { "acl_administer_reservations", "*", NULL },
    { "acl_submit_reservations", "*", NULL },
    { "reservable", "false", no_reservations },
    { "show-reservations-as-queues", "false", no_reservations },
    { "average-capacity", NULL, no_reservations },
    { "instantaneous-max-capacity", NULL, no_reservations },
    { "reservation-", NULL, no_reservations },
    { "multi-node-sorting.policy", NULL, one_node },
    { "legacy-auto-queue-creation.max-queues", NULL,
      "auto-create-child-queue.max-queues is what counts" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct no_effect *find(const struct no_effect *rows, size_t count, const char *suffix)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].key);
        bool family = strchr(".-", rows[i].key[length - 1]) != NULL;

        if (family ? strncmp(suffix, rows[i].key, length) == 0 : text_equal(suffix, rows[i].key))
            return &rows[i];
    }
    return NULL;
}

void capacity_warn_of_effect(struct capacity_reading *reading, const struct capacity_queue *queue,
                             const char *suffix, const char *value)
{
    const struct no_effect *row = queue ? find(of_queue, COUNT(of_queue), suffix)
                                        : find(of_all, COUNT(of_all), suffix);

    if (row == NULL || row->reason == NULL ||
        (row->as_here && strcasecmp(value, row->as_here) == 0))
        return;
    capacity_warning_at(reading, queue, suffix, "has no effect here: %s", row->reason);
}
