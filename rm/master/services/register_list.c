/* SPDX-License-Identifier: Apache-2.0 */
/* register_list.c - keeps the containers that an agent sends in several messages before it registers */
#include "rm/master/services/register_list.h"

#include <stdio.h>
#include <string.h>

#include "rm/master/requests.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/effects.h"

#define LISTS_MAX 1024u
#define KEY_BYTES_MAX ((size_t)64 << 20)  /* bytes of all lists sent with one agent's key */
#define ALL_BYTES_MAX ((size_t)256 << 20) /* bytes of all lists */
#define CONTAINERS_MAX 100000u            /* containers of one list; a message may have as many */
#define WAIT_MS 30000                     /* lifetime of an incomplete list; agents repeat within 10 s */

struct part {
    uint8_t *packed; /* owned: RegisterContainers */
    size_t size;
};

struct register_list {
    UT_hash_handle hh;         /* by NODE_ID */
    char *node_id, *principal; /* owned */
    uint64_t incarnation, registration;
    struct part *parts; /* owned array */
    size_t part_count, part_capacity;
    size_t bytes;
    uint32_t containers;
    char after[ID_TEXT_MAX]; /* id of the last container so far */
    struct deadline expiry;
};

/* --- lists ------------------------------------------------------------------ */

void rm_register_list_free(struct master *m, struct register_list *list)
{
    rm_deadline_clear(m, &list->expiry);
    HASH_DEL(m->register_lists, list);
    for (size_t i = 0; i < list->part_count; i++)
        free(list->parts[i].packed);
    free(list->parts);
    free(list->node_id);
    free(list->principal);
    free(list);
}

void rm_register_lists_free(struct master *m)
{
    struct register_list *list, *next;

    HASH_ITER(hh, m->register_lists, list, next)
        rm_register_list_free(m, list);
}

static struct register_list *find(const struct master *m, const char *node_id)
{
    struct register_list *list;

    HASH_FIND_STR(m->register_lists, node_id, list);
    return list;
}

static struct register_list *new_list(struct master *m, const struct master_peer *peer,
                                      const Creel__RegisterContainers *body)
{
    struct register_list *list = mem_new0(struct register_list);

    list->node_id = mem_strdup(body->node_id);
    list->principal = mem_strdup(peer->principal);
    list->incarnation = body->incarnation;
    list->registration = body->registration;
    rm_deadline_init(&list->expiry, DEADLINE_REGISTER_LIST, list);
    HASH_ADD_KEYPTR(hh, m->register_lists, list->node_id, strlen(list->node_id), list);
    return list;
}

static bool is_of(const struct register_list *list, const struct master_peer *peer, uint64_t incarnation,
                  uint64_t registration)
{
    return list != NULL && list->incarnation == incarnation && list->registration == registration &&
           text_equal(list->principal, peer->principal);
}

/* Returns true for a late message: LIST is of a later registration of the node. */
static bool is_past(const struct register_list *list, uint64_t incarnation, uint64_t registration)
{
    return list != NULL && (incarnation < list->incarnation ||
                            (incarnation == list->incarnation && registration < list->registration));
}

static void reply_list(struct master *m, const struct master_peer *peer, uint64_t request_id,
                       const struct register_list *list)
{
    Creel__Envelope *envelope =
        rm_envelope_new(m, request_id, CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY);
    Creel__RegisterContainersReply *reply = arena_new0(m->out->arena, Creel__RegisterContainersReply);

    creel__register_containers_reply__init(reply);
    reply->after = rm_message_text(m->out->arena, list != NULL ? list->after : "");
    reply->before = list != NULL ? list->containers : 0;
    envelope->register_containers_reply = reply;
    rm_reply_to(m, peer, envelope);
}

/* --- limits ------------------------------------------------------------------ */

static void sum_bytes(const struct master *m, const char *principal, size_t *of_key, size_t *of_all)
{
    const struct register_list *list;

    *of_key = *of_all = 0;
    for (list = m->register_lists; list != NULL; list = list->hh.next) {
        *of_all += list->bytes;
        if (strcmp(list->principal, principal) == 0)
            *of_key += list->bytes;
    }
}

/* Sends an Error and returns true if SIZE more bytes would exceed a limit. */
static bool refuse_size(struct master *m, const struct master_peer *peer, uint64_t request_id, size_t size)
{
    size_t of_key, of_all;

    sum_bytes(m, peer->principal, &of_key, &of_all);
    if (of_key + size <= KEY_BYTES_MAX && of_all + size <= ALL_BYTES_MAX)
        return false;
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "%zu MiB of containers of nodes that register are kept for %s: try again later",
                   (of_key + size <= KEY_BYTES_MAX ? of_all : of_key) >> 20,
                   of_key + size <= KEY_BYTES_MAX ? "all agents" : "this agent's key");
    return true;
}

