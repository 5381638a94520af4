/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - connects to the RM and sends requests that survive an RM restart
 *
 * The channel sends a request again over each new connection. With more than one address, the client tries
 * the next address after a part of the time limit. Every request may arrive twice: reading changes nothing, a
 * second kill has no effect, a submission has a key.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/libcreel/client.h"
#include "client/libcreel/field_words.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/endpoint.h"
#include "common/io/wire/wire.h"

#define SLICE_MIN_MS 1000
#define PAUSE_MS 100
#define RM_PORT_USUAL 8032
#define AM_PORT_USUAL 8030

/* --- connecting ------------------------------------------------------------ */

static int set_addresses(struct creel_client *client, const char *text, struct err *err)
{
    const char *at = text;
    int r;

    client->address_text = mem_strdup(text);
    while (*at) {
        size_t length = strcspn(at, ", ");

        if (length) {
            if (client->target_count == CLIENT_ADDRESSES_MAX)
                return err_set(err, EINVAL, "%s: more than %d addresses", text, CLIENT_ADDRESSES_MAX);
            char **address = &client->targets[client->target_count++].address;

            *address = mem_strndup(at, length);
            r = endpoint_make_connectable(address, RM_PORT_USUAL, err);
            if (r < 0)
                return r;
        }
        at += length;
        at += strspn(at, ", ");
    }
    if (!client->target_count)
        return err_set(err, EINVAL, "no address of a resource manager was given");
    return 0;
}

static int configure(struct creel_client *client, const struct creel_options *options,
                     const struct conf *conf, struct err *err)
{
    const char *address = options->rm_address;
    const char *key_dir = options->key_dir;
    const char *user_key = options->user_key;
    struct key rm;
    int r;

    if (!address || !*address)
        address = conf_text(conf, CONF_RM_CLIENT_ADDRESS);
    if (!key_dir || !*key_dir)
        key_dir = conf_text(conf, CONF_KEY_DIR);
    if (!user_key || !*user_key)
        user_key = conf_text(conf, CONF_USER_KEY);
    if ((r = set_addresses(client, address, err)) < 0)
        return r;
    client->am_address = mem_strdup(conf_text(conf, CONF_RM_AM_ADDRESS));
    if ((r = endpoint_make_connectable(&client->am_address, AM_PORT_USUAL, err)) < 0)
        return r;
    if ((r = key_load_for(key_dir, KEY_RM, NULL, false, &rm, err)) < 0) {
        err_prefix(err, "the resource manager's certificate");
        return -EBADMSG;
    }
    memcpy(client->rm_key, rm.public_text, sizeof(client->rm_key));
    if ((r = client_choose_identity(client, conf, user_key, key_dir, err)) < 0)
        return r;
    if (options->as_user && *options->as_user)
        client->as_user = mem_strdup(options->as_user);
    client->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : CLIENT_TIMEOUT_MS;
    client->interrupt_fd = -1;
    client->needs_listener = options->needs_listener;
    return 0;
}

CREEL_EXPORT
int creel_connect(const struct creel_options *options, struct creel_client **ret, struct creel_error *error)
{
    static const struct creel_options none;
    static const enum conf_key needed[] = { CONF_RM_CLIENT_ADDRESS, CONF_RM_HOSTNAME, CONF_RM_AM_ADDRESS,
                                            CONF_KEY_DIR,           CONF_USER_KEY,    CONF_IDENTITY,
                                            CONF_MUNGE_SOCKET };
    struct creel_client *client = NULL;
    struct conf *conf = NULL;
    struct err err = { 0 };
    int r;

    if (!options)
        options = &none;
    r = conf_load_needed(conf_directory(options->conf_dir), needed, sizeof(needed) / sizeof(needed[0]), &conf,
                         &err);
    if (r < 0)
        return client_set_error(error, &err, -EBADMSG);
    client = calloc(1, sizeof(*client));
    r = client ? configure(client, options, conf, &err) : err_set(&err, ENOMEM, "out of memory");
    conf_free(conf);
    if (r < 0) {
        creel_disconnect(client);
        return client_set_error(error, &err, r);
    }
    *ret = client;
    return 0;
}

