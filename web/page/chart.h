/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.h - the frame of a chart over time, drawn as SVG
 *
 * The caller writes SVG between chart_begin and chart_end, in a space of CHART_WIDTH x CHART_HEIGHT units,
 * with the classes of the style sheet: "used", "asked", "pending", "total".
 */
#ifndef CREEL_WEB_PAGE_CHART_H
#define CREEL_WEB_PAGE_CHART_H

#include "web/page/frame.h"

#define CHART_WIDTH 960
#define CHART_HEIGHT 160

/* Begins a chart. NOTE is beside TITLE. LABEL is the name of the picture for screen readers and its tooltip,
 * DESCRIPTION its content in words. */
void chart_begin(struct page *page, const char *title, const char *note, const char *label,
                 const char *description);
/* Ends a chart, whose time is from FIRST to LAST. */
void chart_end(struct page *page, const char *first, const char *last);

#endif
