/* SPDX-License-Identifier: Apache-2.0 */
/* am_unmanaged.c - makes this process the application master of an unmanaged application */
#include <errno.h>
#include <unistd.h>

#include "client/include/creel-am.h"
#include "client/libcreel/am_open.h"
#include "client/libcreel/client.h"
#include "client/libcreel/request.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"

static struct am_environment environment_of(const struct creel_client *client, const Creel__AmAccess *access)
{
    char host[256] = "";

    if (gethostname(host, sizeof(host) - 1) < 0)
        host[0] = '\0';
    return (struct am_environment){
        .app_id = mem_strdup(access->app_id),
        .container_id = mem_strdup(""),
        .rm_address = mem_strdup(client->am_address),
        .rm_key = mem_strdup(client->rm_key),
        .host = mem_strdup(host),
        .token = mem_dup(access->token.data, access->token.len),
        .token_size = access->token.len,
        .job_token =
            access->job_token.len > 0 ? mem_dup(access->job_token.data, access->job_token.len) : NULL,
        .job_token_size = access->job_token.len,
        .lock_fd = -1,
    };
}

CREEL_EXPORT
int creel_am_open_unmanaged(struct creel_client *client, const char *app_id,
                            const struct creel_am_calls *calls, void *context, struct creel_am **ret,
                            struct creel_error *error)
{
    Creel__Envelope *reply;
    Creel__GetAmAccess get = CREEL__GET_AM_ACCESS__INIT;
    struct am_environment environment;
    struct am_open open = { .environment = &environment, .calls = calls, .context = context };
    struct err err = { 0 };
    int r;

    get.app_id = (char *)(uintptr_t)app_id;
    r = request_reply(client, REQUEST(GET_AM_ACCESS, &get), ANSWER(AM_ACCESS), &reply, &err);
    if (r == 0) {
        environment = environment_of(client, reply->am_access);
        open.session = reply->am_access->session;
        r = am_open_with(&open, ret, &err);
        wire_free(reply);
    }
    return r < 0 ? client_set_error(error, &err, r) : 0;
}
