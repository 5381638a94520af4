/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.c - the event stream /cluster/changes: which topics have changed
 *
 * The parameter "topics" is a list of "apps", "nodes", "queues", "cluster", "app:ID" and "node:ID"; "since"
 * is the version of the model that the client has. A client whose page has a note that the model is not up to
 * date adds the parameter "trouble". An event has the version as its id, and as data the names of the topics
 * that have changed: "apps queues", "app"; with "trouble" the note has changed. A browser that connects again
 * sends the id in the header Last-Event-ID. An unknown version (after a restart of creel-web) counts as the
 * oldest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/pages.h"

#define TOPICS_MAX 8
#define WATCH_TROUBLE_SIZE 128

struct topic {
    const char *word; /* name in events */
    const char *id;   /* of an application or a node; NULL: all objects of KIND */
    enum web_topic kind;
};

struct watch {
    const struct web_view *view;
    struct topic topics[TOPICS_MAX];
    size_t topic_count;
    uint64_t since;                   /* version of the model at the last event */
    char trouble[WATCH_TROUBLE_SIZE]; /* why the model was out of date then; "": it was not */
};

static const struct topic known[] = {
    { "apps", NULL, WEB_TOPIC_APPS },     { "nodes", NULL, WEB_TOPIC_NODES },
    { "queues", NULL, WEB_TOPIC_QUEUES }, { "cluster", NULL, WEB_TOPIC_CLUSTER },
    { "app", "", WEB_TOPIC_APPS },        { "node", "", WEB_TOPIC_NODES },
};

static uint64_t changed(const struct watch *watch, const struct topic *topic)
{
    const struct web_model *model = watch->view->model;

    if (topic->id == NULL)
        return web_model_changed(model, topic->kind);
    return topic->kind == WEB_TOPIC_APPS ? web_model_app_changed(model, topic->id)
                                         : web_model_node_changed(model, topic->id);
}

/* Copies the topic NAME to WATCH. Returns false if there is no such topic, or no room for it. */
static bool add_topic(struct watch *watch, const char *name)
{
    const char *id = strchr(name, ':');
    size_t length = strcspn(name, ":");

    for (size_t i = 0; i < sizeof(known) / sizeof(*known) && watch->topic_count < TOPICS_MAX; i++) {
        const struct topic *topic = &known[i];

        if (strlen(topic->word) != length || strncmp(topic->word, name, length) != 0 ||
            (topic->id != NULL) != (id != NULL))
            continue;
        watch->topics[watch->topic_count] = *topic;
        watch->topics[watch->topic_count++].id = id != NULL ? id + 1 : NULL;
        return true;
    }
    return false;
}

static bool read_topics(struct watch *watch, char *list)
{
    for (char *name, *rest = list; (name = strsep(&rest, ",")) != NULL;)
        if (!add_topic(watch, name))
            return false;
    return true;
}

/* Returns why the model is not up to date; "": it is. */
static const char *trouble_of(const struct watch *watch)
{
    return watch->view->trouble != NULL ? watch->view->trouble : "";
}

/* Returns whether the trouble of the model differs from that at the last call. */
static bool trouble_changed(struct watch *watch)
{
    char trouble[WATCH_TROUBLE_SIZE] = "";
    bool differs;

    snprintf(trouble, sizeof(trouble), "%s", trouble_of(watch));
    differs = strcmp(trouble, watch->trouble) != 0;
    memcpy(watch->trouble, trouble, sizeof(trouble));
    return differs;
}

/* The words of "apps nodes queues cluster", each at most once per topic, fit into 128 bytes. */
static size_t next_event(struct exchange *exchange, void *context, char *text, size_t size)
{
    struct watch *watch = context;
    char words[128] = "";
    size_t length = 0;

    (void)exchange;
    for (size_t i = 0; i < watch->topic_count; i++)
        if (changed(watch, &watch->topics[i]) > watch->since)
            length += (size_t)snprintf(words + length, sizeof(words) - length, " %s", watch->topics[i].word);
    if (trouble_changed(watch))
        length += (size_t)snprintf(words + length, sizeof(words) - length, " trouble");
    watch->since = web_model_version(watch->view->model);
    return length == 0 ? 0
                       : (size_t)snprintf(text, size, "id: %" PRIu64 "\ndata:%s\n\n", watch->since, words);
}

/* Returns the version that the client has; 0: none, or one of another process. */
static uint64_t version_of_client(const struct exchange *exchange, const struct web_model *model)
{
    const char *id = exchange_header(exchange, "Last-Event-ID");
    int64_t since = 0;

    if (id == NULL)
        id = exchange_parameter(exchange, "since", 0);
    if (id == NULL || !text_parse_int64(id, &since) || since < 0 ||
        (uint64_t)since > web_model_version(model))
        return 0;
    return (uint64_t)since;
}

void page_changes(struct exchange *exchange)
{
    const char *list = exchange_parameter(exchange, "topics", 0);
    struct watch *watch = arena_new0(exchange_arena(exchange), struct watch);

    watch->view = exchange_application(exchange);
    if (list == NULL || !read_topics(watch, arena_strdup(exchange_arena(exchange), list))) {
        exchange_refuse(exchange, 400,
                        "The parameter topics must be a list of at most eight of: apps, nodes, queues, "
                        "cluster, app:ID, node:ID. Example: /cluster/changes?topics=apps,queues.");
        return;
    }
    watch->since = version_of_client(exchange, watch->view->model);
    /* A page that was loaded before the trouble began or ended gets an event at once. */
    if (exchange_parameter(exchange, "trouble", 0) != NULL)
        snprintf(watch->trouble, sizeof(watch->trouble), "%s",
                 watch->view->trouble != NULL ? watch->view->trouble : "?");
    exchange_answer_events(exchange, next_event, watch);
}
