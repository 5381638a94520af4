/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.c - keeps TLS certificates in the order of their ends */
#include "rm/master/nodes/certificates.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/parts/format.h"
#include "rm/master/state.h"

static int compare(const struct certificate *a, const struct certificate *b)
{
    int by_name;

    if (a->expires_ms != b->expires_ms)
        return a->expires_ms < b->expires_ms ? -1 : 1;
    by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : (a > b) - (a < b);
}

RB_PROTOTYPE(rm_certificate_tree, certificate, link, compare)
RB_GENERATE(rm_certificate_tree, certificate, link, compare)

void rm_certificates_init(struct master *m)
{
    for (size_t i = 0; i < CERTIFICATE_STAGES; i++)
        RB_INIT(&m->certificates.trees[i]);
    TAILQ_INIT(&m->certificates.reported);
}

static void leave(struct certificates *certificates, struct certificate *certificate)
{
    RB_REMOVE(rm_certificate_tree, &certificates->trees[certificate->stage], certificate);
    certificates->count[certificate->stage]--;
}

static void enter(struct certificates *certificates, struct certificate *certificate,
                  enum certificate_stage stage)
{
    certificate->stage = stage;
    RB_INSERT(rm_certificate_tree, &certificates->trees[stage], certificate);
    certificates->count[stage]++;
}

void rm_certificate_set(struct master *m, struct certificate *certificate, const char *name,
                        int64_t expires_ms)
{
    if (certificate->expires_ms == expires_ms)
        return;
    if (certificate->expires_ms != 0)
        leave(&m->certificates, certificate);
    certificate->name = name;
    certificate->expires_ms = expires_ms;
    if (expires_ms != 0)
        enter(&m->certificates, certificate, CERTIFICATE_VALID);
}

/* --- certificates of creel-web --------------------------------------------------- */

/* TEXT "": there is no problem. */
static void set_problem(struct master *m, struct reported_certificate *reported, const char *text)
{
    m->certificates.problems -= reported->problem != NULL;
    free(reported->problem);
    reported->problem = *text != '\0' ? mem_printf("%.*s", CERTIFICATE_PROBLEM_MAX, text) : NULL;
    m->certificates.problems += reported->problem != NULL;
}

static void forget(struct master *m, struct reported_certificate *reported)
{
    set_problem(m, reported, "");
    rm_certificate_set(m, &reported->certificate, reported->name, 0);
    TAILQ_REMOVE(&m->certificates.reported, reported, link);
    m->certificates.reported_count--;
    free(reported);
}

void rm_certificates_free(struct master *m)
{
    struct reported_certificate *reported;

    while ((reported = TAILQ_FIRST(&m->certificates.reported)) != NULL)
        forget(m, reported);
}

static struct reported_certificate *take(struct master *m, const char *name)
{
    struct reported_certificate *reported;
    size_t size = strlen(name) + 1;

    TAILQ_FOREACH(reported, &m->certificates.reported, link)
        if (strcmp(reported->name, name) == 0) {
            TAILQ_REMOVE(&m->certificates.reported, reported, link);
            return reported;
        }
    if (m->certificates.reported_count == CERTIFICATES_REPORTED_MAX)
        forget(m, TAILQ_FIRST(&m->certificates.reported));
    reported = mem_alloc0(sizeof(*reported) + size);
    memcpy(reported->name, name, size);
    m->certificates.reported_count++;
    return reported;
}

void rm_certificates_report(struct master *m, Creel__Certificate *const *reports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct reported_certificate *reported = take(m, reports[i]->name);

        reported->heard_ms = m->now_ms;
        TAILQ_INSERT_TAIL(&m->certificates.reported, reported, link);
        rm_certificate_set(m, &reported->certificate, reported->name, reports[i]->expires_ms);
        set_problem(m, reported, reports[i]->problem);
    }
}

static void forget_old(struct master *m)
{
    struct reported_certificate *reported;

    while ((reported = TAILQ_FIRST(&m->certificates.reported)) != NULL &&
           m->now_ms - reported->heard_ms >= CERTIFICATES_REPORTED_MS)
        forget(m, reported);
}

/* --- those that have to be replaced ----------------------------------------------- */

static enum certificate_stage stage_of(const struct certificate *certificate, int64_t wall_ms)
{
    if (certificate->expires_ms <= wall_ms)
        return CERTIFICATE_EXPIRED;
    return certificate_ends_soon(certificate->expires_ms, wall_ms) ? CERTIFICATE_ENDS_SOON
                                                                   : CERTIFICATE_VALID;
}

/* Moves certificates whose stage is another one now. The clock may have been set back. */
static void settle(struct certificates *certificates, int64_t wall_ms)
{
    struct certificate *certificate;

    for (int stage = CERTIFICATE_VALID; stage < CERTIFICATE_EXPIRED; stage++)
        while ((certificate = RB_MIN(rm_certificate_tree, &certificates->trees[stage])) != NULL &&
               (int)stage_of(certificate, wall_ms) > stage) {
            leave(certificates, certificate);
            enter(certificates, certificate, stage_of(certificate, wall_ms));
        }
    for (int stage = CERTIFICATE_EXPIRED; stage > CERTIFICATE_VALID; stage--)
        while ((certificate = RB_MAX(rm_certificate_tree, &certificates->trees[stage])) != NULL &&
               (int)stage_of(certificate, wall_ms) < stage) {
            leave(certificates, certificate);
            enter(certificates, certificate, stage_of(certificate, wall_ms));
        }
}

static uint32_t name_problems(const struct certificates *certificates, struct text_builder *text)
{
    const struct reported_certificate *reported;
    uint32_t named = 0;

    TAILQ_FOREACH(reported, &certificates->reported, link)
        if (reported->problem != NULL && named < FORMAT_NAMES) {
            text_builder_separate(text, "; ");
            text_builder_printf(text, "%s: %s", reported->name, reported->problem);
            named++;
        }
    return named;
}

void rm_certificates_find(struct master *m, struct master_node_faults *ret)
{
    static const char *const words[] = {
        [CERTIFICATE_ENDS_SOON] = "expires", [CERTIFICATE_EXPIRED] = "expired"
    };
    struct text_builder text = TEXT_BUILDER_IN(m->out->arena);
    struct certificate *certificate;
    uint32_t named;
    char at[TEXT_SIZE_MAX];

    forget_old(m);
    settle(&m->certificates, rm_job_wall_ms(m));
    named = name_problems(&m->certificates, &text);
    ret->expired = m->certificates.count[CERTIFICATE_EXPIRED] + m->certificates.problems;
    ret->expiring = ret->expired + m->certificates.count[CERTIFICATE_ENDS_SOON];
    for (int stage = CERTIFICATE_EXPIRED; stage > CERTIFICATE_VALID; stage--)
        for (certificate = RB_MIN(rm_certificate_tree, &m->certificates.trees[stage]);
             certificate != NULL && named < FORMAT_NAMES;
             certificate = RB_NEXT(rm_certificate_tree, &m->certificates.trees[stage], certificate),
            named++) {
            text_builder_separate(&text, "; ");
            text_builder_printf(&text, "%s %s on %s", certificate->name, words[stage],
                                text_format_utc(certificate->expires_ms, at));
        }
    ret->certificates_text = format_names_end(&text, ret->expiring);
}
