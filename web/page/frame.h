/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - what all pages have: header, menu, footer, and small parts
 *
 * A page is made by page_begin, its content, page_send. Sections with the class "live" are refreshed by the
 * script while the page is open; each needs an id.
 */
#ifndef CREEL_WEB_PAGE_FRAME_H
#define CREEL_WEB_PAGE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/http/exchange.h"
#include "web/model/view.h"
#include "web/page/html.h"

struct page {
    struct exchange *exchange;
    const struct web_model *model;
    struct arena *arena;
    int64_t now_ms; /* the resource manager's clock when the model last changed */
    struct html html;
};

enum page_menu {
    MENU_NONE,
    MENU_CLUSTER,
    MENU_NODES,
    MENU_LABELS,
    MENU_APPS,
    MENU_SCHEDULER,
    MENU_HISTORY,
    MENU_CONF,
    MENU_ABOUT
};

/* False: the page has been answered already, as unchanged (ETag, when it shows the model alone:
 * MODEL_ONLY), or since the model is not complete yet. Else header and menu are written, and <h1> with
 * TITLE. */
bool page_begin(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                bool model_only);
void page_send(struct page *page);
/* Sends the page with HTTP status STATUS. */
void page_send_status(struct page *page, int status);

/* The same frame around an error: for the table of routes. */
void page_refuse(struct exchange *exchange, int status, const char *message);
void page_redirect(struct exchange *exchange, const char *target);

/* Write a link whose text is the name. */
void page_app_link(struct page *page, const char *app_id);
void page_node_link(struct page *page, const char *node_id);
void page_queue_link(struct page *page, const char *path);
void page_user_link(struct page *page, const char *user);
/* The first cells of a row of an application: id and name, user, queue. */
void page_app_cells(struct page *page, const Creel__AppReport *app);
/* "node-1.example:8041" as "node-1.example" */
const char *page_host(struct arena *arena, const char *node_id);

/* A word with the colour of its class (page_text.h). */
void page_badge(struct page *page, const char *class_name, const char *word);
/* <time> with how long ago; "-" for 0. */
void page_ago(struct page *page, int64_t ms);
/* A cell with a right-aligned amount of memory, in MiB in its title. LABEL is the column's name on a phone.
 * */
void page_memory_cell(struct page *page, const char *label, int64_t mb);
void page_count_cell(struct page *page, const char *label, int64_t count);

#endif
