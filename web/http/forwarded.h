/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forwarded.h - the client of a request that came through trusted proxies
 *
 * Each proxy adds the address of its own client to the end of X-Forwarded-For. So the last address in it that
 * is no trusted proxy is that of the client; what is before it was sent by the client, and is not trusted.
 */
#ifndef CREEL_WEB_HTTP_FORWARDED_H
#define CREEL_WEB_HTTP_FORWARDED_H

#include <stddef.h>

#include "web/http/address.h"
#include "web/http/site.h"

/* Writes the address of the client of a request with HEADERS to CLIENT: PEER, or, if the site trusts PEER as
 * a proxy, the last address of X-Forwarded-For that is no trusted proxy. If all are proxies, or what comes
 * next is no address, it is the proxy that is farthest from creel-web. */
void forwarded_client(const struct site *site, const char *peer, const struct name_value *headers,
                      size_t count, char client[ADDRESS_TEXT_MAX]);

#endif
