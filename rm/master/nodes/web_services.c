/* SPDX-License-Identifier: Apache-2.0 */
/* web_services.c - the processes creel-web that report to the resource manager */
#include "rm/master/nodes/web_services.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"
#include "rm/master/state/settings.h"

void rm_web_services_init(struct master *m)
{
    TAILQ_INIT(&m->web_services.list);
}

static void forget(struct web_services *services, struct web_service *service)
{
    TAILQ_REMOVE(&services->list, service, link);
    services->count--;
    services->changed = true;
    free(service);
}

static struct web_service *find(const struct web_services *services, const char *name)
{
    struct web_service *service;

    TAILQ_FOREACH(service, &services->list, link)
        if (strcmp(service->name, name) == 0)
            return service;
    return NULL;
}

static void add(struct master *m, const char *name, bool restored)
{
    struct web_services *services = &m->web_services;
    size_t size = strlen(name) + 1;
    struct web_service *service = mem_alloc0(sizeof(*service) + size);

    memcpy(service->name, name, size);
    service->heard_ms = m->now_ms;
    service->restored = restored;
    TAILQ_INSERT_TAIL(&services->list, service, link);
    services->count++;
    services->changed = true;
}

void rm_web_services_free(struct master *m)
{
    struct web_service *service;

    while ((service = TAILQ_FIRST(&m->web_services.list)) != NULL)
        forget(&m->web_services, service);
}

void rm_web_services_heard(struct master *m, const char *name, bool stops)
{
    struct web_services *services = &m->web_services;
    struct web_service *service = find(services, name);

    if (service != NULL && !stops) {
        TAILQ_REMOVE(&services->list, service, link);
        TAILQ_INSERT_TAIL(&services->list, service, link);
        service->heard_ms = m->now_ms;
        service->restored = false;
        return;
    }
    if (service != NULL)
        forget(services, service);
    if (stops)
        return;
    if (services->count == WEB_SERVICES_MAX)
        forget(services, TAILQ_FIRST(&services->list));
    add(m, name, false);
}

/* --- as settings -------------------------------------------------------------------- */

void rm_web_services_recovered(struct master *m)
{
    struct setting *setting, *next;

    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_WEB_SERVICE) && m->web_services.count < WEB_SERVICES_MAX)
            add(m, setting->name, true);
}

void rm_web_services_store(struct master *m)
{
    struct web_services *services = &m->web_services;
    struct setting *setting, *next;
    struct web_service *service;

    if (!services->changed || m->store_trouble != NULL)
        return;
    services->changed = false;
    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_WEB_SERVICE) && find(services, setting->name) == NULL)
            rm_setting_forget(m, setting);
    TAILQ_FOREACH(service, &services->list, link)
        if (rm_setting_find(m, SETTING_WEB_SERVICE, service->name) == NULL)
            rm_setting_put(m, SETTING_WEB_SERVICE, service->name, "reports", NULL, NULL);
}

/* --- for health ----------------------------------------------------------------------- */

void rm_web_services_find(struct master *m, struct master_node_faults *ret)
{
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    struct web_services *services = &m->web_services;
    struct web_service *service;

    while ((service = TAILQ_FIRST(&services->list)) != NULL &&
           m->now_ms - service->heard_ms > WEB_FORGOTTEN_MS)
        forget(services, service);
    ret->web_services = services->count;
    ret->web_silent = 0;
    TAILQ_FOREACH(service, &services->list, link) {
        int64_t silent_ms = m->now_ms - service->heard_ms;

        if (silent_ms <= WEB_SILENT_MS)
            break; /* the others were heard of later */
        if (++ret->web_silent > FORMAT_NAMES)
            continue;
        text_builder_separate(&text, "; ");
        text_builder_printf(&text,
                            service->restored ? "%s since the resource manager started %s ago" : "%s for %s",
                            service->name, format_duration(m->out->arena, silent_ms));
    }
    ret->web_silent_text = format_names_end(&text, ret->web_silent);
}
