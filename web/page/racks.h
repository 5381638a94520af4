/* SPDX-License-Identifier: Apache-2.0 */
/* racks.h - nodes by rack: a table for those who do not see the map, and the bytes of the map */
#ifndef CREEL_WEB_PAGE_RACKS_H
#define CREEL_WEB_PAGE_RACKS_H

#include "web/page/frame.h"

void racks_add(struct page *page, const struct web_node_filter *filter);

/* The filter of the list of nodes, as the address has it (nodes.c). */
void nodes_read_filter(struct exchange *exchange, struct web_node_filter *ret);

#endif
