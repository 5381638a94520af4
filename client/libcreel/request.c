/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - a request of one message, and its answer */
#include "client/libcreel/request.h"

#include "common/io/wire/wire.h"

Creel__Envelope request_of(Creel__Envelope__BodyCase kind, void *body)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;

    request.body_case = kind;
    request.get_identity = body; /* all members of the union have the same address */
    return request;
}

int request_reply(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  Creel__Envelope__BodyCase answer, Creel__Envelope **reply, struct err *err)
{
    Creel__Envelope request = request_of(kind, body);

    return client_call(client, &request, answer, client->timeout_ms, reply, err);
}

int request_pages(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                  Creel__Envelope__BodyCase answer, pages_next_fn *next, struct pages *pages, struct err *err)
{
    Creel__Envelope request = request_of(kind, body);

    return pages_fetch(client, &request, 0, answer, next, pages, err);
}

int request_done(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
                 struct creel_error *error)
{
    Creel__Envelope *reply = NULL;
    struct err err = { 0 };
    int r = request_reply(client, kind, body, ANSWER(OK), &reply, &err);

    wire_free(reply);
    return client_set_error(error, &err, r);
}
