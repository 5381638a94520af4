/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - writes document parts that many replies share, and converts states to YARN's names */
#include "web/rest/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/base/text.h"

/* --- resources --------------------------------------------------------------- */

int64_t rest_memory_mb(const Creel__Resource *resource)
{
    return resource != NULL ? resource->memory_mb : 0;
}

int64_t rest_vcores(const Creel__Resource *resource)
{
    return resource != NULL ? resource->vcores : 0;
}

int64_t rest_amount(const Creel__Resource *resource, const char *name)
{
    if (strcmp(name, "memory-mb") == 0)
        return rest_memory_mb(resource);
    if (strcmp(name, "vcores") == 0)
        return rest_vcores(resource);
    for (size_t i = 0; resource != NULL && i < resource->n_others; i++)
        if (strcmp(resource->others[i]->name, name) == 0)
            return resource->others[i]->amount;
    return 0;
}

struct bounds {
    const Creel__Resource *least, *most; /* NULL: no limit */
};

static void add_type(struct document *document, const char *name, const char *unit,
                     const Creel__Resource *resource, const struct bounds *bounds)
{
    document_begin(document, "resourceInformation");
    document_empty(document, "attributes");
    document_int(document, "maximumAllocation", bounds->most ? rest_amount(bounds->most, name) : INT64_MAX);
    document_int(document, "minimumAllocation", bounds->least ? rest_amount(bounds->least, name) : 0);
    document_text(document, "name", name);
    document_text(document, "resourceType", "COUNTABLE");
    document_text(document, "units", unit);
    document_int(document, "value", rest_amount(resource, name));
    document_end(document);
}

static void add_members(struct document *document, const Creel__ClusterInfo *cluster,
                        const Creel__Resource *resource, const struct bounds *bounds)
{
    size_t others = cluster->n_types > 2 ? cluster->n_types - 2 : 0;

    document_int(document, "memory", rest_memory_mb(resource));
    document_int(document, "vCores", rest_vcores(resource));
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

const Creel__Resource *rest_difference(struct arena *arena, const Creel__Resource *one,
                                       const Creel__Resource *other)
{
    Creel__Resource *difference = arena_new0(arena, Creel__Resource);

    creel__resource__init(difference);
    difference->memory_mb = rest_memory_mb(one) - rest_memory_mb(other);
    difference->vcores = rest_vcores(one) - rest_vcores(other);
    if (one == NULL || one->n_others == 0)
        return difference;
    difference->others = arena_array0(arena, one->n_others, sizeof(*difference->others));
    for (size_t i = 0; i < one->n_others; i++) {
        Creel__NamedAmount *amount = arena_new0(arena, Creel__NamedAmount);

        *amount = *one->others[i];
        amount->amount -= rest_amount(other, amount->name);
        difference->others[difference->n_others++] = amount;
    }
    return difference;
}

/* --- states ------------------------------------------------------------------ */

static const char *const app_states[] = {
    [CREEL__APP_STATE__APP_NEW] = "NEW",
    [CREEL__APP_STATE__APP_NEW_SAVING] = "NEW_SAVING",
    [CREEL__APP_STATE__APP_SUBMITTED] = "SUBMITTED",
    [CREEL__APP_STATE__APP_ACCEPTED] = "ACCEPTED",
    [CREEL__APP_STATE__APP_RUNNING] = "RUNNING",
    [CREEL__APP_STATE__APP_FINISHED] = "FINISHED",
    [CREEL__APP_STATE__APP_FAILED] = "FAILED",
    [CREEL__APP_STATE__APP_KILLED] = "KILLED",
};

static const char *const final_statuses[] = {
    [CREEL__FINAL_STATUS__FINAL_UNDEFINED] = "UNDEFINED",
    [CREEL__FINAL_STATUS__FINAL_SUCCEEDED] = "SUCCEEDED",
    [CREEL__FINAL_STATUS__FINAL_FAILED] = "FAILED",
    [CREEL__FINAL_STATUS__FINAL_KILLED] = "KILLED",
};

static const char *const node_states[] = {
    [CREEL__NODE_STATE__NODE_RUNNING] = "RUNNING",
    [CREEL__NODE_STATE__NODE_UNHEALTHY] = "UNHEALTHY",
    [CREEL__NODE_STATE__NODE_DECOMMISSIONING] = "DECOMMISSIONING",
    [CREEL__NODE_STATE__NODE_DECOMMISSIONED] = "DECOMMISSIONED",
    [CREEL__NODE_STATE__NODE_LOST] = "LOST",
    [CREEL__NODE_STATE__NODE_REBOOTED] = "REBOOTED",
    [CREEL__NODE_STATE__NODE_SHUT_DOWN] = "SHUTDOWN",
    /* Differs: YARN has no drained nodes. Like decommissioning nodes, they get no new containers, and may
     * return to service. */
    [CREEL__NODE_STATE__NODE_DRAINING] = "DECOMMISSIONING",
    [CREEL__NODE_STATE__NODE_DRAINED] = "DECOMMISSIONING",
    [CREEL__NODE_STATE__NODE_WAITING] = "NEW",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_in(const char *const *names, size_t count, unsigned value)
{
    return value < count && names[value] != NULL ? names[value] : "NEW";
}

static bool find_in(const char *const *names, size_t count, const char *text, unsigned *ret)
{
    for (unsigned i = 0; i < count; i++) {
        if (names[i] != NULL && strcasecmp(names[i], text) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

const char *rest_app_state(Creel__AppState state)
{
    return name_in(app_states, COUNT(app_states), (unsigned)state);
}

const char *rest_final_status(Creel__FinalStatus status)
{
    return name_in(final_statuses, COUNT(final_statuses), (unsigned)status);
}

const char *rest_node_state(Creel__NodeState state)
{
    return name_in(node_states, COUNT(node_states), (unsigned)state);
}

bool rest_app_is_over(const Creel__AppReport *app)
{
    return app->state == CREEL__APP_STATE__APP_FINISHED || app->state == CREEL__APP_STATE__APP_FAILED ||
           app->state == CREEL__APP_STATE__APP_KILLED;
}

bool rest_app_state_parse(const char *text, Creel__AppState *ret)
{
    unsigned found;

    if (!find_in(app_states, COUNT(app_states), text, &found))
        return false;
    *ret = (Creel__AppState)found;
    return true;
}

bool rest_final_status_parse(const char *text, Creel__FinalStatus *ret)
{
    unsigned found;

    if (!find_in(final_statuses, COUNT(final_statuses), text, &found))
        return false;
    *ret = (Creel__FinalStatus)found;
    return true;
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
