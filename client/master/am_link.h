/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_link.h - an application master's side of the protocol with the RM, pure
 *
 * Registers, keeps the response ids of yarn-behaviour 4.2, repeats what was
 * not answered (the same bytes with the same ids), registers again after
 * RESYNC, gives back what is not wanted and finishes. What to ask for and what to
 * do with containers is its owner's business.
 *
 * Use: hand in what arrives (am_link_receive), change what is wanted
 * (am_link_want, am_link_release, am_link_finish), then call am_link_poll
 * until it gives nothing more to send. One request is under way at a time.
 */
#ifndef CREEL_CLIENT_AM_LINK_H
#define CREEL_CLIENT_AM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_link;                         /* opaque */

struct am_link *am_link_new(const char *host, int64_t resend_ms);
void am_link_free(struct am_link *link);        /* NULL is fine */

/* What a message of the RM means for the owner. */
enum am_news_kind {
    AM_NEWS_NONE,                       /* late, repeated, or of the link's own concern */
    AM_NEWS_REGISTERED,                 /* REGISTERED is set; all asks are sent again by themselves */
    AM_NEWS_RESYNC,                     /* the RM does not know us: registering again */
    AM_NEWS_ALLOCATED,                  /* ALLOCATED is set */
    AM_NEWS_REFUSED,                    /* the last Allocate was refused for good: TEXT */
    AM_NEWS_FINISHED,                   /* FinishAm is done */
    AM_NEWS_OVER,                       /* this attempt is over without us: TEXT */
};

struct am_news {
    enum am_news_kind kind;
    const Creel__RegisterAmReply *registered;   /* borrowed from the envelope */
    const Creel__AllocateReply *allocated;
    const char *text;
};

void am_link_start(struct am_link *link, int64_t now_ms);
struct am_news am_link_receive(struct am_link *link, int64_t now_ms,
                               const Creel__Envelope *envelope);

/* COUNT containers of CAPABILITY (borrowed as long as the link lives) are wanted at PRIORITY, beyond
 * those granted so far. */
void am_link_want(struct am_link *link, uint32_t priority, const Creel__Resource *capability,
                  uint32_t count);
/* Give a container back. It is repeated until am_link_released reports that the RM has
 * reported the container complete. Both may be called twice. */
void am_link_release(struct am_link *link, const char *container_id);
void am_link_released(struct am_link *link, const char *container_id);
/* No containers on NODE_ID until UNTIL_MS. */
void am_link_avoid(struct am_link *link, const char *node_id, int64_t until_ms);

void am_link_progress(struct am_link *link, float progress, const Creel__TaskCounts *counts);
/* Ask the RM once more which containers it knows. */
void am_link_register_again(struct am_link *link);
/* Take back what was asked, tell the RM what is to be released, then FinishAm. */
void am_link_finish(struct am_link *link, Creel__FinalStatus status, int exit_status,
                    const char *diagnostics);

/* The next envelope to send now, in ARENA; NULL if there is none. */
Creel__Envelope *am_link_poll(struct am_link *link, int64_t now_ms, struct arena *arena);
int64_t am_link_next_deadline_ms(const struct am_link *link);

bool am_link_is_over(const struct am_link *link);
/* What the RM is thought to owe us at PRIORITY; -1: not known. For checks. */
int64_t am_link_outstanding(const struct am_link *link, uint32_t priority);

#endif