CREEL_EXPORT
void creel_disconnect(struct creel_client *client)
{
    if (!client)
        return;
    for (size_t i = 0; i < client->target_count; i++) {
        channel_client_free(client->targets[i].channel);
        free(client->targets[i].address);
    }
    free(client->address_text);
    free(client->am_address);
    free(client->as_user);
    free(client->sign_in.socket);
    assert(!client->agents); /* the caller must close all logs first */
    free(client->log_token.app_id);
    free(client->log_token.node);
    free(client->log_token.bytes);
    explicit_bzero(&client->own, sizeof(client->own));
    free(client);
}

CREEL_EXPORT
const char *creel_rm_address(const struct creel_client *client)
{
    return client->address_text;
}

CREEL_EXPORT
void creel_set_timeout(struct creel_client *client, int64_t timeout_ms)
{
    client->timeout_ms = timeout_ms > 0 ? timeout_ms : CLIENT_TIMEOUT_MS;
}

CREEL_EXPORT
const char *creel_version(void)
{
    return VERSION;
}

CREEL_EXPORT
uint32_t creel_protocol_version(void)
{
    return WIRE_VERSION;
}

/* --- requests -------------------------------------------------------------- */

static bool needs_sign_in(const Creel__Envelope *reply)
{
    return reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
           reply->error->code == CREEL__ERROR_CODE__ERROR_SIGN_IN;
}

/* Sets ERR: the RM does not accept the key of the job in which this process runs. */
static int refuse_job(struct err *err)
{
    const char *app_id = getenv("CREEL_APP_ID");

    return err_set(
        err, EACCES,
        "the resource manager does not accept the token of the job %s (CREEL_JOB_TOKEN_FILE): the job "
        "has ended, such tokens are off at the resource manager (creel.security.job-tokens), or the "
        "processes of the job have too many connections (creel.gateway.connections-per-key-max)",
        app_id != NULL ? app_id : "in which this process runs");
}

/* Sends REQUEST once. If the client uses MUNGE, signs in before that when it is time, and when the RM does
 * not know the key any more, as after its restart. */
static int call_once(struct creel_client *client, struct client_target *target, Creel__Envelope *request,
                     int64_t timeout_ms, Creel__Envelope **reply, struct err *err)
{
    int r;

    if (!target->channel) {
        r = channel_client_new(NULL, target->address, client->rm_key, &client->own, NULL, NULL,
                               &target->channel, err);
        if (r < 0)
            return r;
        channel_client_name_peer(target->channel, "creel-rm", "--rm HOST:PORT");
        if (client->needs_listener)
            channel_client_needs_listener(target->channel);
    }
    channel_client_set_interrupt(target->channel, client->interrupt_fd);
    request->as_user = client->as_user ? client->as_user : (char *)(uintptr_t) "";
    if (client_must_sign_in(client) && (r = client_sign_in(client, target->channel, timeout_ms, err)) < 0 &&
        loop_monotonic_ms() >= client->sign_in.expires_ms)
        return r;
    r = channel_client_call(target->channel, request, timeout_ms, reply, err);
    if (r == 0 && client->sign_in.by_munge && needs_sign_in(*reply)) {
        wire_free(*reply);
        *reply = NULL;
        r = client_sign_in(client, target->channel, timeout_ms, err);
        if (r == 0)
            r = channel_client_call(target->channel, request, timeout_ms, reply, err);
    }
    if (client->by_job && ((r == -EACCES && channel_client_key_is_refused(target->channel)) ||
                           (r == 0 && needs_sign_in(*reply)))) {
        wire_free(*reply);
        *reply = NULL;
        return refuse_job(err);
    }
    return field_words_end(r, err);
}

