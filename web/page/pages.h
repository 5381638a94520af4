/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - the web page: its routes, and the handlers of its files */
#ifndef CREEL_WEB_PAGE_PAGES_H
#define CREEL_WEB_PAGE_PAGES_H

#include "web/http/exchange.h"
#include "web/http/route.h"
#include "web/model/view.h"

/* The routes of all pages. page_refuse (frame.h) sends their errors. */
extern const struct route page_routes[];

void page_overview(struct exchange *exchange);
void page_about(struct exchange *exchange);
void page_apps(struct exchange *exchange);
void page_app(struct exchange *exchange);
void page_log(struct exchange *exchange);
void page_scheduler(struct exchange *exchange);
void page_queue(struct exchange *exchange);
void page_nodes(struct exchange *exchange);
void page_nodes_map(struct exchange *exchange);
void page_node(struct exchange *exchange);
void page_labels(struct exchange *exchange);
void page_events(struct exchange *exchange);
void page_changes(struct exchange *exchange);
void page_history(struct exchange *exchange);
void page_usage(struct exchange *exchange);
void page_conf(struct exchange *exchange);
/* Returns the newest application whose sequence number is TEXT ("7", "_0007"); NULL: none, or TEXT is no
 * number. Searches the newest 1,000 applications. */
const Creel__AppReport *page_app_by_suffix(const struct web_view *view, const char *text);
void page_search(struct exchange *exchange);
void page_sign_in(struct exchange *exchange);
void action_sign_in(struct exchange *exchange);
void action_sign_out(struct exchange *exchange);

#endif
