/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - what the agent's HTML pages have in common: head, style sheet, script */
#ifndef CREEL_NM_WEB_PAGE_H
#define CREEL_NM_WEB_PAGE_H

#include "web/http/exchange.h"
#include "web/text/html.h"

/* Begins a page in the arena of EXCHANGE, and writes <h1> with TITLE. */
void node_page_begin(struct exchange *exchange, struct html *html, const char *title);
/* Ends the page and answers with it. */
void node_page_send(struct exchange *exchange, struct html *html, int status);

#endif
