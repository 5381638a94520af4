/* SPDX-License-Identifier: Apache-2.0 */
/* sign_in.c - /cluster/login and /cluster/logout: set and remove the cookie with the access token */
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/token.h"

static void show_form(struct exchange *exchange, int status, const char *note)
{
    const struct web_view *view = exchange_application(exchange);
    struct page page;

    if (!page_begin(&page, exchange, MENU_NONE, "Sign in", false))
        return;
    if (note != NULL)
        html_add(&page.html, "<p class=\"note bad\" role=\"alert\">%s</p>", note);
    html_add(&page.html,
             "<section id=\"sign-in\"><p>Create a token on a host of the cluster and paste it "
             "here. The browser sends it with each request until it expires, or until you sign out.</p>"
             "<pre>creel token create --scope submit</pre>"
             "<form method=\"post\" action=\"/cluster/login\" class=\"filter\">"
             "<input type=\"hidden\" name=\"token\" value=\"%s\">"
             "<label>Token <input type=\"password\" name=\"access\" size=\"40\" required "
             "autocomplete=\"off\"></label><button>Sign in</button></form></section>\n",
             token_make(page.arena, view->form_key, exchange_user(exchange), page.now_ms));
    page_send_status(&page, status);
}

static void set_cookie(struct exchange *exchange, const char *value, int64_t left_s)
{
    exchange_add_header(exchange, "Set-Cookie",
                        arena_printf(exchange_arena(exchange),
                                     "%s=%s; Path=/; Max-Age=%" PRId64 "; HttpOnly; SameSite=Strict%s",
                                     EXCHANGE_TOKEN_COOKIE, value, left_s,
                                     exchange_client_is_secure(exchange) ? "; Secure" : ""));
}

static void go_to_overview(struct exchange *exchange)
{
    exchange_add_header(exchange, "Location", "/cluster");
    exchange_answer(exchange, 303, NULL, NULL, 0);
}

static void finish(struct exchange *exchange, void *context, int status, int64_t left_ms)
{
    if (status == 401) {
        show_form(exchange, 403, "This token is not valid, or has expired.");
    } else if (status != 0) {
        exchange_refuse(exchange, 503, "The token cannot be checked: the resource manager does not answer.");
    } else {
        set_cookie(exchange, context, left_ms / 1000);
        go_to_overview(exchange);
    }
}

static bool accepts_tokens(struct exchange *exchange)
{
    if (exchange_accepts_tokens(exchange))
        return true;
    exchange_refuse(exchange, 404, "Nobody can sign in here: creel.http.auth is not token.");
    return false;
}

void page_sign_in(struct exchange *exchange)
{
    if (accepts_tokens(exchange))
        show_form(exchange, 200, NULL);
}

void action_sign_in(struct exchange *exchange)
{
    const struct web_view *view = exchange_application(exchange);
    const char *given = exchange_form(exchange, "access");

    if (!accepts_tokens(exchange))
        return;
    if (!web_model_is_complete(view->model))
        exchange_refuse(exchange, 503, "creel-web has no copy of the cluster yet.");
    else if (!token_is_valid(view->form_key, exchange_user(exchange), web_model_cluster(view->model)->now_ms,
                             exchange_form(exchange, "token")))
        show_form(exchange, 403, "This form was too old. Please try again.");
    else if (given == NULL || *given == '\0')
        show_form(exchange, 400, "The token is missing.");
    else {
        char *token = text_trim(arena_strdup(exchange_arena(exchange), given));

        exchange_check_token(exchange, token, finish, token);
    }
}

void action_sign_out(struct exchange *exchange)
{
    if (!accepts_tokens(exchange))
        return;
    set_cookie(exchange, "", 0);
    go_to_overview(exchange);
}
