/* SPDX-License-Identifier: Apache-2.0 */
/* trend.c - charts of the last hour, from the samples of the model (web/model/trend.h) */
#include "web/page/trend.h"

#include "web/model/trend.h"
#include "web/page/chart.h"
#include "web/page/page_text.h"

#define STEP_WIDTH (CHART_WIDTH / WEB_TREND_STEPS)
#define MINUTE_STEPS (60000 / WEB_TREND_STEP_MS)
#define TABLE_STEPS (5 * MINUTE_STEPS) /* a row of the table is 5 minutes */
#define HOUR_MS INT64_C(3600000)

typedef int64_t amount_fn(const struct web_sample *sample);
typedef const char *text_fn(struct arena *arena, int64_t amount);

/* A chart of two amounts, the second above the first. */
struct trend_chart {
    const char *title, *lower_word, *upper_word;
    amount_fn *lower, *upper;
    amount_fn *total; /* drawn as a line; NULL: none */
    text_fn *text;
};

struct range {
    int64_t least, most, last;
};

static int64_t used(const struct web_sample *sample)
{
    return sample->used_mb;
}

static int64_t pending(const struct web_sample *sample)
{
    return sample->pending_mb;
}

static int64_t total(const struct web_sample *sample)
{
    return sample->total_mb;
}

static int64_t used_vcores(const struct web_sample *sample)
{
    return sample->used_vcores;
}

static int64_t pending_vcores(const struct web_sample *sample)
{
    return sample->pending_vcores;
}

static int64_t total_vcores(const struct web_sample *sample)
{
    return sample->total_vcores;
}

static int64_t running(const struct web_sample *sample)
{
    return sample->apps_running;
}

static int64_t waiting(const struct web_sample *sample)
{
    return sample->apps_pending;
}

static const char *count_text(struct arena *arena, int64_t count)
{
    return page_text_count(arena, (uint64_t)count);
}

static const struct trend_chart charts[] = {
    { "Memory", "allocated", "pending", used, pending, total, page_text_memory },
    { "Vcores", "allocated", "pending", used_vcores, pending_vcores, total_vcores, count_text },
    { "Applications", "running", "waiting", running, waiting, NULL, count_text },
};

#define CHART_COUNT (sizeof(charts) / sizeof(*charts))

/* Returns the sample at PLACE, from 0 (the oldest) to WEB_TREND_STEPS - 1; NULL: none. */
static const struct web_sample *sample_at(const struct page *page, size_t place)
{
    return web_trend_at(web_model_trend(page->model), page->now_ms, WEB_TREND_STEPS - 1 - place);
}

/* Returns the range of AMOUNT in the last hour; all are 0 without samples. */
static struct range range_of(const struct page *page, amount_fn *amount)
{
    struct range range = { INT64_MAX, 0, 0 };

    for (size_t i = 0; i < WEB_TREND_STEPS; i++) {
        const struct web_sample *sample = sample_at(page, i);

        if (sample == NULL)
            continue;
        range.last = amount(sample);
        range.least = range.last < range.least ? range.last : range.least;
        range.most = range.last > range.most ? range.last : range.most;
    }
    if (range.least == INT64_MAX)
        range.least = 0;
    return range;
}

/* Returns the amount at the top of the chart. */
static int64_t top_of(const struct page *page, const struct trend_chart *chart)
{
    int64_t top = 1;

    for (size_t i = 0; i < WEB_TREND_STEPS; i++) {
        const struct web_sample *sample = sample_at(page, i);

        if (sample == NULL)
            continue;
        if (chart->lower(sample) + chart->upper(sample) > top)
            top = chart->lower(sample) + chart->upper(sample);
        if (chart->total != NULL && chart->total(sample) > top)
            top = chart->total(sample);
    }
    return top;
}

/* --- the picture -------------------------------------------------------------- */

