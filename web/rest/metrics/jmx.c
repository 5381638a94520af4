/* SPDX-License-Identifier: Apache-2.0 */
/* jmx.c - /jmx?qry=BEAN and /jmx?get=BEAN::ATTRIBUTE of the resource manager */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/rest/handlers.h"
#include "web/rest/metrics/beans.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"

struct jmx { /* in the arena of the exchange */
    struct bean_question question;
    struct bean_text text;
    const char *host;
    struct rest_names nodes;  /* of LiveNodeManagers, that are next */
    struct rest_queue *queue; /* whose beans are next; NULL: none */
    bool begun;
    bool in_nodes; /* LiveNodeManagers has been begun */
    bool any_node; /* and has a node */
};

/* Returns the beans of a queue that exists. */
static struct bean_list *beans_of_queue(const struct web_model *model, const struct rest_queue *queue,
                                        const char *host, struct arena *arena)
{
    struct bean_list *list = bean_list_new(arena);

    beans_add_queue(list, queue, web_model_cluster(model), host);
    return list;
}

/* Returns whether there are beans that have the attribute that is asked for. */
static enum bean_found find(struct exchange *exchange, const struct jmx *jmx)
{
    struct arena *arena = arena_new();
    enum bean_found found = bean_list_find(beans_of(exchange_application(exchange), arena), &jmx->question);

    for (struct rest_queue *queue = jmx->queue; queue != NULL && found != BEANS_FOUND;
         queue = rest_queue_after(queue)) {
        enum bean_found here;

        arena_reset(arena);
        here = bean_list_find(beans_of_queue(rest_model(exchange), queue, jmx->host, arena), &jmx->question);
        found = here > found ? here : found;
    }
    arena_free(arena);
    return found;
}

static void begin(struct exchange *exchange, struct jmx *jmx, struct arena *arena)
{
    jmx->begun = true;
    bean_text_begin(&jmx->text);
    jmx->in_nodes =
        bean_text_add_open(&jmx->text, beans_of(exchange_application(exchange), arena), &jmx->question);
    if (!jmx->in_nodes)
        return;
    jmx->nodes = live_nodes_ids(exchange);
    bean_text_add_piece(&jmx->text, "[");
}

/* Adds the next node to LiveNodeManagers, or ends it. */
static void add_node(struct exchange *exchange, struct jmx *jmx, struct arena *arena)
{
    const char *id = rest_names_take(&jmx->nodes);
    scoped_free char *object = id != NULL ? live_nodes_object(exchange, arena, id) : NULL;

    if (id == NULL) {
        bean_text_add_piece(&jmx->text, "]");
        bean_text_close(&jmx->text);
        jmx->in_nodes = false;
    } else if (object != NULL) {
        bean_text_add_piece(&jmx->text, jmx->any_node ? "," : "");
        bean_text_add_piece(&jmx->text, object);
        jmx->any_node = true;
    }
}

static enum rest_more next_beans(struct exchange *exchange, void *context, struct arena *arena,
                                 struct text_builder *out)
{
    const struct web_model *model = rest_model(exchange);
    struct jmx *jmx = context;

    jmx->text.out = out;
    if (!jmx->begun) {
        begin(exchange, jmx, arena);
        return REST_MORE;
    }
    if (jmx->in_nodes) {
        add_node(exchange, jmx, arena);
        return REST_MORE;
    }
    if (jmx->queue == NULL) {
        bean_text_end(&jmx->text);
        return REST_END;
    }
    if (rest_queue_look(jmx->queue, model))
        bean_text_add(&jmx->text, beans_of_queue(model, jmx->queue, jmx->host, arena), &jmx->question);
    jmx->queue = rest_queue_after(jmx->queue);
    return REST_MORE;
}

static void refuse_attribute(struct exchange *exchange, const char *attribute)
{
    char *text = bean_text_unknown(attribute);

    exchange_answer(exchange, 404, rest_begin_beans(exchange), text, strlen(text));
    free(text);
}

/* Continues after the request for what the resource manager measures; without a reply the beans have what was
 * measured last. */
static void measured(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct arena *arena = exchange_arena(exchange);
    struct jmx *jmx = arena_new0(arena, struct jmx);

    (void)context;
    (void)reply;
    if (!rest_read_beans(exchange, &jmx->question))
        return;
    jmx->host = beans_host(arena);
    jmx->queue = rest_queue_tree(rest_model(exchange), arena);
    if (jmx->question.attribute != NULL && find(exchange, jmx) == BEANS_WITHOUT_ATTRIBUTE)
        refuse_attribute(exchange, jmx->question.attribute);
    else
        rest_send_pieces(exchange, rest_begin_beans(exchange), next_beans, NULL, jmx);
}

void servlet_jmx(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;

    if (!rest_model_is_complete(exchange))
        return;
    if (view->metrics == NULL) {
        measured(exchange, NULL, NULL);
        return;
    }
    query.body_case = CREEL__ENVELOPE__BODY_GET_METRICS;
    query.get_metrics = &body;
    exchange_ask(exchange, &query, measured, NULL);
}
