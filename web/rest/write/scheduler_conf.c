/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler_conf.c - /scheduler-conf: reads and changes the configuration of queues
 *
 * The resource manager stores the changes; they override capacity-scheduler.xml. As in YARN, answers other
 * than lists of properties are plain texts, not JSON or XML documents.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/write.h"

#define EDITS_MAX 10000 /* also the maximum of keys in the whole request */
#define PAGES_MAX \
    256 /* of the properties, with those that are read again; the resource manager has far fewer */
#define FORBIDDEN "org.apache.hadoop.yarn.webapp.ForbiddenException"
#define INVALID "CapacityScheduler configuration validation failed:java.io.IOException: "
#define NOT_REFRESHED "Failed to re-init queues : "
/* YARN's sentences where queues are configured in files alone; the second with the class of the scheduler. */
#define CHANGE_NOT_SUPPORTED "Configuration change only supported by MutableConfScheduler."
#define GET_NOT_SUPPORTED \
    "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, " \
    "underneath scheduler %s is not an instance of MutableConfScheduler"

/* --- answers -------------------------------------------------------------------- */

static const char *not_mutable(struct exchange *exchange)
{
    const Creel__ClusterInfo *cluster = web_model_cluster(rest_model(exchange));

    if (!text_equal(exchange_method(exchange), "GET"))
        return CHANGE_NOT_SUPPORTED;
    return arena_printf(exchange_arena(exchange), GET_NOT_SUPPORTED,
                        cluster == NULL || text_equal(cluster->queue_model, "capacity") ? "CapacityScheduler"
                        : text_equal(cluster->queue_model, "fair")                      ? "FairScheduler"
                                                                                        : "FifoScheduler");
}

/* Sends ERROR. If it is about the content of the request, it is sent as text after PREFIX. */
static void send_refusal(struct exchange *exchange, const char *prefix, const Creel__Error *error)
{
    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        if (strstr(error->message, "not admin of all modified queues") != NULL)
            rest_send_text(exchange, 403, error->message);
        else
            rest_error(exchange, 403, FORBIDDEN,
                       "java.lang.Exception: Only admins can carry out this operation.");
        break;
    case CREEL__ERROR_CODE__ERROR_BAD_CONFIG:
        rest_send_text(
            exchange, 400,
            arena_printf(exchange_arena(exchange), "%s" NOT_REFRESHED "%s", prefix, error->message));
        break;
    case CREEL__ERROR_CODE__ERROR_BAD_REQUEST:
    case CREEL__ERROR_CODE__ERROR_BAD_STATE:
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
    case CREEL__ERROR_CODE__ERROR_TOO_LARGE:
        rest_send_text(exchange, 400, arena_printf(exchange_arena(exchange), "%s%s", prefix, error->message));
        break;
    case CREEL__ERROR_CODE__ERROR_UNSUPPORTED:
        rest_send_text(
            exchange, 400,
            arena_printf(exchange_arena(exchange), "%s (%s)", not_mutable(exchange), error->message));
        break;
    default:
        rest_upstream_error(exchange, error);
        break;
    }
}

/* Returns whether REPLY is a SchedulerConf; if not, answers with an error. */
static bool is_conf(struct exchange *exchange, const char *prefix, const Creel__Envelope *reply)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_SCHEDULER_CONF)
        return true;
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        send_refusal(exchange, prefix, reply->error);
    else
        rest_error(exchange, 500, FORBIDDEN, "the resource manager sent another reply than asked for");
    return false;
}

struct property {
    struct property *next;
    const char *name, *value;
};

/* Properties that arrive in pages; in the exchange's arena. */
struct properties {
    Creel__Envelope query; /* for the first page; its body is copied */
    const char *prefix;    /* of the text of a refusal */
    struct property *first, **last;
    size_t count;
    uint64_t version;
    unsigned pages;
};

/* Writes the first property, and takes it out. */
static enum rest_more next_property(struct exchange *exchange, void *context, struct arena *arena,
                                    struct document *document)
{
    struct properties *properties = context;
    const struct property *property = properties->first;

    (void)exchange;
    (void)arena;
    if (property == NULL) {
        document_end_list(document);
        return REST_END;
    }
    document_begin(document, NULL);
    document_text(document, "name", property->name);
    document_text(document, "value", property->value);
    document_end(document);
    properties->first = property->next;
    return REST_MORE;
}

static void send_properties(struct exchange *exchange, struct properties *properties)
{
    struct document *document = rest_begin_plain(exchange, "configuration", REST_BARE);

    if (document == NULL)
        return;
    document_begin_list(document, "property", properties->count);
    rest_send_items(exchange, document, next_property, properties);
}

