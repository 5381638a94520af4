/* SPDX-License-Identifier: Apache-2.0 */
/* queue_bar.h - the bar of a queue: used, borrowed, pending; guarantee and maximum as lines */
#ifndef CREEL_WEB_PAGE_QUEUE_BAR_H
#define CREEL_WEB_PAGE_QUEUE_BAR_H

#include "web/page/frame.h"

/* Draws the bar of QUEUE; the full width is the cluster's capacity. */
void queue_bar(struct page *page, const Creel__QueueReport *queue);

#endif
