/* SPDX-License-Identifier: Apache-2.0 */
/* passwords.c - users of HTTP Basic authentication, remembered by a hash of user and password */
#include "web/net/passwords.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "common/io/server/peer_address.h"
#include "web/net/failures.h"

#define HASH_BYTES crypto_generichash_BYTES
#define REPLY_MS_MOST (PAM_CHECK_MS_MOST + 2000) /* if creel-pam does not reply either */

struct known {
    UT_hash_handle hh; /* by hash */
    unsigned char hash[HASH_BYTES];
    int64_t ends_ms; /* monotonic clock */
};

struct waiter {
    struct waiter *next;
    site_token_reply_fn *reply;
    void *context;
};

/* One check, from its request to the answer of its waiters. */
struct pending {
    struct pending *next;
    struct passwords *passwords;
    struct waiter *waiters;
    unsigned char hash[HASH_BYTES];
    char user[PAM_FRAME_USER], address[PAM_FRAME_ADDRESS];
    char network[PEER_ADDRESS_TEXT_MAX]; /* addresses that count as one with ADDRESS (peer_address.h) */
    uint32_t number;
    bool replied; /* waits only for its delay */
    int timer;
};

struct passwords {
    struct loop *loop;
    struct pam_process *process;
    struct failures *failures;
    enum exchange_scope scope;
    unsigned char key[crypto_generichash_KEYBYTES];
    struct known *known; /* owned, the oldest first */
    struct pending *pending;
    uint32_t last_number;
};

/* --- remembered users ---------------------------------------------------------- */

static void forget(struct passwords *passwords, struct known *known)
{
    HASH_DEL(passwords->known, known);
    free(known);
}

static void make_hash(const struct passwords *passwords, const char *user, const char *password,
                      unsigned char ret[HASH_BYTES])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, passwords->key, sizeof(passwords->key), HASH_BYTES);
    crypto_generichash_update(&state, (const unsigned char *)user, strlen(user) + 1);
    crypto_generichash_update(&state, (const unsigned char *)password, strlen(password));
    crypto_generichash_final(&state, ret, HASH_BYTES);
    explicit_bzero(&state, sizeof(state));
}

static bool is_known(struct passwords *passwords, const unsigned char hash[HASH_BYTES])
{
    struct known *known;

    HASH_FIND(hh, passwords->known, hash, HASH_BYTES, known);
    if (known == NULL || known->ends_ms > loop_monotonic_ms())
        return known != NULL;
    forget(passwords, known);
    return false;
}

static void remember(struct passwords *passwords, const unsigned char hash[HASH_BYTES])
{
    struct known *known;

    HASH_FIND(hh, passwords->known, hash, HASH_BYTES, known);
    if (known != NULL)
        forget(passwords, known);
    while (HASH_COUNT(passwords->known) >= PASSWORDS_KNOWN_MAX)
        forget(passwords, passwords->known);
    known = mem_new0(struct known);
    memcpy(known->hash, hash, HASH_BYTES);
    known->ends_ms = loop_monotonic_ms() + PASSWORDS_FRESH_MS;
    HASH_ADD(hh, passwords->known, hash, HASH_BYTES, known);
}

/* --- the end of a check --------------------------------------------------------- */

static void give(const struct passwords *passwords, int status, const char *user, site_token_reply_fn *reply,
                 void *context)
{
    const struct site_token found = { user, passwords->scope, PASSWORDS_FRESH_MS };

    reply(context, status, status == 0 ? &found : NULL);
}

/* Removes PENDING, and answers its waiters with STATUS. */
static void finish(struct pending *pending, int status)
{
    struct passwords *passwords = pending->passwords;
    struct pending **place = &passwords->pending;

    while (*place != pending)
        place = &(*place)->next;
    *place = pending->next;
    loop_cancel_timer(passwords->loop, pending->timer);
    for (struct waiter *waiter; (waiter = pending->waiters) != NULL;) {
        pending->waiters = waiter->next;
        give(passwords, status, pending->user, waiter->reply, waiter->context);
        free(waiter);
    }
    free(pending);
}

