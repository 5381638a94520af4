/* SPDX-License-Identifier: Apache-2.0 */
/*
 * munge-peer.c - program: signs in by MUNGE as a client must not
 *
 *   munge-peer SOCKET HOST:PORT SERVER-CERTIFICATE
 *
 * Prints a line for each attempt: its name, then "accepted" or the code and text of the error.
 *   before    a request without signing in
 *   purpose   a credential with another payload
 *   cluster   a credential for another resource manager
 *   stolen    the credential of another connection
 *   first     a good credential
 *   again     the same credential, over the same connection
 *   after     the request again
 *   late      the same credential and key, over a new connection
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/credential.h"
#include "common/io/keys/sign_in_text.h"

#define TIMEOUT_MS 20000

struct world {
    const char *socket, *address;
    struct key server;
};

static void quit(const char *what, const struct err *err)
{
    fprintf(stderr, "munge-peer: %s: %s\n", what, err->text);
    exit(1);
}

static struct channel_client *connect_as(const struct world *world, const struct key *own)
{
    struct channel_client *channel;
    struct err err = { 0 };

    if (channel_client_new(NULL, world->address, world->server.public_text, own, NULL, NULL, &channel, &err) <
        0)
        quit("connect", &err);
    return channel;
}

static void attempt(struct channel_client *channel, const char *name, Creel__Envelope *request)
{
    Creel__Envelope *reply;
    struct err err = { 0 };

    if (channel_client_call(channel, request, TIMEOUT_MS, &reply, &err) < 0)
        quit(name, &err);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        printf("%s %d %s\n", name, (int)reply->error->code, reply->error->message);
    else
        printf("%s accepted\n", name);
    wire_free(reply);
}

static char *make(const struct world *world, const char *payload)
{
    struct err err = { 0 };
    char *text;

    if (credential_make(world->socket, payload, &text, &err) < 0)
        quit("credential", &err);
    return text;
}

static char *make_for(const struct world *world, const struct key *client, const struct key *server)
{
    struct sign_in_text content;
    char payload[SIGN_IN_TEXT];

    memcpy(content.key, client->public_text, KEY_TEXT);
    memcpy(content.rm_key, server->public_text, KEY_TEXT);
    sign_in_text_write(&content, payload);
    return make(world, payload);
}

static void sign_in(struct channel_client *channel, const char *name, char *credential)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SignIn body = CREEL__SIGN_IN__INIT;

    body.credential = credential;
    request.body_case = CREEL__ENVELOPE__BODY_SIGN_IN;
    request.sign_in = &body;
    attempt(channel, name, &request);
}

static void run(const struct world *world)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListApps list = CREEL__LIST_APPS__INIT;
    struct channel_client *channel;
    struct key own, other;
    scoped_free char *plain = make(world, "for another program"), *cluster = NULL, *stolen = NULL,
                     *good = NULL;

    key_generate(&own);
    key_generate(&other);
    cluster = make_for(world, &own, &other);
    stolen = make_for(world, &other, &world->server);
    good = make_for(world, &own, &world->server);
    channel = connect_as(world, &own);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    request.list_apps = &list;
    attempt(channel, "before", &request);
    sign_in(channel, "purpose", plain);
    sign_in(channel, "cluster", cluster);
    sign_in(channel, "stolen", stolen);
    sign_in(channel, "first", good);
    sign_in(channel, "again", good);
    attempt(channel, "after", &request);
    channel_client_free(channel);
    channel = connect_as(world, &own);
    sign_in(channel, "late", good);
    channel_client_free(channel);
}

int main(int argc, char **argv)
{
    struct world world;
    struct err err = { 0 };

    if (argc != 4) {
        fprintf(stderr, "usage: munge-peer SOCKET HOST:PORT SERVER-CERTIFICATE\n");
        return 2;
    }
    world.socket = argv[1];
    world.address = argv[2];
    if (key_load(argv[3], false, &world.server, &err) < 0)
        quit("certificate", &err);
    run(&world);
    return 0;
}
