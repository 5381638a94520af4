/* SPDX-License-Identifier: Apache-2.0 */
/* page_replies.h - replies of the fake resource manager of page_world.h: configuration, its versions,
 * history */
#ifndef CREEL_TESTS_PAGE_REPLIES_H
#define CREEL_TESTS_PAGE_REPLIES_H

#include "tests/unit/page_world.h"

/* Set the body of ENVELOPE; it is in the arena of WORLD. */
void page_reply_configuration(struct page_world *world, uint32_t first, Creel__Envelope *envelope);
/* The versions of the configuration of queues: the files alone, and a change of two queues by ann. */
void page_reply_versions(struct page_world *world, Creel__Envelope *envelope);
/* Sums of 100 hours, or of 3 queues or users, 60 at a time. One user has a name with HTML markup. */
void page_reply_sums(struct page_world *world, const Creel__SumJobHistory *query, Creel__Envelope *envelope);
/* The ended applications of the model that the filter lets pass. */
void page_reply_history(struct page_world *world, const Creel__ListJobHistory *list,
                        Creel__Envelope *envelope);

/* Fills ENVELOPE with one token. */
void page_reply_log_access(Creel__Envelope *reply);

#endif
