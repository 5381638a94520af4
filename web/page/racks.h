/* SPDX-License-Identifier: Apache-2.0 */
/* racks.h - nodes by rack: a table, for users who cannot see the map, and the bytes of the map */
#ifndef CREEL_WEB_PAGE_RACKS_H
#define CREEL_WEB_PAGE_RACKS_H

#include "web/page/frame.h"

void racks_add(struct page *page, const struct web_node_filter *filter);

/* Sends one byte for each node that FILTER accepts, by rack and id, and MAP_RACK before each rack. With
 * the parameter "names", sends the ids of the nodes in the same order instead, one per line. */
void racks_send_map(struct exchange *exchange, const struct web_node_filter *filter);

#endif
