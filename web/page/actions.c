/* SPDX-License-Identifier: Apache-2.0 */
/* actions.c - draws forms, and sends their requests to the resource manager */
#include "web/page/actions.h"

#include <string.h>

#include "common/base/text.h"
#include "web/page/token.h"
#include "web/page/page_text.h"
#include "yarn/app.h"

/* --- forms ------------------------------------------------------------------- */

static void open_form(struct page *page, const char *summary, const char *target)
{
    const struct web_view *view = exchange_application(page->exchange);

    html_add(&page->html,
             "<details><summary>%s</summary>"
             "<form method=\"post\" action=\"%s\" class=\"filter\">"
             "<input type=\"hidden\" name=\"token\" value=\"%s\">",
             summary, target,
             token_make(page->arena, view->form_key, exchange_user(page->exchange), page->now_ms));
}

static void close_form(struct page *page, const char *class_name, const char *word)
{
    html_add(&page->html, "<button class=\"%s\">%s</button></form></details>", class_name, word);
}

static void add_field(struct page *page, const char *name, const char *title)
{
    html_add(&page->html, "<label>%s <input name=\"%s\"></label>", title, name);
}

/* Returns whether a page may have forms that need SCOPE. */
static bool may_have_forms(const struct page *page, enum exchange_scope scope)
{
    const struct web_view *view = exchange_application(page->exchange);

    return exchange_scope(page->exchange) >= scope && view->trouble == NULL;
}

/* Explains why there are no forms, if the reason may be that the resource manager is older than this
 * creel-web: it then does not report the rights of the user. */
static void note_version(struct page *page)
{
    const struct web_view *view = exchange_application(page->exchange);
    const char *version = web_model_cluster(page->model)->version;

    if (exchange_is_authenticated(page->exchange) && !text_equal(version, view->version))
        html_add(&page->html,
                 "<p class=\"note\" id=\"older\">There are no forms: you may not change this, or the "
                 "resource manager (version %s) is older than creel-web (%s) and does not report your "
                 "rights. The command creel works with both.</p>",
                 version, view->version);
}

bool actions_need_right(const struct page *page, const Creel__AppReport *app)
{
    return may_have_forms(page, EXCHANGE_SUBMIT) && !yarn_app_is_over(app->state);
}

void actions_add_app(struct page *page, const Creel__AppReport *app)
{
    const char *path = arena_printf(page->arena, "/cluster/app/%s", html_url(page->arena, app->app_id));

    if (!actions_need_right(page, app))
        return;
    if (!app->may_change) {
        note_version(page);
        return;
    }
    html_add(&page->html, "<section id=\"actions\" class=\"actions\" aria-label=\"Actions\">");
    open_form(page, "Kill", arena_printf(page->arena, "%s/kill", path));
    add_field(page, "reason", "Reason, which its user will see");
    close_form(page, "danger", "Kill this application");
    open_form(page, "Move", arena_printf(page->arena, "%s/move", path));
    add_field(page, "queue", "To the queue");
    close_form(page, "", "Move");
    html_add(&page->html, "</section>\n");
}

struct node_forms { /* in the arena of the page */
    struct page *page;
    const char *path; /* of the page */
    bool in_service;
    actions_added_fn *added;
};

static void add_node(struct page *page, const char *path, bool in_service)
{
    html_add(&page->html, "<section id=\"actions\" class=\"actions\" aria-label=\"Actions\">");
    if (in_service) {
        open_form(page, "Drain", arena_printf(page->arena, "%s/drain", path));
        add_field(page, "reason", "Reason");
        add_field(page, "deadline", "Stop what runs after, as 2h; empty: let it end");
        close_form(page, "danger", "Give it no new containers");
    } else {
        open_form(page, "Back into service", arena_printf(page->arena, "%s/undrain", path));
        close_form(page, "", "Give it containers again");
    }
    html_add(&page->html, "</section>\n");
}

static void handle_node(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct node_forms *forms = context;

    (void)exchange;
    if (reply->body_case == CREEL__ENVELOPE__BODY_NODE_LIST && reply->node_list->may_change)
        add_node(forms->page, forms->path, forms->in_service);
    else if (reply->body_case == CREEL__ENVELOPE__BODY_NODE_LIST)
        note_version(forms->page);
    forms->added(forms->page);
}

