/* SPDX-License-Identifier: Apache-2.0 */
/* peer_keys.c - decides which keys may connect to the agent's port, by replies of the resource manager */
#include "nm-agent/net/peer_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"

enum stage { IDLE, WANTED, ASKED };

struct entry {
    char key[KEY_TEXT];
    char *user; /* owned; NULL: not known */
    enum stage stage;
    bool known;              /* the key is known, by the last reply */
    bool answered;           /* there was a reply */
    int64_t answered_ms;     /* steady clock */
    TAILQ_ENTRY(entry) used; /* least recently used first */
    TAILQ_ENTRY(entry) link; /* in the list of its stage, unless IDLE */
    UT_hash_handle hh;
};

TAILQ_HEAD(entries, entry);

struct peer_keys {
    struct loop *loop;
    uint64_t next_request, request; /* REQUEST: id of the outstanding request; 0: none */
    peer_keys_send_fn *send;
    peer_keys_answered_fn *answered;
    void *context;
    struct entry *by_key;
    struct entries used, wanted, asked;
    int send_timer, patience_timer;
    int64_t away_until_ms; /* no request is sent before this time, after a missing reply */
    bool admits_all;       /* the RM does not support FindKeys, and that was logged */
};

struct peer_keys *peer_keys_new(struct loop *loop, uint64_t first_request, peer_keys_send_fn *send,
                                peer_keys_answered_fn *answered, void *context)
{
    struct peer_keys *keys = mem_new0(struct peer_keys);

    keys->loop = loop;
    keys->next_request = first_request;
    keys->send = send;
    keys->answered = answered;
    keys->context = context;
    TAILQ_INIT(&keys->used);
    TAILQ_INIT(&keys->wanted);
    TAILQ_INIT(&keys->asked);
    return keys;
}

static void free_entry(struct entry *entry)
{
    free(entry->user);
    free(entry);
}

void peer_keys_free(struct peer_keys *keys)
{
    struct entry *entry, *next;

    if (keys == NULL)
        return;
    loop_cancel_timer(keys->loop, keys->send_timer);
    loop_cancel_timer(keys->loop, keys->patience_timer);
    HASH_ITER(hh, keys->by_key, entry, next) {
        HASH_DEL(keys->by_key, entry);
        free_entry(entry);
    }
    free(keys);
}

static bool is_away(const struct peer_keys *keys)
{
    return loop_monotonic_ms() < keys->away_until_ms;
}

static bool is_fresh(const struct entry *entry)
{
    return entry->answered && loop_monotonic_ms() - entry->answered_ms < PEER_KEYS_FRESH_MS;
}

/* --- requests -------------------------------------------------------------------- */

static void send_wanted(void *context);

static void plan_sending(struct peer_keys *keys)
{
    if (keys->send_timer == 0 && keys->request == 0 && !TAILQ_EMPTY(&keys->wanted))
        keys->send_timer = loop_add_timer(keys->loop, 0, send_wanted, keys);
}

/* Makes ENTRY idle, and calls ANSWERED, so that handshakes waiting for its result continue. */
static void settle(struct peer_keys *keys, struct entries *list, struct entry *entry)
{
    TAILQ_REMOVE(list, entry, link);
    entry->stage = IDLE;
    keys->answered(keys->context, entry->key);
}

/* Handles a missing reply: the last results of the requested keys stay valid. */
static void note_away(struct peer_keys *keys)
{
    keys->request = 0;
    keys->away_until_ms = loop_monotonic_ms() + PEER_KEYS_RETRY_MS;
    while (!TAILQ_EMPTY(&keys->asked))
        settle(keys, &keys->asked, TAILQ_FIRST(&keys->asked));
    while (!TAILQ_EMPTY(&keys->wanted))
        settle(keys, &keys->wanted, TAILQ_FIRST(&keys->wanted));
}

static void on_no_answer(void *context)
{
    struct peer_keys *keys = context;

    keys->patience_timer = 0;
    note_away(keys);
}

static bool send_request(struct peer_keys *keys, char **texts, size_t count)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FindKeys body = CREEL__FIND_KEYS__INIT;

    body.public_keys = texts;
    body.n_public_keys = count;
    envelope.request_id = keys->request = keys->next_request++;
    envelope.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS;
    envelope.find_keys = &body;
    return keys->send(keys->context, &envelope);
}

static void send_wanted(void *context)
{
    struct peer_keys *keys = context;
    char *texts[PEER_KEYS_BATCH];
    size_t count = 0;

    keys->send_timer = 0;
    while (count < PEER_KEYS_BATCH && !TAILQ_EMPTY(&keys->wanted)) {
        struct entry *entry = TAILQ_FIRST(&keys->wanted);

        TAILQ_REMOVE(&keys->wanted, entry, link);
        TAILQ_INSERT_TAIL(&keys->asked, entry, link);
        entry->stage = ASKED;
        texts[count++] = entry->key;
    }
    if (send_request(keys, texts, count))
        keys->patience_timer = loop_add_timer(keys->loop, PEER_KEYS_PATIENCE_MS, on_no_answer, keys);
    else
        note_away(keys);
}

/* --- replies ---------------------------------------------------------------------- */

