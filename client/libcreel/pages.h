/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - inside libcreel: lists that arrive in pages, each in a reply of its own
 *
 * A message has at most about 1 MiB, so a reply with a long list also has the place where the next page
 * begins.
 */
#ifndef CREEL_LIBCREEL_PAGES_H
#define CREEL_LIBCREEL_PAGES_H

#include "client/libcreel/client.h"

/* Replies that together make one list; owned; in order. */
struct pages {
    Creel__Envelope **items;
    size_t count, capacity;
};

/* Changes REQUEST so that it asks for the page after REPLY. Returns false if REPLY has the last page.
 * Texts of REPLY may be borrowed: they live as long as the pages. */
typedef bool pages_next_fn(Creel__Envelope *request, const Creel__Envelope *reply);

/* Sends REQUEST as client_call_waiting does, again for each further page, and adds the replies, whose
 * body is BODY, to PAGES. NEXT is NULL if there is one page. After an error PAGES has those that arrived. */
int pages_fetch(struct creel_client *client, Creel__Envelope *request, int64_t wait_ms,
                Creel__Envelope__BodyCase body, pages_next_fn *next, struct pages *pages, struct err *err);
/* For a request that names nodes: removes the LISTED first ones, which the reply has, from the COUNT
 * nodes *NODES. Returns false if none is left. */
bool pages_drop_listed(char ***nodes, size_t *count, size_t listed);
/* Adds REPLY, and takes ownership of it, also if there is an error (-ENOMEM). */
int pages_add(struct pages *pages, Creel__Envelope *reply, struct err *err);
/* Moves the replies of FROM to TO, which is empty. */
void pages_move(struct pages *to, struct pages *from);
void pages_done(struct pages *pages);

#endif
