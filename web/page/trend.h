/* SPDX-License-Identifier: Apache-2.0 */
/* trend.h - charts of the last hour: memory, and applications */
#ifndef CREEL_WEB_PAGE_TREND_H
#define CREEL_WEB_PAGE_TREND_H

#include "web/page/frame.h"

/* Adds a section with the charts of the samples of the model, and the same as a table. */
void trend_add(struct page *page);

#endif
