/* SPDX-License-Identifier: Apache-2.0 */
/* show_node.c - prints administrative state, size and clock of nodes, as text and as JSON */
#include "client/cli/show/show_node.h"

#include <string.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "client/cli/frame/record_json.h"
#include "common/io/loop/loop.h"
#include "common/record/node_fields.h"

#define PASSED "passed"

static bool is_over(const struct creel_node *node)
{
    return node->state == CREEL_NODE_DRAINED || node->state == CREEL_NODE_DECOMMISSIONED;
}

const char *show_node_time(const struct creel_node *node, char text[TEXT_SIZE_MAX])
{
    int64_t left_ms = node->admin_state.deadline_ms - loop_now_ms();

    if (node->in_service || is_over(node) || node->admin_state.deadline_ms == 0)
        return "";
    return left_ms > 0 ? text_format_elapsed_ms(left_ms, text) : PASSED;
}

/* Returns the time until no container runs on NODE, but for those that are stuck; "": it is not known. */
static const char *end_of_others(const struct creel_node *node, char text[TEXT_SIZE_MAX])
{
    int64_t left_ms = node->containers_end_ms - loop_now_ms();

    if (node->in_service || is_over(node) || node->containers_end_ms == 0)
        return "";
    return left_ms > 0 ? text_format_elapsed_ms(left_ms, text) : PASSED;
}

const char *show_node_end(const struct creel_node *node, char text[TEXT_SIZE_MAX])
{
    return node->containers_stuck > 0 && !node->in_service ? "stuck" : end_of_others(node, text);
}

/* Appends to TEXT how many containers of NODE cannot end, and when the others end. */
static void add_stuck(const struct creel_node *node, const char *last, char *text, size_t size)
{
    uint32_t stuck = node->containers_stuck, others = node->containers > stuck ? node->containers - stuck : 0;
    int used = snprintf(text, size, "; %u cannot end", stuck);

    if (others > 0 && *last && strcmp(last, PASSED) != 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", the other%s end%s in %s at the latest",
                 others == 1 ? "" : "s", others == 1 ? "s" : "", last);
}

const char *show_node_left(const struct creel_node *node, char *text, size_t size)
{
    const struct creel_node_admin_state *admin = &node->admin_state;
    char left[TEXT_SIZE_MAX], end[TEXT_SIZE_MAX];
    const char *time = show_node_time(node, left), *last = end_of_others(node, end);
    int used;

    if (is_over(node))
        return "";
    if (node->containers == 0 && admin->apps_left > 0)
        used = snprintf(text, size, "%u application%s that ran there go%s on", admin->apps_left,
                        admin->apps_left == 1 ? "" : "s", admin->apps_left == 1 ? "es" : "");
    else
        used =
            snprintf(text, size, "%u container%s left", node->containers, node->containers == 1 ? "" : "s");
    if (used < 0 || (size_t)used >= size)
        return text;
    if (*time && strcmp(time, PASSED) != 0)
        used += snprintf(text + used, size - (size_t)used, ", notice in %s", time);
    else if (*time)
        used += snprintf(text + used, size - (size_t)used, ", %u with a notice", admin->containers_notified);
    if ((size_t)used >= size)
        return text;
    if (node->containers_stuck > 0)
        add_stuck(node, last, text + used, size - (size_t)used);
    else if (*last && strcmp(last, PASSED) != 0)
        snprintf(text + used, size - (size_t)used, ", ended in %s at the latest", last);
    return text;
}

/* Writes for how long the agent of NODE has been silent, when the node counts as lost, and the
 * administrator who took it out of service. */
static const char *format_silence(const struct creel_node *node, char *text, size_t size)
{
    char since[TEXT_SIZE_MAX], left[TEXT_SIZE_MAX];

    text_format_duration_ms(node->silent_ms, since);
    text_format_duration_ms(node->lost_in_ms, left);
    snprintf(text, size, "silent for %s; counts as lost in %s%s%s%s%s", since, left,
             !node->in_service && *node->admin_state.by ? "; " : "",
             node->in_service ? "" : node->admin_state.by,
             !node->in_service && *node->admin_state.by && *node->admin_state.reason ? ": " : "",
             node->in_service ? "" : node->admin_state.reason);
    return text;
}

/* Returns the warning without its advice, which creel node show has. */
static const char *short_warning(const struct creel_node *node, char *text, size_t size)
{
    const char *advice = strstr(node->warning, ": ");

    snprintf(text, size, "%.*s", advice != NULL ? (int)(advice - node->warning) : (int)size, node->warning);
    return text;
}

const char *show_node_report(const struct creel_node *node, char *text, size_t size)
{
    const struct creel_node_admin_state *admin = &node->admin_state;
    char left[160];

    if (node->lost_in_ms > 0)
        return format_silence(node, text, size);
    if (node->containers_stuck > 0)
        return show_node_stuck(node, text, size);
    if (node->in_service)
        return *node->health_report ? node->health_report : short_warning(node, text, size);
    show_node_left(node, left, sizeof(left));
    snprintf(text, size, "%s%s%s%s%s", is_over(node) ? "" : left, is_over(node) ? "" : "; ",
             *admin->by ? admin->by : "", *admin->by && *admin->reason ? ": " : "", admin->reason);
    return text;
}

