/* SPDX-License-Identifier: Apache-2.0 */
/* page_replies.h - replies of the fake resource manager of page_world.h: containers, users of queues,
 * configuration, history, events */
#ifndef CREEL_TESTS_PAGE_REPLIES_H
#define CREEL_TESTS_PAGE_REPLIES_H

#include "tests/unit/page/page_world.h"

/* Set the body of ENVELOPE; it is in the arena of WORLD. */
void page_reply_configuration(struct page_world *world, uint32_t first, Creel__Envelope *envelope);
/* Events of all applications and nodes, of the containers of application 7, and a change of two queues by
 * ann; at most 250 in a reply, as the real resource manager. */
void page_reply_events(struct page_world *world, const Creel__ListEvents *query, Creel__Envelope *envelope);
/* Sums of 100 hours, or of 3 queues or users, 60 at a time. One user has a name with HTML markup. */
void page_reply_sums(struct page_world *world, const Creel__SumJobHistory *query, Creel__Envelope *envelope);
/* The ended applications of the model that the filter lets pass. */
void page_reply_history(struct page_world *world, const Creel__ListJobHistory *list,
                        Creel__Envelope *envelope);

/* Fills ENVELOPE with one token. */
void page_reply_log_access(Creel__Envelope *reply);

/* The containers of application 7, and the users of a queue; at most 250 in a reply, as the real resource
 * manager. With world->containers_apart there are two containers in a reply, and none in the first. */
void page_reply_containers(struct page_world *world, const Creel__ListContainers *query,
                           Creel__Envelope *reply);
/* The container number I of application 7, in the arena of WORLD. */
Creel__ContainerReport *page_container_new(struct page_world *world, size_t i);
void page_reply_users(struct page_world *world, const Creel__ListQueueUsers *query, Creel__Envelope *reply);

#endif
