/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.c - how a client is identified: by the certificate of its user, by MUNGE
 * (docs/adr/0016-munge.md), or by the token of the job in which it runs
 *
 * With MUNGE the client makes a key pair that exists in its memory alone, and sends the RM a credential of
 * munged for the public key. From then on the key is a key of the user, at the RM and at agents, for a
 * limited time.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/libcreel/client.h"
#include "client/libcreel/job_token.h"
#include "common/base/mem.h"
#include "common/conf/identity.h"
#include "common/io/keys/credential.h"
#include "common/io/keys/derived_key.h"
#include "common/io/keys/sign_in_text.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

#define RENEW_DIVISOR 2  /* the client signs in again after this part of the time */
#define RETRY_DIVISOR 16 /* and after this part again if that fails */

/* --- certificate or MUNGE ----------------------------------------------------- */

/* Loads the certificate of the user. -ENOENT: there is none. */
static int load_certificate(const char *named, const char *key_dir, struct key *key, struct err *err)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];
    scoped_free char *own = NULL;
    int r;

    if (named && *named)
        return key_load(named, true, key, err);
    if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) || !found)
        return err_set(err, ENOENT,
                       "user id %u has no name on this machine, so no certificate "
                       "can be chosen: name one in creel.security.user-key",
                       geteuid());
    own = mem_printf("%s/.creel/key", found->pw_dir);
    if (access(own, F_OK) == 0)
        return key_load(own, true, key, err);
    r = key_load_for(key_dir, KEY_USER, found->pw_name, true, key, err);
    if (r == -EACCES)
        return err_set(err, EACCES,
                       "%s/users/%s_secret belongs to another user: root makes it yours on this host: creel "
                       "keygen user %s --install",
                       key_dir, found->pw_name, found->pw_name);
    if (r == -ENOENT)
        return err_set(
            err, ENOENT,
            "user %s has no certificate in %s: root makes one on the host of the "
            "resource manager: creel keygen user %s --install; for another host: creel keygen user "
            "--export %s there, creel keygen user --import - here",
            found->pw_name, key_dir, found->pw_name, found->pw_name);
    return r;
}

static int use_certificate(struct creel_client *client, const char *named, const char *key_dir,
                           struct err *err)
{
    int r = load_certificate(named, key_dir, &client->own, err);

    if (r < 0)
        err_prefix(err, "your certificate");
    return r;
}

static int use_munge(struct creel_client *client, const char *socket, struct err *err)
{
    if (!credential_is_possible(socket))
        return err_set(
            err, EHOSTDOWN,
            "you sign in by MUNGE (creel.security.identity), and munged does not run on this host: root "
            "starts it with: systemctl start munge");
    if (geteuid() == 0)
        return err_set(
            err, EPERM,
            "root cannot sign in by MUNGE (creel.security.identity): use your own account, or on the host of "
            "the resource manager a certificate: creel keygen user root");
    key_generate(&client->own);
    client->sign_in = (struct client_sign_in){ .by_munge = true, .socket = mem_strdup(socket) };
    return 0;
}

/* Takes the key of the job in which this process runs. Returns false if there is none. */
static bool use_job_token(struct creel_client *client)
{
    scoped_free uint8_t *token = NULL;
    size_t size;

    if (!job_token_read(&token, &size))
        return false;
    derived_key_make(token, size, &client->own);
    client->by_job = true;
    return true;
}

/* Returns true if R, a result of load_certificate, means that this host has no certificate for the user of
 * this process: the file is missing, or was not given to the user, as on the host of the resource manager
 * before keygen user --install. In a job the user is then identified by its token, as on other nodes. */
static bool is_not_theirs(int r)
{
    return r == -ENOENT || r == -EACCES;
}

/* Sets ERR for a user with neither a certificate nor MUNGE. FIRST is the reason for the first method. */
static int neither(const struct identity *identity, const struct err *first, const struct err *second,
                   struct err *err)
{
    if (identity->count == 1)
        *err = *first;
    else
        err_set(err, ENOKEY, "%s; and %s", first->text, second->text);
    return -ENOKEY;
}

