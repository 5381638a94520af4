/* SPDX-License-Identifier: Apache-2.0 */
/* racks.h - nodes by rack: a table, for users who cannot see the map, and the bytes of the map */
#ifndef CREEL_WEB_PAGE_RACKS_H
#define CREEL_WEB_PAGE_RACKS_H

#include "web/page/frame.h"

void racks_add(struct page *page, const struct web_node_filter *filter);

/* Reads the filter of the list of nodes from the URL (nodes.c). */
void nodes_read_filter(struct exchange *exchange, struct web_node_filter *ret);

#endif
