/* SPDX-License-Identifier: Apache-2.0 */
/* bar.c - draws bars as SVG, 1000 units wide */
#include "web/page/bar.h"

#include "web/page/page_text.h"

#define WIDTH 1000
#define HEIGHT 20

static double inside(double fraction)
{
    return fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
}

void bar_draw(struct page *page, const char *class_name, const char *label, const struct bar_part *parts,
              size_t part_count, const struct bar_mark *marks, size_t mark_count)
{
    struct html *html = &page->html;

    html_add(html,
             "<svg class=\"bar %s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\">"
             "<title>%s</title><rect class=\"ground\" width=\"%d\" height=\"%d\"/>",
             class_name, WIDTH, HEIGHT, label, WIDTH, HEIGHT);
    for (size_t i = 0; i < part_count; i++) {
        double from = inside(parts[i].from), to = inside(parts[i].to);

        if (to > from)
            html_add(html, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
                     parts[i].class_name, from * WIDTH, (to - from) * WIDTH, HEIGHT);
    }
    for (size_t i = 0; i < mark_count; i++) {
        double at = inside(marks[i].at) * WIDTH;

        html_add(html, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>", marks[i].class_name,
                 at, at, HEIGHT);
    }
    html_add(html, "</svg>");
}

void bar_line(struct page *page, const char *title, const char *text, double used, double total)
{
    double fraction = total > 0 ? used / total : 0;
    const struct bar_part part = { 0, fraction, fraction > 0.95 ? "used high" : "used" };
    const char *percent = page_text_percent(page->arena, fraction);

    html_add(&page->html, "<div class=\"use\"><span>%s</span>", title);
    bar_draw(page, "", arena_printf(page->arena, "%s: %s, %s", title, text, percent), &part, 1, NULL, 0);
    html_add(&page->html, "<span class=\"n\"><b>%s</b> %s</span></div>", percent, text);
}

void bar_use(struct page *page, double used, double total)
{
    double fraction = total > 0 ? inside(used / total) : 0;

    html_add(&page->html,
             "<svg class=\"bar small\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" "
             "aria-hidden=\"true\"><rect class=\"%s\" width=\"%.0f\" height=\"1\"/></svg>",
             fraction > 0.95 ? "high" : "used", 100 * fraction);
}
