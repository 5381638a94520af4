/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - writes document parts that many replies share, and converts states to YARN's names */
#include "web/rest/parts/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "yarn/resource.h"

/* --- resources --------------------------------------------------------------- */

struct bounds {
    const Creel__Resource *least, *most; /* NULL: no limit */
};

static void add_type(struct document *document, const char *name, const char *unit,
                     const Creel__Resource *resource, const struct bounds *bounds)
{
    document_begin(document, "resourceInformation");
    document_empty(document, "attributes");
    document_int(document, "maximumAllocation", bounds->most ? yarn_amount(bounds->most, name) : INT64_MAX);
    document_int(document, "minimumAllocation", bounds->least ? yarn_amount(bounds->least, name) : 0);
    document_text(document, "name", name);
    document_text(document, "resourceType", "COUNTABLE");
    document_text(document, "units", unit);
    document_int(document, "value", yarn_amount(resource, name));
    document_end(document);
}

static void add_members(struct document *document, const Creel__ClusterInfo *cluster,
                        const Creel__Resource *resource, const struct bounds *bounds)
{
    size_t others = cluster->n_types > 2 ? cluster->n_types - 2 : 0;

    document_int(document, "memory", yarn_memory_mb(resource));
    document_int(document, "vCores", yarn_vcores(resource));
    document_begin(document, "resourceInformations");
    document_begin_list(document, "resourceInformation", 2 + others);
    add_type(document, "memory-mb", "Mi", resource, bounds);
    add_type(document, "vcores", "", resource, bounds);
    for (size_t t = 2; t < cluster->n_types; t++)
        add_type(document, cluster->types[t]->name, cluster->types[t]->unit, resource, bounds);
    document_end_list(document);
    document_end(document);
}

void rest_resource_members(struct document *document, const Creel__ClusterInfo *cluster,
                           const Creel__Resource *resource)
{
    add_members(document, cluster, resource, &(struct bounds){ NULL, NULL });
}

void rest_resource(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                   const Creel__Resource *resource)
{
    document_begin(document, name);
    rest_resource_members(document, cluster, resource);
    document_end(document);
}

void rest_allocation(struct document *document, const char *name, const Creel__ClusterInfo *cluster,
                     const Creel__Resource *resource)
{
    document_begin(document, name);
    add_members(document, cluster, resource,
                &(struct bounds){ cluster->minimum_allocation, cluster->maximum_allocation });
    document_end(document);
}

const char *rest_node_host(struct arena *arena, const char *node_id)
{
    const char *colon = strrchr(node_id, ':');

    return colon == NULL ? node_id : arena_printf(arena, "%.*s", (int)(colon - node_id), node_id);
}

/* --- times ------------------------------------------------------------------- */

const char *rest_expiry_text(struct arena *arena, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char date[40];
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL || strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts) == 0)
        return "";
    return arena_printf(arena, "%s.%03d+0000", date, (int)(ms % 1000));
}

/* Reads an offset from UTC, "+0130", "-01:30" or "Z", in seconds. Returns false if TEXT is invalid. */
static bool parse_zone(const char *text, int64_t *seconds)
{
    int hours, minutes, length = 0;
    char sign;

    if (strcmp(text, "Z") == 0) {
        *seconds = 0;
        return true;
    }
    if ((sscanf(text, "%c%2d%2d%n", &sign, &hours, &minutes, &length) != 3 || text[length] != '\0') &&
        (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &length) != 3 || text[length] != '\0'))
        return false;
    if ((sign != '+' && sign != '-') || hours < 0 || minutes < 0 || minutes > 59 || hours > 18)
        return false;
    *seconds = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);
    return true;
}

bool rest_expiry_parse(const char *text, int64_t *ms)
{
    struct tm parts = { .tm_isdst = 0 };
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    int64_t zone, fraction = 0;
    int digits = 0;

    if (rest == NULL)
        return false;
    if (*rest == '.') {
        for (rest++; *rest >= '0' && *rest <= '9' && digits < 3; rest++, digits++)
            fraction = fraction * 10 + (*rest - '0');
        if (digits != 3)
            return false;
    }
    if (!parse_zone(rest, &zone))
        return false;
    *ms = ((int64_t)timegm(&parts) - zone) * 1000 + fraction;
    return true;
}

const char *rest_date_text(struct arena *arena, int64_t ms)
{
    static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const months[] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    };
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL)
        return "";
    return arena_printf(arena, "%s %s %02d %02d:%02d:%02d UTC %d", days[parts.tm_wday], months[parts.tm_mon],
                        parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, 1900 + parts.tm_year);
}