int client_choose_identity(struct creel_client *client, const struct conf *conf, const char *named,
                           const char *key_dir, struct err *err)
{
    const char *socket = conf_text(conf, CONF_MUNGE_SOCKET);
    struct err errs[IDENTITY_METHODS] = { 0 };
    struct identity identity;
    int r = identity_read(conf, &identity, err);

    if (r < 0)
        return -EBADMSG;
    if (named != NULL && *named != '\0') { /* the certificate was named explicitly */
        r = use_certificate(client, named, key_dir, err);
        return r == 0 || (is_not_theirs(r) && use_job_token(client)) ? 0 : -ENOKEY;
    }
    /* The certificate of root is accepted in any case: root is a proxy user. */
    if (geteuid() == 0 && use_certificate(client, NULL, key_dir, &errs[0]) == 0)
        return 0;
    for (size_t i = 0; i < identity.count; i++) {
        if (identity.methods[i] == IDENTITY_MUNGE)
            r = use_munge(client, socket, &errs[i]);
        else
            r = use_certificate(client, NULL, key_dir, &errs[i]);
        if (r == 0)
            return 0;
        if (identity.methods[i] == IDENTITY_CERTIFICATE && r != -ENOENT) {
            *err = errs[i]; /* a certificate that is there and cannot be used needs a person */
            return is_not_theirs(r) && use_job_token(client) ? 0 : -ENOKEY;
        }
    }
    return use_job_token(client) ? 0 : neither(&identity, &errs[0], &errs[1], err);
}

/* --- signing in ----------------------------------------------------------------- */

bool client_must_sign_in(const struct creel_client *client)
{
    return client->sign_in.by_munge && loop_monotonic_ms() >= client->sign_in.renew_ms;
}

/* Sends one credential. -EALREADY: it was used before. */
static int send_credential(struct creel_client *client, struct channel_client *channel, int64_t timeout_ms,
                           struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__SignIn sign_in = CREEL__SIGN_IN__INIT;
    struct sign_in_text content;
    char text[SIGN_IN_TEXT];
    int r;

    memcpy(content.key, client->own.public_text, KEY_TEXT);
    memcpy(content.rm_key, client->rm_key, KEY_TEXT);
    sign_in_text_write(&content, text);
    r = credential_make(client->sign_in.socket, text, &sign_in.credential, err);
    if (r < 0)
        return -ENOKEY;
    request.body_case = CREEL__ENVELOPE__BODY_SIGN_IN;
    request.sign_in = &sign_in;
    r = channel_client_call(channel, &request, timeout_ms, &reply, err);
    free(sign_in.credential);
    if (r == -EACCES)
        return err_set(
            err, EACCES,
            "the resource manager refuses your key: it does not accept MUNGE credentials, or has another key "
            "than this host expects (creel.security.identity at the resource manager; keys/rm)");
    if (r < 0)
        return r;
    r = client_check_reply("the resource manager", reply, CREEL__ENVELOPE__BODY_SIGN_IN_REPLY, err);
    if (r == 0) {
        client->sign_in.valid_ms = reply->sign_in_reply->valid_ms;
        client->sign_in.renew_ms = loop_monotonic_ms() + client->sign_in.valid_ms / RENEW_DIVISOR;
        client->sign_in.expires_ms = loop_monotonic_ms() + client->sign_in.valid_ms;
    }
    wire_free(reply);
    return r == -ENOKEY ? -EALREADY : r;
}

int client_sign_in(struct creel_client *client, struct channel_client *channel, int64_t timeout_ms,
                   struct err *err)
{
    int r = -EALREADY;

    for (unsigned i = 0; i < CLIENT_SIGN_IN_TRIES && r == -EALREADY; i++)
        r = send_credential(client, channel, timeout_ms, err);
    if (r < 0) /* the key may be valid for some time still */
        client->sign_in.renew_ms = loop_monotonic_ms() + client->sign_in.valid_ms / RETRY_DIVISOR;
    return r == -EALREADY ? -EPERM : r;
}