void actions_ask_node(struct page *page, const Creel__NodeReport *node, actions_added_fn *added)
{
    struct node_forms *forms = arena_new0(page->arena, struct node_forms);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    if (!may_have_forms(page, EXCHANGE_ADMIN)) {
        added(page);
        return;
    }
    forms->page = page;
    forms->path = arena_printf(page->arena, "/cluster/node/%s", html_url(page->arena, node->node_id));
    forms->in_service = node->admin_state == NULL;
    forms->added = added;
    body.node_id = node->node_id;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    query.list_nodes = &body;
    exchange_ask(page->exchange, &query, handle_node, forms);
}

/* --- handlers ---------------------------------------------------------------- */

static bool is_allowed(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);

    if (!exchange_is_authenticated(exchange))
        exchange_refuse(exchange, 401, "Only an authenticated user may change something.");
    else if (!web_model_is_complete(view->model))
        exchange_refuse(exchange, 503, "creel-web has no copy of the cluster yet.");
    else if (!token_is_valid(view->form_key, exchange_user(exchange), web_model_cluster(view->model)->now_ms,
                             exchange_form(exchange, "token")))
        exchange_refuse(exchange, 403,
                        "This form is too old, or not of a page that was made for you. Load "
                        "its page again.");
    else
        return true;
    return false;
}

static int status_of(Creel__ErrorCode code)
{
    switch (code) {
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        return 404;
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        return 403;
    case CREEL__ERROR_CODE__ERROR_BAD_STATE:
        return 409;
    case CREEL__ERROR_CODE__ERROR_STORE:
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
        return 503;
    default:
        return 400;
    }
}

/* Answers the form after REPLY: an error, or a redirect to CONTEXT, the path of a page. */
static void finish(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        exchange_refuse(exchange, status_of(reply->error->code), reply->error->message);
        return;
    }
    exchange_add_header(exchange, "Location", context);
    exchange_answer(exchange, 303, NULL, NULL, 0);
}

/* Returns the value of the form's field NAME without surrounding blanks; "": absent. */
static char *field(struct exchange *exchange, const char *name)
{
    const char *value = exchange_form(exchange, name);

    return text_trim(arena_strdup(exchange_arena(exchange), value != NULL ? value : ""));
}

static void ask(struct exchange *exchange, const Creel__Envelope *query, const char *kind)
{
    struct arena *arena = exchange_arena(exchange);

    exchange_ask(exchange, query, finish,
                 arena_printf(arena, "/cluster/%s/%s", kind, html_url(arena, exchange_capture(exchange, 0))));
}

void action_kill(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    if (!is_allowed(exchange))
        return;
    body.app_id = (char *)(uintptr_t)exchange_capture(exchange, 0);
    body.reason = field(exchange, "reason");
    query.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    query.kill_app = &body;
    ask(exchange, &query, "app");
}

void action_move(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__MoveApp body = CREEL__MOVE_APP__INIT;

    if (!is_allowed(exchange))
        return;
    body.app_id = (char *)(uintptr_t)exchange_capture(exchange, 0);
    body.queue = field(exchange, "queue");
    query.body_case = CREEL__ENVELOPE__BODY_MOVE_APP;
    query.move_app = &body;
    ask(exchange, &query, "app");
}

static void change_node(struct exchange *exchange, Creel__ChangeNodes *body)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    char *nodes[1] = { (char *)(uintptr_t)exchange_capture(exchange, 0) };

    body->nodes = nodes;
    body->n_nodes = 1;
    query.body_case = CREEL__ENVELOPE__BODY_CHANGE_NODES;
    query.change_nodes = body;
    ask(exchange, &query, "node");
}

void action_drain(struct exchange *exchange)
{
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    const char *deadline;

    if (!is_allowed(exchange))
        return;
    body.change = CREEL__NODE_CHANGE__NODE_DRAIN;
    body.reason = field(exchange, "reason");
    deadline = field(exchange, "deadline");
    body.deadline_given = true;
    body.timeout_ms = -1;
    if (*deadline != '\0' &&
        (!text_parse_duration_ms(deadline, 60000, &body.timeout_ms) || body.timeout_ms < 0)) {
        exchange_refuse(exchange, 400, "The deadline is not a time: write it as 90m or 2h.");
        return;
    }
    change_node(exchange, &body);
}

void action_undrain(struct exchange *exchange)
{
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;

    if (!is_allowed(exchange))
        return;
    body.change = CREEL__NODE_CHANGE__NODE_UNDRAIN;
    change_node(exchange, &body);
}
