/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web_service.h - starts creel-nm-web, which serves the agent's REST interface, and answers its queries
 *
 * The port belongs to this process, so that it stays open while creel-nm-web is restarted. One query is
 * answered in each turn of the loop, out of a snapshot of the state that is made at most once a second, and
 * only if a query asks for it.
 */
#ifndef CREEL_NM_WEB_SERVICE_H
#define CREEL_NM_WEB_SERVICE_H

struct daemon;
struct web_service;

/* Opens the port of the settings and starts the process. If that fails, it is tried again with back-off, and
 * agent_on_http_address is called when it has succeeded: containers do not depend on it. Returns NULL if the
 * configuration has no port. */
struct web_service *web_service_new(struct daemon *daemon);
void web_service_free(struct web_service *service); /* may be NULL */
/* Writes a line to the log if the certificate of the interface has to be replaced, at most once a day. */
void web_service_warn(struct web_service *service); /* may be NULL */
/* Returns the host and port of the interface; "" if there is none (yet). */
const char *web_service_address(const struct web_service *service);

#endif
