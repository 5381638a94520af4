/* SPDX-License-Identifier: Apache-2.0 */
/* chart.c - begins and ends a chart */
#include "web/page/chart.h"

void chart_begin(struct page *page, const char *title, const char *note, const char *label,
                 const char *description)
{
    html_add(&page->html,
             "<figure class=\"chart\"><figcaption>%s <small>%s</small></figcaption>"
             "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\"><title>%s</title>"
             "<desc>%s</desc>",
             title, note, CHART_WIDTH, CHART_HEIGHT, label, description);
}

void chart_end(struct page *page, const char *first, const char *last)
{
    html_add(&page->html, "</svg><p class=\"axis\"><span>%s</span><span>%s</span></p></figure>", first, last);
}