static int height_of(int64_t amount, int64_t top)
{
    return CHART_HEIGHT - (int)((double)amount / (double)top * CHART_HEIGHT + 0.5);
}

/* Draws an area below LOWER plus UPPER (which may be NULL), as a step for each sample. A gap between samples
 * is a gap in the area. Steps of the same height are one line, so that a chart of an hour is small. */
static void draw_area(struct page *page, const char *class_name, amount_fn *lower, amount_fn *upper,
                      int64_t top)
{
    struct html *html = &page->html;
    bool open = false;
    int height = 0;

    html_add(html, "<path class=\"%s\" d=\"", class_name);
    for (size_t i = 0; i <= WEB_TREND_STEPS; i++) {
        const struct web_sample *sample = i < WEB_TREND_STEPS ? sample_at(page, i) : NULL;
        int x = (int)i * STEP_WIDTH, y;

        if (sample == NULL) {
            if (open)
                html_add(html, "H%dV%dZ", x, CHART_HEIGHT);
            open = false;
            continue;
        }
        y = height_of(lower(sample) + (upper != NULL ? upper(sample) : 0), top);
        if (!open)
            html_add(html, "M%d %dV%d", x, CHART_HEIGHT, y);
        else if (y != height)
            html_add(html, "H%dV%d", x, y);
        open = true;
        height = y;
    }
    html_add(html, "\"/>");
}

/* Draws a line at AMOUNT, with the gaps of the samples. */
static void draw_line(struct page *page, const char *class_name, amount_fn *amount, int64_t top)
{
    struct html *html = &page->html;
    bool open = false;
    int height = 0;

    html_add(html, "<path class=\"%s\" d=\"", class_name);
    for (size_t i = 0; i <= WEB_TREND_STEPS; i++) {
        const struct web_sample *sample = i < WEB_TREND_STEPS ? sample_at(page, i) : NULL;
        int x = (int)i * STEP_WIDTH, y = sample != NULL ? height_of(amount(sample), top) : height;

        if (open && (sample == NULL || y != height))
            html_add(html, "H%d", x);
        if (sample != NULL && !open)
            html_add(html, "M%d %d", x, y);
        else if (sample != NULL && y != height)
            html_add(html, "V%d", y);
        open = sample != NULL;
        height = y;
    }
    html_add(html, "\"/>");
}

/* "allocated: 1.2 TiB now, 1 TiB to 1.5 TiB in the last hour" */
static const char *range_text(struct page *page, const struct trend_chart *chart, const char *word,
                              amount_fn *amount)
{
    struct range range = range_of(page, amount);

    return arena_printf(page->arena, "%s: %s now, %s to %s in the last hour", word,
                        chart->text(page->arena, range.last), chart->text(page->arena, range.least),
                        chart->text(page->arena, range.most));
}

/* "allocated: 1.2 TiB (1 TiB to 1.5 TiB)" */
static const char *brief_text(struct page *page, const struct trend_chart *chart, const char *word,
                              amount_fn *amount)
{
    struct range range = range_of(page, amount);

    return arena_printf(page->arena, "%s: %s (%s to %s)", word, chart->text(page->arena, range.last),
                        chart->text(page->arena, range.least), chart->text(page->arena, range.most));
}

/* "06:30" */
static const char *clock_text(struct page *page, int64_t ms)
{
    const char *text = page_text_time(page->arena, ms);

    return arena_printf(page->arena, "%.5s", text[0] != '\0' ? text + 11 : "");
}

