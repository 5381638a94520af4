/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bar.h - bars drawn as SVG, readable without colour and without script
 */
#ifndef CREEL_WEB_PAGE_BAR_H
#define CREEL_WEB_PAGE_BAR_H

#include "web/page/frame.h"

struct bar_part {
    double from, to;        /* fractions of the bar's width */
    const char *class_name; /* in the style sheet: "used", "borrowed", "asked", "reserved", "gone" */
};

struct bar_mark {
    double at;
    const char *class_name; /* "guarantee", "maximum", "steady", "instant" */
};

/* Draws a bar. LABEL is its text for screen readers and its tooltip. Fractions are cut at 0 and 1. */
void bar_draw(struct page *page, const char *class_name, const char *label, const struct bar_part *parts,
              size_t part_count, const struct bar_mark *marks, size_t mark_count);
/* Draws a line: TITLE, a bar of one part, and the percentage followed by TEXT ("12 GiB of 64 GiB"). */
void bar_line(struct page *page, const char *title, const char *text, double used, double total);
/* Draws a small bar of one part, USED of TOTAL. The caller writes both amounts as text beside the bar. */
void bar_use(struct page *page, double used, double total);

#endif
