/* SPDX-License-Identifier: Apache-2.0 */
/* containers.h - the table of containers of an application or of a node */
#ifndef CREEL_WEB_PAGE_CONTAINERS_H
#define CREEL_WEB_PAGE_CONTAINERS_H

#include "web/page/frame.h"

#define CONTAINERS_SHOWN 100

enum containers_of { CONTAINERS_OF_APP, CONTAINERS_OF_NODE };

/* Adds a section that shows REPLY: a ContainerList or an Error. */
void containers_add(struct page *page, const Creel__Envelope *reply, enum containers_of of);

#endif