const char *show_node_stuck(const struct creel_node *node, char *text, size_t size)
{
    if (node->containers_stuck < 2)
        return node->stuck_report;
    snprintf(text, size, "%s; %u more container%s", node->stuck_report, node->containers_stuck - 1,
             node->containers_stuck == 2 ? "" : "s");
    return text;
}

static void format_time(int64_t at_ms, char text[64])
{
    char elapsed[TEXT_SIZE_MAX];
    int64_t passed_ms = loop_now_ms() - at_ms;

    if (passed_ms >= 0)
        snprintf(text, 64, "%s ago", text_format_elapsed_ms(passed_ms, elapsed));
    else
        snprintf(text, 64, "in %s", text_format_elapsed_ms(-passed_ms, elapsed));
}

void show_node_admin_state(const struct creel_node *node)
{
    const struct creel_node_admin_state *admin = &node->admin_state;
    char text[64], left[160];

    if (node->in_service)
        return;
    record_line("Reason", "%s", admin->reason);
    record_line("By", "%s", admin->by);
    if (admin->since_ms) {
        format_time(admin->since_ms, text);
        record_line("Since", "%s", text);
    }
    if (is_over(node))
        return;
    if (admin->deadline_ms) {
        format_time(admin->deadline_ms, text);
        record_line("Deadline", "%s", text);
    }
    /* A resource manager of release 0.2.0 does not send the time. Of stuck containers it may have passed long
     * ago. */
    if (node->containers_end_ms && (node->containers_stuck == 0 || node->containers_end_ms > loop_now_ms())) {
        format_time(node->containers_end_ms, text);
        record_line("Containers end", "%s at the latest%s", text,
                    node->containers_stuck > 0 ? ", but for those that are stuck" : "");
    }
    record_line("Remaining", "%s", show_node_left(node, left, sizeof(left)));
}

void show_node_size(const struct creel_node *node)
{
    char offered[RECORD_AMOUNTS_MAX], until[64] = "";

    if (!node->resized)
        return;
    if (node->resources_until_ms)
        format_time(node->resources_until_ms, until);
    record_line("Set by", "%s; its agent offers %s%s%s", node->resources_by,
                record_amounts(&node->offered, offered), *until ? ", which counts again " : "", until);
}

void show_node_reservation(const struct creel_node *node)
{
    char reserved[RECORD_AMOUNTS_MAX];

    if (*node->reserved_for)
        record_line("Reserved", "%s for %s", record_amounts(&node->reserved, reserved), node->reserved_for);
}

const char *show_node_skew(const struct creel_node *node, char text[TEXT_SIZE_MAX])
{
    int64_t skew_ms = node->clock_skew_ms, distance_ms = skew_ms < 0 ? -skew_ms : skew_ms;
    char elapsed[TEXT_SIZE_MAX];

    text[0] = '\0';
    if (node->clock_measured && distance_ms < 60000)
        snprintf(text, TEXT_SIZE_MAX, "%+.3fs", (double)skew_ms / 1000);
    else if (node->clock_measured)
        snprintf(text, TEXT_SIZE_MAX, "%c%.24s", skew_ms < 0 ? '-' : '+',
                 text_format_elapsed_ms(distance_ms, elapsed));
    return text;
}

const char *show_skew(int64_t skew_ms, char text[TEXT_SIZE_MAX])
{
    snprintf(text, TEXT_SIZE_MAX, "%.3f s %s", (double)(skew_ms < 0 ? -skew_ms : skew_ms) / 1000,
             skew_ms < 0 ? "behind" : "ahead of");
    return text;
}

/* --- JSON ------------------------------------------------------------------ */

static void json_lost_in(struct json_writer *writer, const struct creel_node *node)
{
    if (node->lost_in_ms > 0)
        json_int(writer, "lostInMs", node->lost_in_ms);
}

static void json_admin_state(struct json_writer *writer, const struct creel_node *node)
{
    const struct creel_node_admin_state *admin = &node->admin_state;

    if (node->in_service)
        return;
    json_begin_object(writer, "adminState");
    json_text_if(writer, "by", admin->by);
    json_text_if(writer, "reason", admin->reason);
    json_time(writer, "since", admin->since_ms);
    json_time(writer, "deadline", admin->deadline_ms);
    json_time(writer, "containersEnd", node->containers_end_ms);
    json_text(writer, "source", admin->by_file ? "hosts" : "command");
    json_uint(writer, "containersLeft", node->containers);
    json_uint(writer, "containersNotified", admin->containers_notified);
    json_uint(writer, "applicationsLeft", admin->apps_left);
    json_end_object(writer);
}

RECORD_JSON_NAMES(node_state)
#define RECORD_JSON_MEASURED_INT64(writer, name, value) \
    if (record->clock_measured) \
    json_int(writer, name, value)

void show_node_json(const void *item, struct json_writer *writer)
{
    const struct creel_node *record = item;

    NODE_FIELDS(RECORD_JSON)
}
