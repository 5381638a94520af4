/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_why.c - creel why: explains why applications are pending, or how they ended */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "common/base/mem.h"
#include "common/io/loop/loop.h"

#define TEXT_ALIGNED_MAX 90 /* sentences longer than this do not widen the column */

/* --- output as text --------------------------------------------------------- */

static void clock_time(int64_t ms, char text[40])
{
    time_t seconds = (time_t)(ms / 1000);
    int64_t passed_ms = loop_now_ms() - ms;
    struct tm parts;

    *text = '\0';
    if (localtime_r(&seconds, &parts))
        strftime(text, 40, passed_ms < 86400000 ? "%H:%M" : "%Y-%m-%d %H:%M", &parts);
}

static const char *note_of(const struct creel_why_item *item, bool over, char text[64])
{
    char when[40];

    if (over || !strcmp(item->code, "Nodes") || !strcmp(item->code, "FairShare"))
        return "";
    if (!item->blocking)
        return "not blocking";
    if (!item->since_ms)
        return "";
    clock_time(item->since_ms, when);
    snprintf(text, 64, "since %s", when);
    return text;
}

static int text_width(const struct creel_why *why)
{
    size_t width = 0;

    for (size_t i = 0; i < why->item_count; i++) {
        size_t length = strlen(why->items[i].text);

        if (length > width && length <= TEXT_ALIGNED_MAX)
            width = length;
    }
    return (int)width;
}

static void print_why(const struct creel_why *why)
{
    bool over = creel_app_is_over(&why->apps->items[0]);
    int width = text_width(why);
    char text[64];

    printf("%s\n", why->summary);
    for (size_t i = 0; i < why->item_count; i++) {
        const struct creel_why_item *item = &why->items[i];
        const char *note = note_of(item, over, text);

        if (*note)
            printf(" %zu. %-14s %-*s  %s\n", i + 1, item->code, width, item->text, note);
        else
            printf(" %zu. %-14s %s\n", i + 1, item->code, item->text);
    }
    for (const char *const *at = why->advice; *at; at++)
        printf("%s%s", at == why->advice ? " Next: " : "; or ", *at);
    if (*why->advice)
        putchar('\n');
}

/* --- output as JSON --------------------------------------------------------- */

static const struct table_column columns[] = {
    { "app", "APP", 0 },
    { "code", "CODE", 0 },
    { "text", "TEXT", TABLE_CUT },
    { "summary", "SUMMARY", TABLE_WIDE },
    { "next", "NEXT", TABLE_WIDE },
};

static void row(const void *item, struct table *table)
{
    const struct creel_why *why = item;

    table_text(table, why->apps->items[0].id);
    table_text(table, why->item_count ? why->items[0].code : "");
    table_text(table, why->item_count ? why->items[0].text : "");
    table_text(table, why->summary);
    table_text(table, *why->advice ? *why->advice : "");
}

static void json_if_any(struct json_writer *json, const char *name, const struct creel_resource *amounts)
{
    if (amounts->memory_mb || amounts->vcores || amounts->other_count)
        json_amounts(json, name, amounts);
}

static void json_passed(struct json_writer *json, const struct creel_why_item *item)
{
    json_begin_array(json, "passedOver");
    for (size_t i = 0; i < item->passed_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "reason", item->passed[i].reason);
        json_uint(json, "nodes", item->passed[i].nodes);
        json_uint(json, "largeEnough", item->passed[i].fitting);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_room(struct json_writer *json, const struct creel_why_item *item)
{
    json_uint(json, "containers", item->room_containers);
    json_time(json, "firstEnd", item->room_first_end_ms);
    json_begin_array(json, "containersOf");
    for (size_t i = 0; i < item->room_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "queue", item->room[i].queue);
        json_uint(json, "containers", item->room[i].containers);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_item(struct json_writer *json, const struct creel_why_item *item)
{
    json_begin_object(json, NULL);
    json_text(json, "code", item->code);
    json_bool(json, "blocking", item->blocking);
    json_text(json, "text", item->text);
    json_text_if(json, "queue", item->queue);
    json_text_if(json, "user", item->user);
    json_if_any(json, "used", &item->used);
    json_if_any(json, "asked", &item->asked);
    json_if_any(json, "allowed", &item->allowed);
    if (item->limits_apps) {
        json_int(json, "usedApps", item->used_apps);
        json_int(json, "allowedApps", item->allowed_apps);
    }
    if (item->nodes)
        json_uint(json, "nodes", item->nodes);
    json_time(json, "since", item->since_ms);
    if (item->passed_count > 0)
        json_passed(json, item);
    if (item->room_containers > 0)
        json_room(json, item);
    json_end_object(json);
}

static void json_why(const void *item, struct json_writer *json)
{
    const struct creel_why *why = item;
    const struct creel_app *app = &why->apps->items[0];

    json_text(json, "id", app->id);
    json_text(json, "name", app->name);
    json_text(json, "user", app->user);
    json_text(json, "queue", app->queue);
    json_text(json, "state", creel_app_state_name(app->state));
    json_text(json, "summary", why->summary);
    json_time(json, "waitingSince", why->waiting_since_ms);
    if (why->count)
        json_uint(json, "waitingContainers", why->count);
    json_if_any(json, "asked", &why->asked);
    json_if_any(json, "fairShare", &why->fair_share);
    json_time(json, "starvedSince", why->starved_since_ms);
    json_begin_array(json, "reasons");
    for (size_t i = 0; i < why->item_count; i++)
        json_item(json, &why->items[i]);
    json_end_array(json);
    json_begin_array(json, "advice");
    for (const char *const *at = why->advice; *at; at++)
        json_text(json, NULL, *at);
    json_end_array(json);
}

static const char *id(const void *item)
{
    return ((const struct creel_why *)item)->apps->items[0].id;
}

static const struct listing listing = {
    .kind = "WhyList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json_why,
    .id = id,
};

static int print_all(struct cli *cli, const struct creel_why *const *whys, size_t count)
{
    bool prose = (cli->format == FORMAT_TABLE || cli->format == FORMAT_WIDE) && !cli->columns;

    if (!prose)
        return listing_print(cli, &listing, (const void *const *)whys, count);
    for (size_t i = 0; i < count; i++) {
        if (i)
            putchar('\n');
        print_why(whys[i]);
    }
    return EXIT_DONE;
}

/* Explains all named applications, also after a failure. Returns the exit code of the first failure. */
int cmd_app_why(struct cli *cli)
{
    scoped_free struct creel_why **whys = NULL;
    size_t count = 0;
    int code = EXIT_DONE, printed;

    if (!cli->options.argument_count)
        return cli_usage(cli, "which application? creel why ID");
    if (!cli_client(cli, &code))
        return code;
    whys = mem_array0(cli->options.argument_count, sizeof(*whys));
    for (size_t i = 0; i < cli->options.argument_count; i++) {
        struct creel_error error;
        int failed = EXIT_DONE;

        if (creel_app_why(cli->client, cli->options.arguments[i], &whys[count], &error) < 0)
            failed = cli_fail(&error);
        else
            count++;
        if (code == EXIT_DONE)
            code = failed;
    }
    if (count) {
        printed = print_all(cli, (const struct creel_why *const *)whys, count);
        code = code == EXIT_DONE ? printed : code;
    }
    for (size_t i = 0; i < count; i++)
        creel_why_free(whys[i]);
    return code;
}