static void on_timeout(void *context)
{
    struct pending *pending = context;

    pending->timer = 0;
    log_line(LOG_LEVEL_WARN, "creel-pam gave no reply about user %s", pending->user);
    finish(pending, 503);
}

static void on_delay(void *context)
{
    struct pending *pending = context;

    pending->timer = 0;
    finish(pending, 401);
}

static void audit(const struct pending *pending, uint32_t verdict)
{
    static const char *const reasons[] = {
        [PAM_VERDICT_ACCEPTED] = "",
        [PAM_VERDICT_REFUSED] = "user or password is wrong",
        [PAM_VERDICT_ACCOUNT] = "the account is locked or expired",
        [PAM_VERDICT_UNAVAILABLE] = "PAM cannot check the password now",
    };

    log_audit(&(struct log_audit){
        .user = pending->user,
        .ip = pending->address,
        .method = "pam",
        .operation = "signIn",
        .target = "",
        .success = verdict == PAM_VERDICT_ACCEPTED,
        .description = reasons[verdict],
    });
}

static void judge(struct pending *pending, uint32_t verdict)
{
    struct passwords *passwords = pending->passwords;

    audit(pending, verdict);
    switch (verdict) {
    case PAM_VERDICT_ACCEPTED:
        failures_reset(passwords->failures, pending->address, pending->user);
        remember(passwords, pending->hash);
        finish(pending, 0);
        return;
    case PAM_VERDICT_REFUSED:
    case PAM_VERDICT_ACCOUNT:
        failures_add(passwords->failures, pending->address, pending->user, loop_monotonic_ms());
        loop_cancel_timer(passwords->loop, pending->timer);
        pending->replied = true;
        pending->timer = loop_add_timer(passwords->loop, PASSWORDS_DELAY_MS, on_delay, pending);
        return;
    default:
        finish(pending, 503);
    }
}

static void on_reply(void *context, const struct pam_frame_reply *reply)
{
    struct passwords *passwords = context;

    for (struct pending *pending = passwords->pending; pending != NULL; pending = pending->next)
        if (pending->number == reply->number && !pending->replied) {
            judge(pending,
                  reply->verdict <= PAM_VERDICT_UNAVAILABLE ? reply->verdict : PAM_VERDICT_UNAVAILABLE);
            return;
        }
}

static void on_ended(void *context)
{
    struct passwords *passwords = context;

    for (struct pending *pending = passwords->pending, *next; pending != NULL; pending = next) {
        next = pending->next;
        if (!pending->replied)
            finish(pending, 503);
    }
}

/* --- requests -------------------------------------------------------------------- */

/* Returns the check of the same user and password from NETWORK; NULL: there is none. Counts the running
 * checks, and those of NETWORK. */
static struct pending *find_pending(struct passwords *passwords, const unsigned char hash[HASH_BYTES],
                                    const char *network, size_t *running, size_t *of_network)
{
    struct pending *found = NULL;

    *running = *of_network = 0;
    for (struct pending *pending = passwords->pending; pending != NULL; pending = pending->next) {
        bool same = strcmp(pending->network, network) == 0;

        *running += !pending->replied;
        *of_network += same;
        if (same && memcmp(pending->hash, hash, HASH_BYTES) == 0)
            found = pending;
    }
    return found;
}

static void add_waiter(struct pending *pending, site_token_reply_fn *reply, void *context)
{
    struct waiter *waiter = mem_new0(struct waiter);

    *waiter = (struct waiter){ pending->waiters, reply, context };
    pending->waiters = waiter;
}

