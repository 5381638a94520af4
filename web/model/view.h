/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the data that all handlers of creel-web read (returned by exchange_application) */
#ifndef CREEL_WEB_MODEL_VIEW_H
#define CREEL_WEB_MODEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "web/model/metrics_copy.h"
#include "web/model/model.h"

struct traffic; /* web/http/traffic.h */

#define WEB_FORM_KEY_SIZE 32

/* A configured property, or a default. The value of a secret is "<redacted>". */
struct web_property {
    const char *name, *value;
    const char *source; /* file name without directory ("yarn-site.xml"), or "default" */
    bool final;         /* the file has <final> */
};

/* The level of the log of creel-web: "error", "warn", "info", "debug". */
struct web_log {
    const char *(*level)(void);
    void (*set_level)(const char *user, const char *level); /* USER is for the audit line */
    uint64_t (*dropped)(void);                              /* number of lines that were not written */
};

struct web_view {
    const struct web_model *model;
    const struct metrics_copy *metrics; /* NULL: /metrics has what the model has */
    const struct traffic *traffic;      /* NULL: requests are not counted */
    const char *version;                /* of creel-web */
    const char *rm_address;             /* "HOST:PORT"; NULL: not known */
    const char *trouble;                /* why the last update of the model failed; NULL: it succeeded */
    int64_t age_ms;                     /* of the model: time since its last update */
    int64_t stale_after_ms; /* REST does not answer from a model that is older; 0: it always answers */
    int64_t started_ms;     /* start of creel-web, since 1970 */
    const struct web_property *properties; /* of creel-web, sorted by name */
    size_t property_count;
    struct web_log log;
    int64_t certificate_expires_ms;            /* of creel-web's TLS certificate; 0: there is none */
    bool refuses_submissions;                  /* REST refuses submissions of applications */
    unsigned char form_key[WEB_FORM_KEY_SIZE]; /* random at each start; signs forms (web/page/token.h) */
};

#define WEB_STALE_RETRY_S "5" /* Retry-After of the status 503 for a stale model */

/* Returns a sentence, in ARENA, if the model is older than STALE_AFTER_MS: it must not be used as an answer
 * to a program. NULL: it may. */
const char *web_view_stale(const struct web_view *view, struct arena *arena);

#endif