static bool refuse_new(struct master *m, const struct master_peer *peer, uint64_t request_id)
{
    if (HASH_COUNT(m->register_lists) < LISTS_MAX)
        return false;
    rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_UNAVAILABLE,
                   "%u nodes send the list of their containers: try again later", LISTS_MAX);
    return true;
}

/* --- parts -------------------------------------------------------------------- */

static void add_part(struct register_list *list, const Creel__RegisterContainers *body, size_t size)
{
    struct part *part;

    mem_grow(list->parts, list->part_count, list->part_capacity);
    part = &list->parts[list->part_count++];
    part->size = size;
    part->packed = mem_alloc(size + 1);
    creel__register_containers__pack(body, part->packed);
    list->bytes += size;
    list->containers += (uint32_t)body->n_containers;
    snprintf(list->after, sizeof(list->after), "%s", body->containers[body->n_containers - 1]->container_id);
}

/* Adds BODY to LIST, or to a new list if LIST is NULL. Returns the list. NULL: an Error has been sent; LIST
 * was freed if it has too many containers. */
static struct register_list *handle_part(struct master *m, const struct master_peer *peer,
                                         uint64_t request_id, struct register_list *list,
                                         const Creel__RegisterContainers *body)
{
    size_t size = creel__register_containers__get_packed_size(body);

    if (refuse_size(m, peer, request_id, size) || (list == NULL && refuse_new(m, peer, request_id)))
        return NULL;
    if (list == NULL)
        list = new_list(m, peer, body);
    if (body->n_containers > CONTAINERS_MAX - list->containers) {
        rm_register_list_free(m, list);
        rm_reply_error(m, peer, request_id, CREEL__ERROR_CODE__ERROR_TOO_LARGE,
                       "node %s registers more than %u containers", body->node_id, CONTAINERS_MAX);
        return NULL;
    }
    add_part(list, body, size);
    rm_deadline_set(m, &list->expiry, m->now_ms + WAIT_MS);
    return list;
}

void rm_on_register_containers(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    const Creel__RegisterContainers *body = in->register_containers;
    struct register_list *list = find(m, body->node_id);

    if (is_past(list, body->incarnation, body->registration))
        return;
    if (list != NULL && !is_of(list, peer, body->incarnation, body->registration)) {
        rm_register_list_free(m, list);
        list = NULL;
    }
    if (body->n_containers > 0 && strcmp(body->after, list != NULL ? list->after : "") == 0) {
        list = handle_part(m, peer, in->request_id, list, body);
        if (list == NULL)
            return;
    }
    reply_list(m, peer, in->request_id, list);
}

/* --- the whole registration ----------------------------------------------------- */

static const Creel__Envelope *join_parts(struct master *m, const struct register_list *list,
                                         const Creel__Envelope *in)
{
    struct arena *arena = m->out->arena;
    Creel__Envelope *envelope = arena_new0(arena, Creel__Envelope);
    Creel__RegisterNode *body = arena_new0(arena, Creel__RegisterNode);
    const Creel__RegisterNode *last = in->register_node;

    *envelope = *in;
    *body = *last;
    envelope->register_node = body;
    body->containers =
        arena_array0(arena, list->containers + last->n_containers + 1, sizeof(*body->containers));
    body->n_containers = 0;
    for (size_t i = 0; i < list->part_count; i++) {
        const Creel__RegisterContainers *part = (const Creel__RegisterContainers *)rm_message_unpack_in(
            arena, &creel__register_containers__descriptor, list->parts[i].packed, list->parts[i].size);

        memcpy(&body->containers[body->n_containers], part->containers,
               part->n_containers * sizeof(*part->containers));
        body->n_containers += part->n_containers;
    }
    if (last->n_containers > 0)
        memcpy(&body->containers[body->n_containers], last->containers,
               last->n_containers * sizeof(*last->containers));
    body->n_containers += last->n_containers;
    return envelope;
}

const Creel__Envelope *rm_register_list_complete(struct master *m, const struct master_peer *peer,
                                                 const Creel__Envelope *in)
{
    const Creel__RegisterNode *body = in->register_node;
    struct register_list *list = find(m, body->node_id);
    bool is_whole = rm_text_is_empty(body->after);
    const Creel__Envelope *joined = in;

    if (!is_whole && (!is_of(list, peer, body->incarnation, body->registration) ||
                      strcmp(list->after, body->after) != 0 || list->containers != body->before)) {
        reply_list(m, peer, in->request_id,
                   is_of(list, peer, body->incarnation, body->registration) ? list : NULL);
        return NULL;
    }
    if (!is_whole)
        joined = join_parts(m, list, in);
    if (list != NULL && !is_past(list, body->incarnation, body->registration))
        rm_register_list_free(m, list);
    return joined;
}
