/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certificates.h - reports to the resource manager when the TLS certificates that creel-web uses end
 *
 * These are its own, the authorities of its clients, and those of clients that end soon. With its own,
 * also without TLS, it reports what is wrong with the files that its next start needs. The resource
 * manager judges them for the check `certificates` of creel cluster health (rm/master/nodes/certificates.h).
 * A
 * report is sent every CERTIFICATES_REPORT_MS, also while nobody reads pages. It names this creel-web, so
 * that the resource manager notices its silence: the check `web` (rm/master/nodes/web_services.h).
 */
#ifndef CREEL_WEB_NET_CERTIFICATES_H
#define CREEL_WEB_NET_CERTIFICATES_H

#include "common/io/keys/own_key.h"
#include "common/io/loop/loop.h"
#include "web/http/site.h"

#define CERTIFICATES_REPORT_MS 60000
#define CERTIFICATES_RETRY_MS 5000   /* after a report that failed */
#define CERTIFICATES_CHANGED_MS 1000 /* after a client has shown one that ends soon, or a problem is found */
#define CERTIFICATES_WATCH_MS 5000   /* interval of the comparisons of files */
#define CERTIFICATES_USERS_MAX 16    /* clients whose certificates are reported */

struct certificates; /* opaque */

/* Begins to report. ADDRESS is the configured address of the site, as "0.0.0.0:8090". CERTIFICATE and
 * AUTHORITIES are PEM; NULL: none. ASK, with ASK_CONTEXT, sends a query without a user. OWN, which must
 * outlive it, watches the files; NULL: nothing does. */
struct certificates *certificates_new(struct loop *loop, const char *address, const char *certificate,
                                      const char *authorities, site_upstream_fn *ask, void *ask_context,
                                      struct own_key *own);
/* Reports that creel-web is being stopped, for the check `web`, and reports nothing afterwards. Calls
 * ENDED with CONTEXT when that was answered, or could not be sent. Once. */
void certificates_end(struct certificates *certificates, loop_fn *ended, void *context);
void certificates_free(struct certificates *certificates); /* NULL is fine; after ASK_CONTEXT */
/* USER has shown a valid certificate that ends at EXPIRES_MS, since 1970. */
void certificates_note_user(struct certificates *certificates, const char *user, int64_t expires_ms);

#endif
