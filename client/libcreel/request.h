/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - inside libcreel: a request of one message, and its answer
 *
 *     Creel__SetQueueState set = CREEL__SET_QUEUE_STATE__INIT;
 *     ...
 *     r = request_reply(client, REQUEST(SET_QUEUE_STATE, &set), ANSWER(OK), &reply, &err);
 *
 * Errors and time limits are those of client_call.
 */
#ifndef CREEL_LIBCREEL_REQUEST_H
#define CREEL_LIBCREEL_REQUEST_H

#include "client/libcreel/pages.h"

#define REQUEST(kind, body) CREEL__ENVELOPE__BODY_##kind, (body)
#define ANSWER(kind) CREEL__ENVELOPE__BODY_##kind

/* Returns a request whose body is BODY, a message of KIND. */
Creel__Envelope request_of(Creel__Envelope__BodyCase kind, void *body);

/* Sends it. *REPLY has the body ANSWER; the caller frees it. */
int request_reply(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  Creel__Envelope__BodyCase answer, Creel__Envelope **reply, struct err *err);

/* Sends it, and a request for each further page, and adds the replies to PAGES. NEXT is NULL if the answer is
 * one reply. */
int request_pages(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  Creel__Envelope__BodyCase answer, pages_next_fn *next, struct pages *pages,
                  struct err *err);

/* Sends it, for an answer without content. */
int request_done(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                 struct creel_error *error);

#endif
