/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - what all pages have: header, menu, footer, and small parts
 *
 * A handler calls page_begin, writes the content, and calls page_send. While the page is open, its script
 * refreshes the sections with the class "live"; each of them needs an id. It does so when an event of
 * /cluster/changes names a topic of the page. Data that no topic has (measured use, ages, replies of the
 * resource manager) are refreshed by time.
 */
#ifndef CREEL_WEB_PAGE_FRAME_H
#define CREEL_WEB_PAGE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/http/exchange.h"
#include "web/model/view.h"
#include "web/text/html.h"

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
    MENU_EVENTS,
    MENU_HISTORY,
    MENU_CONF,
    MENU_ABOUT
};

/* Begins a page: writes header, menu, and <h1> with TITLE. Returns false if the request has been answered:
 * with 503, as the model is not complete yet, or with 304. The latter needs MODEL_ONLY, which means that the
 * page shows only data of the model, so that its ETag is the model's version, its trouble and the user. */
bool page_begin(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                bool model_only);
/* Like page_begin for a page that shows more than the data of the model; TOPICS are those of
 * /cluster/changes ("app:ID"). */
bool page_begin_watching(struct page *page, struct exchange *exchange, enum page_menu menu, const char *title,
                         const char *topics);
void page_send(struct page *page);
/* Like page_send, with HTTP status STATUS. */
void page_send_status(struct page *page, int status);

/* Sends a page that shows an error (callback of struct route_table). */
void page_refuse(struct exchange *exchange, int status, const char *message);
void page_redirect(struct exchange *exchange, const char *target);

/* Write a link to the page of an application, node, queue or user. The text of the link is the name. */
void page_app_link(struct page *page, const char *app_id);
void page_node_link(struct page *page, const char *node_id);
/* Adds for how long the agent of NODE_ID has been silent, if it is (NodeReport.lost_at_ms). */
void page_node_silence(struct page *page, const char *node_id);
void page_queue_link(struct page *page, const char *path);
void page_user_link(struct page *page, const char *user);
/* Writes a line with a link to the events of an application, node or queue. PARAMETER: "app", "node",
 * "queue". */
void page_events_link(struct page *page, const char *parameter, const char *id);
/* Writes the first cells of an application's row: id and name, user, queue. */
void page_app_cells(struct page *page, const Creel__AppReport *app);
/* Returns "node-1.example" for "node-1.example:8041"; NODE_ID if it has another port. */
const char *page_host(struct arena *arena, const char *node_id);

/* Writes COUNT and, depending on COUNT, ONE or MANY: "1 node", "1,000 nodes". */
void page_plural(struct page *page, size_t count, const char *one, const char *many);
/* Writes WORD in the colour of its class (page_text.h). */
void page_badge(struct page *page, const char *class_name, const char *word);
/* Writes <time> with the duration since MS ("2 h 5 min"); a dash for 0. */
void page_ago(struct page *page, int64_t ms);
/* Writes a cell with page_ago and "ago". LABEL names the column on phones. */
void page_ago_cell(struct page *page, const char *label, int64_t ms);
/* Writes a cell with a right-aligned number; a negative one is 0. */
void page_count_cell(struct page *page, const char *label, int64_t count);

#endif