static bool send_request(struct passwords *passwords, const struct pending *pending, const char *password)
{
    struct pam_frame_request request = { .number = pending->number };
    bool sent;

    memcpy(request.user, pending->user, sizeof(request.user));
    memcpy(request.address, pending->address, sizeof(request.address));
    snprintf(request.password, sizeof(request.password), "%s", password);
    sent = pam_process_send(passwords->process, &request);
    explicit_bzero(&request, sizeof(request));
    return sent;
}

static struct pending *pending_new(struct passwords *passwords, const unsigned char hash[HASH_BYTES],
                                   const char *address, const char *user)
{
    struct pending *pending = mem_new0(struct pending);

    pending->passwords = passwords;
    memcpy(pending->hash, hash, HASH_BYTES);
    snprintf(pending->user, sizeof(pending->user), "%s", user);
    snprintf(pending->address, sizeof(pending->address), "%s", address);
    peer_address_unite_text(address, pending->network);
    pending->number = ++passwords->last_number;
    pending->timer = loop_add_timer(passwords->loop, REPLY_MS_MOST, on_timeout, pending);
    pending->next = passwords->pending;
    passwords->pending = pending;
    return pending;
}

void passwords_find(void *context, const char *address, const char *user, const char *password,
                    site_token_reply_fn *reply, void *reply_context)
{
    struct passwords *passwords = context;
    int64_t now_ms = loop_monotonic_ms();
    unsigned char hash[HASH_BYTES];
    struct pending *pending;
    char network[PEER_ADDRESS_TEXT_MAX];
    size_t running, of_network;

    if (strlen(user) >= PAM_FRAME_USER || strlen(password) >= PAM_FRAME_PASSWORD ||
        strlen(address) >= PAM_FRAME_ADDRESS) {
        reply(reply_context, 401, NULL);
        return;
    }
    /* (before the remembered ones: they would show a limited client which password is right) */
    if (failures_is_address_limited(passwords->failures, address, user, now_ms)) {
        reply(reply_context, 429, NULL);
        return;
    }
    make_hash(passwords, user, password, hash);
    if (is_known(passwords, hash)) {
        give(passwords, 0, user, reply, reply_context);
        return;
    }
    pending = find_pending(passwords, hash, peer_address_unite_text(address, network), &running, &of_network);
    if (pending != NULL) {
        add_waiter(pending, reply, reply_context);
        return;
    }
    if (of_network >= PASSWORDS_ADDRESS_MAX || failures_is_user_limited(passwords->failures, user, now_ms)) {
        reply(reply_context, 429, NULL);
        return;
    }
    if (running >= PAM_CHECKS_MAX) {
        reply(reply_context, 503, NULL);
        return;
    }
    pending = pending_new(passwords, hash, address, user);
    add_waiter(pending, reply, reply_context);
    if (!send_request(passwords, pending, password))
        finish(pending, 503);
}

/* --- life ------------------------------------------------------------------------- */

int passwords_new(struct loop *loop, const char *service, const char *directory, enum exchange_scope scope,
                  struct passwords **ret, struct err *err)
{
    static const struct pam_process_events events = { on_reply, on_ended };
    struct passwords *passwords = mem_new0(struct passwords);
    int r;

    passwords->loop = loop;
    passwords->scope = scope;
    passwords->failures = failures_new();
    if (sodium_init() < 0)
        abort();
    randombytes_buf(passwords->key, sizeof(passwords->key));
    r = pam_process_new(loop, service, directory, &events, passwords, &passwords->process, err);
    if (r < 0) {
        passwords_free(passwords);
        return r;
    }
    *ret = passwords;
    return 0;
}

void passwords_free(struct passwords *passwords)
{
    if (passwords == NULL)
        return;
    pam_process_free(passwords->process);
    while (passwords->pending != NULL)
        finish(passwords->pending, 503);
    while (passwords->known != NULL)
        forget(passwords, passwords->known);
    failures_free(passwords->failures);
    explicit_bzero(passwords->key, sizeof(passwords->key));
    free(passwords);
}