static struct entry *find(struct peer_keys *keys, const char *public_text)
{
    struct entry *entry;

    HASH_FIND_STR(keys->by_key, public_text, entry);
    return entry;
}

/* Notes the user of known key I of REPLY. */
static void note_user(struct entry *entry, const Creel__FindKeysReply *reply, size_t i)
{
    if (reply->n_known_users != reply->n_known_keys)
        return; /* of an earlier release */
    free(entry->user);
    entry->user = mem_strdup(reply->known_users[i]);
}

/* Sets the result of each requested key: known if it is among those of REPLY, or if REPLY is NULL. */
static void store_answers(struct peer_keys *keys, const Creel__FindKeysReply *reply)
{
    struct entry *entry;

    TAILQ_FOREACH(entry, &keys->asked, link) {
        entry->known = reply == NULL;
        entry->answered = true;
        entry->answered_ms = loop_monotonic_ms();
    }
    for (size_t i = 0; reply != NULL && i < reply->n_known_keys; i++) {
        entry = find(keys, reply->known_keys[i]);
        if (entry == NULL || entry->stage != ASKED)
            continue;
        entry->known = true;
        note_user(entry, reply, i);
    }
    while (!TAILQ_EMPTY(&keys->asked))
        settle(keys, &keys->asked, TAILQ_FIRST(&keys->asked));
}

/* Adds an entry. NULL: all PEER_KEYS_MAX entries wait for replies. */
static struct entry *add(struct peer_keys *keys, const char *public_text)
{
    struct entry *entry = TAILQ_FIRST(&keys->used);

    if (HASH_COUNT(keys->by_key) >= PEER_KEYS_MAX) {
        if (entry->stage != IDLE)
            return NULL;
        TAILQ_REMOVE(&keys->used, entry, used);
        HASH_DEL(keys->by_key, entry);
        free_entry(entry);
    }
    entry = mem_new0(struct entry);
    snprintf(entry->key, sizeof(entry->key), "%s", public_text);
    HASH_ADD_STR(keys->by_key, key, entry);
    TAILQ_INSERT_TAIL(&keys->used, entry, used);
    return entry;
}

/* Marks the withdrawn keys as unknown and the announced keys as known. A pending request for one of these
 * keys continues. */
static void apply_announcement(struct peer_keys *keys, const Creel__FindKeysReply *announced)
{
    for (size_t i = 0; i < announced->n_withdrawn_keys; i++) {
        struct entry *entry = find(keys, announced->withdrawn_keys[i]);

        if (entry == NULL)
            continue;
        entry->known = false;
        entry->answered = true;
        entry->answered_ms = loop_monotonic_ms();
    }
    for (size_t i = 0; i < announced->n_known_keys; i++) {
        struct entry *entry = find(keys, announced->known_keys[i]);

        if (entry == NULL)
            entry = add(keys, announced->known_keys[i]);
        if (entry == NULL)
            return;
        entry->known = entry->answered = true;
        entry->answered_ms = loop_monotonic_ms();
        note_user(entry, announced, i);
    }
}

void peer_keys_receive(struct peer_keys *keys, const Creel__Envelope *reply)
{
    if (reply->request_id == 0 && reply->body_case == CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY)
        apply_announcement(keys, reply->find_keys_reply);
    if (keys->request == 0 || reply->request_id != keys->request)
        return;
    loop_cancel_timer(keys->loop, keys->patience_timer);
    keys->patience_timer = 0;
    keys->request = 0;
    if (reply->body_case == CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY) {
        keys->admits_all = false;
        store_answers(keys, reply->find_keys_reply);
    } else if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
               reply->error->code == CREEL__ERROR_CODE__ERROR_UNSUPPORTED) {
        if (!keys->admits_all)
            log_line(LOG_LEVEL_WARN, "the resource manager is of an earlier release, which cannot be asked "
                                     "about keys: any key is admitted until it is upgraded");
        keys->admits_all = true;
        store_answers(keys, NULL);
    } else {
        note_away(keys);
    }
    plan_sending(keys);
}

enum key_lookup peer_keys_find(void *context, const char *public_text, bool connected)
{
    struct peer_keys *keys = context;
    struct entry *entry = find(keys, public_text);
    bool away = is_away(keys);

    if (entry == NULL && !connected && !away)
        entry = add(keys, public_text);
    if (entry == NULL)
        return KEY_LOOKUP_UNKNOWN;
    TAILQ_REMOVE(&keys->used, entry, used);
    TAILQ_INSERT_TAIL(&keys->used, entry, used);
    if (!is_fresh(entry) && !away && entry->stage == IDLE) {
        TAILQ_INSERT_TAIL(&keys->wanted, entry, link);
        entry->stage = WANTED;
        plan_sending(keys);
    }
    if (!connected && entry->stage != IDLE)
        return KEY_LOOKUP_PENDING;
    return entry->known ? KEY_LOOKUP_KNOWN : KEY_LOOKUP_UNKNOWN;
}

const char *peer_keys_user(void *context, const char *public_text)
{
    const struct entry *entry = find(context, public_text);

    return entry != NULL ? entry->user : NULL;
}
