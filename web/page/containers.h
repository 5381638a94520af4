/* SPDX-License-Identifier: Apache-2.0 */
/*
 * containers.h - the table of containers of an application or of a node
 *
 * The state of the table is in the URL (list.h). In the order of ids, a page begins where the previous page
 * ended. For other orders, the list of the resource manager is read from its beginning with at most
 * CONTAINER_REPLIES_MAX requests; if the list is longer, the page shows how many containers are sorted.
 */
#ifndef CREEL_WEB_PAGE_CONTAINERS_H
#define CREEL_WEB_PAGE_CONTAINERS_H

#include "web/page/frame.h"

/* Requests to the resource manager for one page. A reply has at most 250 containers
 * (rm/master/state/page.c). */
#define CONTAINER_REPLIES_MAX 20

enum containers_of { CONTAINERS_OF_APP, CONTAINERS_OF_NODE };

/* Checks the parameters of the table, before a page begins. Returns true if the page is to be made; false if
 * the request has been refused, or is answered with the containers as CSV, for which PAGE is used. */
bool containers_begin(struct page *page, struct exchange *exchange, enum containers_of of, const char *id);
/* Asks for the containers of the application or node ID that match the filter of the request, adds sections
 * that show them, and sends PAGE. */
void containers_ask(struct page *page, enum containers_of of, const char *id);

#endif
