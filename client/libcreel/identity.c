/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - asks the RM who the client is, which also signs in */
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

#define RENEW_TIMEOUT_MS 3000
#define RENEW_PAUSE_MS 5000

CREEL_EXPORT
int creel_identity_get(struct creel_client *client, struct creel_identity **ret, struct creel_error *error)
{
    Creel__GetIdentity get = CREEL__GET_IDENTITY__INIT;
    struct creel_identity *shown;
    const Creel__Identity *answer;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, REQUEST(GET_IDENTITY, &get), ANSWER(IDENTITY), NULL, &pages, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    answer = pages.items[0]->identity;
    shown = RESULT_NEW(struct creel_identity, &pages);
    *shown = (struct creel_identity){
        .user = answer->user,
        .method = answer->method,
        .valid_ms = answer->valid_ms,
        .app_id = answer->app_id,
    };
    *ret = shown;
    return 0;
}

CREEL_EXPORT
void creel_identity_free(struct creel_identity *identity)
{
    result_free(identity);
}

void client_renew(struct creel_client *client, bool lost)
{
    struct client_target *target = &client->targets[client->current];
    int64_t now_ms = loop_monotonic_ms();
    Creel__GetIdentity get = CREEL__GET_IDENTITY__INIT;
    Creel__Envelope request = request_of(REQUEST(GET_IDENTITY, &get));
    Creel__Envelope *reply;
    struct err err;

    if (!client->sign_in.by_munge || target->channel == NULL || (!lost && !client_must_sign_in(client)) ||
        now_ms < client->sign_in.retry_ms)
        return;
    client->sign_in.retry_ms = now_ms + RENEW_PAUSE_MS;
    if (client_call(client, &request, ANSWER(IDENTITY), RENEW_TIMEOUT_MS, &reply, &err) == 0)
        wire_free(reply);
}