static void add_page(struct arena *arena, struct properties *properties, const Creel__SchedulerConf *page)
{
    for (size_t i = 0; i < page->n_entries; i++) {
        struct property *property = arena_new0(arena, struct property);

        property->name = arena_strdup(arena, page->entries[i]->key);
        property->value = arena_strdup(arena, page->entries[i]->value);
        *properties->last = property;
        properties->last = &property->next;
        properties->count++;
    }
}

static void handle_page(struct exchange *exchange, void *context, const Creel__Envelope *reply);

/* Asks for the page that begins with row FIRST. */
static void ask_page(struct exchange *exchange, struct properties *properties, uint32_t first)
{
    if (first == 0) {
        properties->first = NULL;
        properties->last = &properties->first;
        properties->count = 0;
    }
    if (properties->query.body_case == CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF)
        properties->query.get_scheduler_conf->first = first;
    else
        properties->query.change_scheduler_conf->first = first;
    exchange_ask(exchange, &properties->query, handle_page, properties);
}

static void handle_page(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct properties *properties = context;
    const Creel__SchedulerConf *page;
    bool changed;

    if (!is_conf(exchange, properties->prefix, reply))
        return;
    page = reply->scheduler_conf;
    changed = properties->count > 0 && page->version != properties->version;
    properties->version = page->version;
    if (!changed)
        add_page(exchange_arena(exchange), properties, page);
    if (!changed && page->next == 0)
        send_properties(exchange, properties);
    else if (++properties->pages < PAGES_MAX)
        ask_page(exchange, properties, changed ? 0 : page->next);
    else
        rest_error(exchange, 500, FORBIDDEN, "the configuration changed again and again while it was read");
}

/* Sends the properties that QUERY is answered with; its body lives as long as EXCHANGE. */
static void ask_properties(struct exchange *exchange, const Creel__Envelope *query, const char *prefix)
{
    struct properties *properties = arena_new0(exchange_arena(exchange), struct properties);

    properties->query = *query;
    properties->prefix = prefix;
    ask_page(exchange, properties, 0);
}

static void send_version(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct document *document;

    if (!is_conf(exchange, context, reply))
        return;
    document = rest_begin_plain(exchange, "configversion", REST_MAPPED);
    if (document == NULL)
        return;
    document_int(document, "versionID", (int64_t)reply->scheduler_conf->version);
    rest_send(exchange, 200, document);
}

static void send_changed(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    if (is_conf(exchange, "", reply))
        rest_send_text(exchange, 200, context);
}

/* --- reading --------------------------------------------------------------------- */

void rest_scheduler_conf(struct exchange *exchange)
{
    Creel__GetSchedulerConf *get = arena_new0(exchange_arena(exchange), Creel__GetSchedulerConf);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    creel__get_scheduler_conf__init(get);
    query.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    query.get_scheduler_conf = get;
    ask_properties(exchange, &query, "");
}

void rest_scheduler_conf_version(struct exchange *exchange)
{
    Creel__GetSchedulerConf get = CREEL__GET_SCHEDULER_CONF__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    query.body_case = CREEL__ENVELOPE__BODY_GET_SCHEDULER_CONF;
    query.get_scheduler_conf = &get;
    exchange_ask(exchange, &query, send_version, (void *)(uintptr_t) "");
}

/* --- the body of a change ---------------------------------------------------------- */

/* A body that is being read into CHANGE. KEYS counts the entries of all edits. */
struct reading {
    struct arena *arena;
    Creel__ChangeSchedulerConf *change;
    size_t keys;
    const char *problem; /* why the body is invalid; NULL: it is valid so far */
};

static char *borrow(const char *text)
{
    return (char *)(uintptr_t)(text != NULL ? text : "");
}

static size_t count_of(const struct tree *first)
{
    size_t count = 0;

    for (; first != NULL; first = tree_next(first))
        count++;
    return count;
}

/* Adds the entries of OF to EDIT, whose array of keys has room for them. */
static void read_entries(struct reading *reading, const struct tree *of, Creel__SchedulerConfEdit *edit)
{
    for (const struct tree *entry = tree_find(of, "entry"); entry != NULL; entry = tree_next(entry)) {
        Creel__ConfOverride *key = arena_new0(reading->arena, Creel__ConfOverride);
        const char *name = tree_text(entry, "key"), *value = tree_text(entry, "value");

        creel__conf_override__init(key);
        if (name == NULL || *name == '\0')
            reading->problem = "an entry has no key";
        key->key = borrow(name);
        key->value = borrow(value);
        key->removed = value == NULL || *value == '\0';
        edit->keys[edit->n_keys++] = key;
    }
}

