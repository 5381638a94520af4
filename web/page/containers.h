/* SPDX-License-Identifier: Apache-2.0 */
/* containers.h - the table of containers of an application or of a node */
#ifndef CREEL_WEB_PAGE_CONTAINERS_H
#define CREEL_WEB_PAGE_CONTAINERS_H

#include "web/page/frame.h"

#define CONTAINERS_SHOWN 100

enum containers_of { CONTAINERS_OF_APP, CONTAINERS_OF_NODE };

/* Asks for the containers of the application or node ID, from the one after the parameter "after" of the
 * request, adds a section that shows them, and sends PAGE. */
void containers_ask(struct page *page, enum containers_of of, const char *id);

#endif
