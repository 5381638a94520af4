/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - head and end of the agent's HTML pages, and their files */
#include "nm-agent/web/page.h"

#include <string.h>

#include "nm-agent/web/asset_bytes.h"
#include "nm-agent/web/handlers.h"

#define STYLE_PATH "/static/" PAGE_CSS_HASH "/page.css"
#define SCRIPT_PATH "/static/" FOLLOW_JS_HASH "/follow.js"

void node_page_begin(struct exchange *exchange, struct html *html, const char *title)
{
    html_begin(html, exchange_arena(exchange));
    html_add(html,
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
             "<meta name=\"color-scheme\" content=\"light dark\"><title>%s · creel</title>"
             "<link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"%s\">"
             "<script src=\"%s\" type=\"module\"></script></head>\n",
             title, STYLE_PATH, SCRIPT_PATH);
    html_add(html, "<body><main><h1>%s</h1>\n", title);
}

void node_page_send(struct exchange *exchange, struct html *html, int status)
{
    html_add(html, "</main></body></html>\n");
    exchange_answer(exchange, status, "text/html; charset=utf-8", html->bytes, html->size);
}

void node_asset(struct exchange *exchange)
{
    static const struct {
        const char *path, *type;
        const unsigned char *bytes;
        size_t size;
    } assets[] = {
        { STYLE_PATH, "text/css; charset=utf-8", page_css, sizeof(page_css) },
        { SCRIPT_PATH, "text/javascript; charset=utf-8", follow_js, sizeof(follow_js) },
    };

    for (size_t i = 0; i < sizeof(assets) / sizeof(*assets); i++) {
        if (strcmp(assets[i].path, exchange_path(exchange)) != 0)
            continue;
        exchange_add_header(exchange, "Cache-Control", "public, max-age=31536000, immutable");
        exchange_answer(exchange, 200, assets[i].type, assets[i].bytes, assets[i].size);
        return;
    }
    exchange_refuse(exchange, 404, "there is no such file");
}