static int64_t slice_of(const struct creel_client *client, int64_t left_ms, int64_t whole_ms)
{
    int64_t slice = whole_ms / ((int64_t)client->target_count * 2);

    if (client->target_count == 1)
        return left_ms; /* a channel repeats requests lost with a connection */
    if (slice < SLICE_MIN_MS)
        slice = SLICE_MIN_MS;
    return slice < left_ms ? slice : left_ms;
}

static void pause_ms(int64_t ms)
{
    struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

    nanosleep(&pause, NULL);
}

void client_pause_if_early(struct creel_client *client, bool news, int64_t asked_ms, int64_t wait_ms)
{
    int64_t waited_ms = loop_monotonic_ms() - asked_ms;
    int64_t early_ms = early_answer_pause(&client->early, news, waited_ms, wait_ms);
    struct pollfd interrupt = { .fd = client->interrupt_fd, .events = POLLIN }; /* ignored if it is -1 */

    if (early_ms > 0)
        (void)poll(&interrupt, 1, (int)early_ms);
}

/* Returns true if there was no connection to any RM: then none has got a request. */
static bool was_never_connected(const struct creel_client *client)
{
    for (size_t i = 0; i < client->target_count; i++) {
        struct channel_client *channel = client->targets[i].channel;

        if (channel != NULL &&
            (channel_client_losses(channel) > 0 || channel_client_state(channel, NULL) != -ENOTCONN))
            return false;
    }
    return true;
}

static int not_listening(struct creel_client *client, struct err *err)
{
    struct err why = *err;

    client->refused = was_never_connected(client);
    return err_set(err, EHOSTUNREACH, "no resource manager runs at %s: %s", client->address_text, why.text);
}

static int unreachable(struct creel_client *client, int64_t whole_ms, struct err *err)
{
    struct err why = *err;

    client->refused = was_never_connected(client);
    return err_set(err, EHOSTUNREACH, "the resource manager at %s did not answer within %g s: %s",
                   client->address_text, (double)whole_ms / 1000.0, why.text);
}

int client_call_waiting(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                        int64_t wait_ms, int64_t timeout_ms, Creel__Envelope **ret, struct err *err)
{
    int64_t deadline_ms = loop_monotonic_ms() + timeout_ms + wait_ms;
    int64_t left_ms = timeout_ms;
    Creel__Envelope *reply = NULL;
    size_t refused = 0;
    char who[160];
    int r;

    client->refused = false;
    for (;;) {
        struct client_target *target = &client->targets[client->current];

        snprintf(who, sizeof(who), "the resource manager at %s", target->address);
        r = call_once(client, target, request, wait_ms + slice_of(client, left_ms, timeout_ms), &reply, err);
        if (r == 0) {
            client->answered = true;
            r = client_check_reply(who, reply, body, err);
            if (r == 0)
                break;
            wire_free(reply);
            reply = NULL;
            if (r != -EAGAIN)
                return r;
        } else if (r == -ECONNREFUSED && ++refused == client->target_count) {
            return not_listening(client, err);
        } else if (r != -ETIMEDOUT && r != -EAGAIN && r != -ECONNREFUSED) {
            return r;
        }
        left_ms = deadline_ms - wait_ms - loop_monotonic_ms();
        if (left_ms <= 0)
            return r == -EAGAIN ? r : unreachable(client, timeout_ms, err);
        if (r == -EAGAIN)
            pause_ms(left_ms < PAUSE_MS ? left_ms : PAUSE_MS);
        client->current = (client->current + 1) % client->target_count;
    }
    *ret = reply;
    return 0;
}

int client_call(struct creel_client *client, Creel__Envelope *request, Creel__Envelope__BodyCase body,
                int64_t timeout_ms, Creel__Envelope **ret, struct err *err)
{
    return client_call_waiting(client, request, body, 0, timeout_ms, ret, err);
}
