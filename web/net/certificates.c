/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.c - reports the ends of TLS certificates with GetClusterInfo */
#include "web/net/certificates.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"
#include "web/http/certificate.h"

#define PLACES (2 + CERTIFICATES_USERS_MAX)

struct certificates {
    struct loop *loop;
    site_upstream_fn *ask;
    void *ask_context;
    char *site;                      /* owned; "creel-web at rm.example.org:8090" */
    Creel__Certificate *reports;     /* owned, with their names: SITE, the authorities, and users */
    Creel__Certificate **references; /* owned; to REPORTS */
    size_t count, first_user;        /* FIRST_USER: index of the first user */
    size_t next_user;                /* the one that is replaced next, from 0 */
    struct own_key *own;             /* borrowed; NULL: none */
    int64_t begins_ms;               /* of the own certificate; 0: it has none */
    char *problem;                   /* owned; that of the first of REPORTS, which is SITE; NULL: none */
    int timer, watch_timer;
    loop_fn
        *ended; /* called with ENDED_CONTEXT when the resource manager knows of the end; NULL: it goes on */
    void *ended_context;
    bool hastened; /* TIMER is set to CERTIFICATES_CHANGED_MS at most */
};

static void report(void *context);

static void add(struct certificates *certificates, char *name, int64_t expires_ms)
{
    Creel__Certificate *added = &certificates->reports[certificates->count];

    creel__certificate__init(added);
    added->name = name;
    added->expires_ms = expires_ms;
    certificates->references[certificates->count++] = added;
}

static void report_later(struct certificates *certificates, int64_t after_ms)
{
    certificates->timer = loop_add_timer(certificates->loop, after_ms, report, certificates);
}

static void handle_reply(void *context, const Creel__Envelope *reply)
{
    bool taken = reply->body_case == CREEL__ENVELOPE__BODY_CLUSTER_INFO;
    const struct certificates *certificates = context;

    if (certificates->ended == NULL)
        report_later(context, taken ? CERTIFICATES_REPORT_MS : CERTIFICATES_RETRY_MS);
}

/* A user's certificate that has expired opens no connection any more: its health check would never end. */
static void drop_expired(struct certificates *certificates)
{
    for (size_t i = certificates->first_user; i < certificates->count;) {
        if (certificates->reports[i].expires_ms > loop_now_ms()) {
            i++;
            continue;
        }
        free(certificates->reports[i].name);
        certificates->reports[i] = certificates->reports[--certificates->count];
    }
}

/* Returns what is wrong with the own certificate or its files; NULL: nothing. The caller frees it. */
static char *find_problem(const struct certificates *certificates)
{
    const char *files = certificates->own != NULL ? own_key_problem(certificates->own) : NULL;
    char at[TEXT_SIZE_MAX];

    if (files != NULL)
        return mem_printf("the next start of creel-web will fail: %s", files);
    if (certificates->begins_ms > loop_now_ms())
        return mem_printf("the certificate is not valid before %s",
                          text_format_utc(certificates->begins_ms, at));
    return NULL;
}

/* Reports soon. If a report is under way, or due soon, it changes nothing. */
static void hasten(struct certificates *certificates)
{
    if (certificates->timer == 0 || certificates->hastened)
        return;
    loop_cancel_timer(certificates->loop, certificates->timer);
    certificates->hastened = true;
    report_later(certificates, CERTIFICATES_CHANGED_MS);
}

static void watch(void *context)
{
    struct certificates *certificates = context;
    char *problem = find_problem(certificates);

    if (text_equal(problem, certificates->problem)) {
        free(problem);
    } else {
        free(certificates->problem);
        certificates->problem = problem;
        hasten(certificates);
    }
    if (certificates->own != NULL)
        own_key_watch(certificates->own, loop_now_ms(), loop_monotonic_ms());
    certificates->watch_timer =
        loop_add_timer(certificates->loop, CERTIFICATES_WATCH_MS, watch, certificates);
}

static void report(void *context)
{
    struct certificates *certificates = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    certificates->timer = 0;
    certificates->hastened = false;
    drop_expired(certificates);
    certificates->reports[0].problem =
        certificates->problem != NULL ? certificates->problem : (char *)(uintptr_t)protobuf_c_empty_string;
    body.service = certificates->site;
    body.certificates = certificates->references;
    body.n_certificates = certificates->count;
    query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    query.get_cluster_info = &body;
    certificates->ask(certificates->ask_context, &query, true, handle_reply, certificates);
}