/* Reads the entries of FIRST and of its next siblings of the same name into EDIT. */
static void read_keys(struct reading *reading, const struct tree *first, Creel__SchedulerConfEdit *edit)
{
    size_t count = 0;

    for (const struct tree *of = first; of != NULL; of = tree_next(of))
        count += count_of(tree_find(of, "entry"));
    reading->keys += count;
    if (reading->keys > EDITS_MAX) {
        reading->problem = "the change has more than 10000 entries";
        return;
    }
    edit->keys = arena_array0(reading->arena, count + 1, sizeof(*edit->keys));
    for (const struct tree *of = first; of != NULL; of = tree_next(of))
        read_entries(reading, of, edit);
}

static Creel__SchedulerConfEdit *add_edit(struct reading *reading, Creel__SchedulerConfPart part,
                                          const char *queue)
{
    Creel__SchedulerConfEdit *edit = arena_new0(reading->arena, Creel__SchedulerConfEdit);

    creel__scheduler_conf_edit__init(edit);
    edit->part = part;
    edit->queue = borrow(queue);
    if (part != CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL && *edit->queue == '\0')
        reading->problem = "a queue has no name";
    reading->change->edits[reading->change->n_edits++] = edit;
    return edit;
}

static void read_queues(struct reading *reading, const struct tree *body, const char *name,
                        Creel__SchedulerConfPart part)
{
    for (const struct tree *queue = tree_find(body, name); queue != NULL; queue = tree_next(queue))
        read_keys(reading, tree_find(queue, "params"),
                  add_edit(reading, part, tree_text(queue, "queue-name")));
}

/* Reads BODY in YARN's order: queues are removed, added, updated, then keys of the scheduler are set. */
static void read_change(struct reading *reading, const struct tree *body)
{
    size_t count = count_of(tree_find(body, "remove-queue")) + count_of(tree_find(body, "add-queue")) +
                   count_of(tree_find(body, "update-queue")) + 1;

    if (count > EDITS_MAX) {
        reading->problem = "the change has more than 10000 queues";
        return;
    }
    reading->change->edits = arena_array0(reading->arena, count, sizeof(*reading->change->edits));
    for (const struct tree *queue = tree_find(body, "remove-queue"); queue != NULL; queue = tree_next(queue))
        if (queue->text != NULL && *queue->text != '\0') /* tree.h reads [] as one empty element */
            add_edit(reading, CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_REMOVE_QUEUE, queue->text);
    read_queues(reading, body, "add-queue", CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_ADD_QUEUE);
    read_queues(reading, body, "update-queue", CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_UPDATE_QUEUE);
    if (tree_find(body, "global-updates") != NULL)
        read_keys(reading, tree_find(body, "global-updates"),
                  add_edit(reading, CREEL__SCHEDULER_CONF_PART__SCHEDULER_CONF_GLOBAL, NULL));
}

static void send_change(struct exchange *exchange, bool validate)
{
    const struct tree *body = rest_may_write(exchange) ? rest_read_body(exchange, "sched-conf") : NULL;
    Creel__ChangeSchedulerConf *change = arena_new0(exchange_arena(exchange), Creel__ChangeSchedulerConf);
    struct reading reading = { .arena = exchange_arena(exchange), .change = change };
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (body == NULL)
        return;
    creel__change_scheduler_conf__init(change);
    read_change(&reading, body);
    if (reading.problem != NULL) {
        rest_bad_request(exchange, reading.problem);
        return;
    }
    change->validate = validate;
    query.body_case = CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    query.change_scheduler_conf = change;
    if (validate)
        ask_properties(exchange, &query, INVALID);
    else
        exchange_ask(exchange, &query, send_changed,
                     (void *)(uintptr_t) "Configuration change successfully applied.");
}

void rest_change_scheduler_conf(struct exchange *exchange)
{
    send_change(exchange, false);
}

void rest_validate_scheduler_conf(struct exchange *exchange)
{
    send_change(exchange, true);
}

/* Differs: in YARN a GET does this, which any page of another site could send. */
void rest_format_scheduler_conf(struct exchange *exchange)
{
    Creel__ChangeSchedulerConf change = CREEL__CHANGE_SCHEDULER_CONF__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (!rest_may_write(exchange))
        return;
    change.rollback_to = 1;
    query.body_case = CREEL__ENVELOPE__BODY_CHANGE_SCHEDULER_CONF;
    query.change_scheduler_conf = &change;
    exchange_ask(exchange, &query, send_changed,
                 (void *)(uintptr_t) "Configuration under store successfully formatted.");
}
