/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apps.c - /ws/v1/node/apps, as YARN's AppInfo of the node manager
 *
 * The applications are those with containers on the node. In a snapshot the containers of an application
 * follow each other.
 */
#include <string.h>

#include "common/base/id.h"
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"
#include "yarn/container.h"

#define STATE_ENUM "org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationState"

/* --- one application --------------------------------------------------------- */

/* The containers of one application. */
struct node_app {
    Creel__AgentContainer *const *containers;
    size_t count;
};

/* Returns the application whose containers begin at AT. */
static struct node_app app_at(const Creel__AgentSnapshot *node, size_t at)
{
    struct node_app app = { &node->containers[at], 1 };

    while (at + app.count < node->n_containers &&
           strcmp(node->containers[at + app.count]->app_id, app.containers[0]->app_id) == 0)
        app.count++;
    return app;
}

static size_t count_from(const struct node_app *app, Creel__AgentPhase least, Creel__AgentPhase most)
{
    size_t count = 0;

    for (size_t i = 0; i < app->count; i++)
        count += app->containers[i]->phase >= least && app->containers[i]->phase <= most;
    return count;
}

static const char *state_of(const struct node_app *app)
{
    bool has_live =
        count_from(app, CREEL__AGENT_PHASE__AGENT_PHASE_NEW, CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING) > 0;
    bool has_launched = count_from(app, CREEL__AGENT_PHASE__AGENT_PHASE_WAITING,
                                   CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED) > 0;

    return yarn_agent_app_state(app->containers[0]->app_over, has_live, has_launched);
}

/* Adds the members of APP. As in YARN, containers whose end is acknowledged are not listed. */
static void add_members(struct document *document, const struct node_app *app)
{
    document_text(document, "id", app->containers[0]->app_id);
    document_text(document, "state", state_of(app));
    document_text(document, "user", app->containers[0]->user);
    document_begin_list(
        document, "containerids",
        count_from(app, CREEL__AGENT_PHASE__AGENT_PHASE_NEW, CREEL__AGENT_PHASE__AGENT_PHASE_ENDED));
    for (size_t i = 0; i < app->count; i++)
        if (app->containers[i]->phase != CREEL__AGENT_PHASE__AGENT_PHASE_ACKNOWLEDGED)
            document_text(document, NULL, app->containers[i]->container_id);
    document_end_list(document);
}

/* --- filters ----------------------------------------------------------------- */

/* Reads the parameters state and user; NULL: absent. Returns false after answering with 400. */
static bool read_filters(struct exchange *exchange, const char **state, const char **user)
{
    *state = exchange_parameter(exchange, "state", 0);
    *user = exchange_parameter(exchange, "user", 0);
    if (*state != NULL && !yarn_is_agent_app_state(*state)) {
        rest_illegal_argument(
            exchange, arena_printf(exchange_arena(exchange), "No enum constant " STATE_ENUM ".%s", *state));
        return false;
    }
    if (*user == NULL || **user != '\0')
        return true;
    rest_bad_request(exchange, "Error: You must specify a non-empty string for the user");
    return false;
}

/* --- handlers ---------------------------------------------------------------- */

void node_apps(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    const char *state, *user;
    struct node_app *apps;
    struct document *document;
    size_t count = 0;

    if (node == NULL || !read_filters(exchange, &state, &user))
        return;
    document = rest_begin_plain(exchange, "apps", REST_NATURAL);
    if (document == NULL)
        return;
    apps = arena_array0(exchange_arena(exchange), node->n_containers + 1, sizeof(*apps));
    for (size_t at = 0; at < node->n_containers;) {
        struct node_app app = app_at(node, at);

        at += app.count;
        if ((state == NULL || strcmp(state, state_of(&app)) == 0) &&
            (user == NULL || strcmp(user, app.containers[0]->user) == 0))
            apps[count++] = app;
    }
    document_begin_list(document, "app", count);
    for (size_t i = 0; i < count; i++) {
        document_begin(document, NULL);
        add_members(document, &apps[i]);
        document_end(document);
    }
    document_end_list(document);
    rest_send(exchange, 200, document);
}

void node_app(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *text = exchange_capture(exchange, 0);
    char canonical[ID_TEXT_MAX];
    struct document *document;
    struct app_id id;

    if (node == NULL)
        return;
    if (!app_id_parse(text, &id)) {
        rest_bad_request(exchange, arena_printf(arena, "Invalid ApplicationId: %s", text));
        return;
    }
    app_id_format(&id, canonical);
    for (size_t at = 0; at < node->n_containers; at++) {
        struct node_app app;

        if (strcmp(node->containers[at]->app_id, canonical) != 0)
            continue;
        document = rest_begin_plain(exchange, "app", REST_NATURAL);
        if (document == NULL)
            return;
        app = app_at(node, at);
        add_members(document, &app);
        rest_send(exchange, 200, document);
        return;
    }
    rest_not_found(exchange, arena_printf(arena, "app with id %s not found", text));
}