static void handle_end(void *context, const Creel__Envelope *reply)
{
    const struct certificates *certificates = context;

    (void)reply;
    certificates->ended(certificates->ended_context);
}

void certificates_end(struct certificates *certificates, loop_fn *ended, void *context)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    loop_cancel_timer(certificates->loop, certificates->timer);
    loop_cancel_timer(certificates->loop, certificates->watch_timer);
    certificates->timer = certificates->watch_timer = 0;
    certificates->ended = ended;
    certificates->ended_context = context;
    body.service = certificates->site;
    body.stops = true;
    query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    query.get_cluster_info = &body;
    certificates->ask(certificates->ask_context, &query, true, handle_end, certificates);
}

/* Returns "creel-web at HOST:PORT". */
static char *name_site(const char *address)
{
    const char *port = strrchr(address, ':');
    char host[HOST_NAME_MAX + 1] = "";

    if (gethostname(host, sizeof(host) - 1) < 0 || *host == '\0')
        return mem_printf("creel-web at %s", address);
    return mem_printf("creel-web at %s%s", host, port != NULL ? port : "");
}

struct certificates *certificates_new(struct loop *loop, const char *address, const char *certificate,
                                      const char *authorities, site_upstream_fn *ask, void *ask_context,
                                      struct own_key *own)
{
    struct certificates *certificates = mem_new0(struct certificates);

    certificates->loop = loop;
    certificates->ask = ask;
    certificates->ask_context = ask_context;
    certificates->reports = mem_array0(PLACES, sizeof(*certificates->reports));
    certificates->references = mem_array0(PLACES, sizeof(Creel__Certificate *));
    certificates->site = name_site(address);
    certificates->own = own;
    certificates->begins_ms = certificate != NULL ? certificate_begins_ms(certificate) : 0;
    add(certificates, mem_strdup(certificates->site),
        certificate != NULL ? certificate_expires_ms(certificate) : 0);
    if (authorities != NULL)
        add(certificates,
            mem_printf("%s of %s", conf_key_info(CONF_WEB_TLS_CLIENT_CA)->name, certificates->site),
            certificate_first_expires_ms(authorities));
    certificates->first_user = certificates->count;
    report_later(certificates, 0);
    watch(certificates);
    return certificates;
}

void certificates_free(struct certificates *certificates)
{
    if (certificates == NULL)
        return;
    loop_cancel_timer(certificates->loop, certificates->timer);
    loop_cancel_timer(certificates->loop, certificates->watch_timer);
    free(certificates->problem);
    for (size_t i = 0; i < certificates->count; i++)
        free(certificates->reports[i].name);
    free(certificates->reports);
    free(certificates->references);
    free(certificates->site);
    free(certificates);
}

/* Returns the place of NAME, of a user; NULL: it has none. */
static Creel__Certificate *find_user(const struct certificates *certificates, const char *name)
{
    for (size_t i = certificates->first_user; i < certificates->count; i++)
        if (strcmp(certificates->reports[i].name, name) == 0)
            return &certificates->reports[i];
    return NULL;
}

/* Returns the place for NAME, which is added, or replaces that of another user. */
static Creel__Certificate *take_place(struct certificates *certificates, const char *name)
{
    Creel__Certificate *place = &certificates->reports[certificates->first_user + certificates->next_user];

    if (certificates->count < PLACES) {
        add(certificates, mem_strdup(name), 0);
        return &certificates->reports[certificates->count - 1];
    }
    certificates->next_user = (certificates->next_user + 1) % (PLACES - certificates->first_user);
    free(place->name);
    place->name = mem_strdup(name);
    place->expires_ms = 0;
    return place;
}

void certificates_note_user(struct certificates *certificates, const char *user, int64_t expires_ms)
{
    bool soon = certificate_ends_soon(expires_ms, loop_now_ms());
    scoped_free char *name = NULL;
    Creel__Certificate *place;

    if (!soon && certificates->count == certificates->first_user)
        return;
    name = mem_printf("user %s of %s", user, certificates->site);
    place = find_user(certificates, name);
    if (place == NULL && soon)
        place = take_place(certificates, name);
    if (place == NULL || place->expires_ms == expires_ms)
        return;
    place->expires_ms = expires_ms;
    hasten(certificates);
}