static void add_chart(struct page *page, const struct trend_chart *chart)
{
    struct arena *arena = page->arena;
    const char *lower = range_text(page, chart, chart->lower_word, chart->lower);
    const char *upper = range_text(page, chart, chart->upper_word, chart->upper);
    int64_t top = top_of(page, chart);

    chart_begin(page, chart->title, arena_printf(arena, "top: %s", chart->text(arena, top)),
                arena_printf(arena, "%s in the last hour", chart->title),
                arena_printf(arena, "%s; %s", lower, upper));
    draw_area(page, "pending", chart->lower, chart->upper, top);
    draw_area(page, "used", chart->lower, NULL, top);
    if (chart->total != NULL)
        draw_line(page, "total", chart->total, top);
    chart_end(page, clock_text(page, page->now_ms - HOUR_MS),
              arena_printf(arena, "%s UTC", clock_text(page, page->now_ms)));
    html_add(&page->html,
             "<ul class=\"legend\"><li><i class=\"used\"></i>%s</li><li><i class=\"pending\"></i>%s</li>",
             brief_text(page, chart, chart->lower_word, chart->lower),
             brief_text(page, chart, chart->upper_word, chart->upper));
    if (chart->total != NULL)
        html_add(&page->html, "<li><i class=\"line total\"></i>%s in all</li>",
                 chart->text(arena, range_of(page, chart->total).last));
    html_add(&page->html, "</ul>");
}

/* --- the table ------------------------------------------------------------------ */

/* Adds the last sample of the 5 minutes that end before PLACE. */
static void add_row(struct page *page, size_t end)
{
    struct html *html = &page->html;
    const struct web_sample *sample = NULL;

    for (size_t i = end; i > end - TABLE_STEPS && sample == NULL; i--)
        sample = sample_at(page, i - 1);
    html_add(html, "<tr><td data-label=\"Until\">%s</td>",
             clock_text(page, page->now_ms - (int64_t)(WEB_TREND_STEPS - end) * WEB_TREND_STEP_MS));
    for (size_t i = 0; i < CHART_COUNT; i++) {
        const struct trend_chart *chart = &charts[i];

        html_add(html, "<td class=\"n\" data-label=\"%s\">%s</td><td class=\"n\" data-label=\"%s\">%s</td>",
                 chart->lower_word, sample != NULL ? chart->text(page->arena, chart->lower(sample)) : "–",
                 chart->upper_word, sample != NULL ? chart->text(page->arena, chart->upper(sample)) : "–");
    }
    html_add(html, "</tr>\n");
}

static void add_table(struct page *page)
{
    struct html *html = &page->html;

    html_add(html, "<details><summary>As a table</summary><div id=\"trend-table\" class=\"live\">"
                   "<table class=\"cards\"><caption class=\"hidden\">The last hour</caption><thead><tr>"
                   "<th scope=\"col\">Until, UTC</th>");
    for (size_t i = 0; i < CHART_COUNT; i++)
        html_add(html, "<th scope=\"col\" class=\"n\">%s %s</th><th scope=\"col\" class=\"n\">%s %s</th>",
                 charts[i].title, charts[i].lower_word, charts[i].title, charts[i].upper_word);
    html_add(html, "</tr></thead><tbody>");
    for (size_t end = WEB_TREND_STEPS; end >= TABLE_STEPS; end -= TABLE_STEPS)
        add_row(page, end);
    html_add(html, "</tbody></table></div></details>");
}

static bool has_gap(const struct page *page)
{
    for (size_t i = 0; i < WEB_TREND_STEPS; i++)
        if (sample_at(page, i) == NULL)
            return true;
    return false;
}

void trend_add(struct page *page)
{
    struct html *html = &page->html;

    html_add(html, "<section id=\"trend\"><h2>The last hour</h2><div id=\"trend-charts\" class=\"live\">"
                   "<div class=\"charts\">");
    for (size_t i = 0; i < CHART_COUNT; i++) {
        html_add(html, "<div>");
        add_chart(page, &charts[i]);
        html_add(html, "</div>");
    }
    html_add(html, "</div>");
    if (has_gap(page))
        html_add(html, "<p class=\"foot\">There are no figures of the empty times: the resource manager did "
                       "not run.</p>");
    html_add(html, "</div>");
    add_table(page);
    html_add(html, "</section>\n");
}
