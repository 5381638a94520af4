/* SPDX-License-Identifier: Apache-2.0 */
/* setup_join.c - joins a cluster by a join token */
#include "client/cli/admin/setup_join.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/channel/channel.h"
#include "common/io/wire/endpoint.h"

int setup_join_read(const char *text, struct join_token *token, struct err *err)
{
    char line[JOIN_TOKEN_TEXT + 1] = "";
    bool good, empty;

    if (!strcmp(text, "-")) {
        if (!fgets(line, sizeof(line), stdin))
            line[0] = '\0';
        line[strcspn(line, "\r\n")] = '\0';
        text = line;
    }
    empty = *text == '\0';
    good = join_token_read(text, token);
    explicit_bzero(line, sizeof(line));
    if (good)
        return 0;
    if (empty)
        return err_set(err, EINVAL, "the token is empty: has creel token create --join failed?");
    return err_set(err, EINVAL,
                   "this is no join token, or not all of it: it is what creel token create "
                   "--join prints");
}

void setup_join_keys(const struct join_token *token, const char *host, struct key_bundle *bundle)
{
    memset(bundle, 0, sizeof(*bundle));
    memcpy(bundle->rm.public_text, token->rm_public_text, KEY_TEXT);
    snprintf(bundle->name, sizeof(bundle->name), "%s", host);
    key_generate(&bundle->own);
}

/* A token that is refused in the handshake, and one that is refused by an answer, give the same error. */
static int refuse_token(const char *address, const struct join_token *token, struct err *err)
{
    return err_set(err, EACCES,
                   "%s does not accept the token %s: it has expired, is used up or revoked, or "
                   "is of another cluster. There, creel token create --join makes another one",
                   address, token->id);
}

/* BODY: of the reply that accepts the request. */
static int judge_reply(const char *address, const struct join_token *token, Creel__Envelope__BodyCase body,
                       const Creel__Envelope *reply, struct err *err)
{
    const Creel__Error *error;

    if (reply->body_case == body)
        return 0;
    if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        return err_set(err, EPROTO, "%s: unexpected answer to a request to join", address);
    error = reply->error;
    /* A resource manager of 0.2.0 refuses the identity of every token: its message names the reason. */
    if (error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED && body == CREEL__ENVELOPE__BODY_IDENTITY)
        return err_set(err, EACCES, "%s does not accept the token %s: %s", address, token->id,
                       error->message);
    if (error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED)
        return refuse_token(address, token, err);
    return err_set(err, error->code == CREEL__ERROR_CODE__ERROR_BAD_STATE ? EEXIST : EIO, "%s: %s", address,
                   error->message);
}

static int call(struct channel_client *client, const char *address, const struct join_token *token,
                Creel__Envelope *request, Creel__Envelope__BodyCase body, int64_t timeout_ms, struct err *err)
{
    Creel__Envelope *reply;
    int r;

    channel_client_name_peer(client, "creel-rm", "--rm HOST:PORT");
    r = channel_client_call(client, request, timeout_ms, &reply, err);
    if (r == -EACCES)
        return refuse_token(address, token, err);
    if (r == -ETIMEDOUT) {
        err->code = EHOSTUNREACH;
        return -EHOSTUNREACH;
    }
    if (r < 0)
        return r;
    r = judge_reply(address, token, body, reply, err);
    wire_free(reply);
    return r;
}

static int send_with(const char *address, const struct join_token *token, Creel__Envelope *request,
                     Creel__Envelope__BodyCase body, int64_t timeout_ms, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], text[ENDPOINT_TEXT_MAX];
    struct channel_client *client;
    int port;
    int r = endpoint_parse(address, JOIN_PORT_DEFAULT, host, sizeof(host), &port, err);

    if (r < 0)
        return r;
    endpoint_format(host, port, text);
    r = channel_client_new(NULL, text, token->rm_public_text, &token->key, NULL, NULL, &client, err);
    if (r < 0)
        return r;
    r = call(client, text, token, request, body, timeout_ms, err);
    channel_client_free(client);
    return r;
}

int setup_join_send(const char *address, const struct join_token *token, const struct key_bundle *bundle,
                    int64_t timeout_ms, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__JoinNode join = CREEL__JOIN_NODE__INIT;

    join.host = (char *)(uintptr_t)bundle->name;
    join.public_key = (char *)(uintptr_t)bundle->own.public_text;
    request.body_case = CREEL__ENVELOPE__BODY_JOIN_NODE;
    request.join_node = &join;
    return send_with(address, token, &request, CREEL__ENVELOPE__BODY_OK, timeout_ms, err);
}

int setup_join_check(const char *address, const struct join_token *token, int64_t timeout_ms, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetIdentity get = CREEL__GET_IDENTITY__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_GET_IDENTITY;
    request.get_identity = &get;
    return send_with(address, token, &request, CREEL__ENVELOPE__BODY_IDENTITY, timeout_ms, err);
}
