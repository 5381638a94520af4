/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.h - "host:port" out of text
 *
 * "rm1:8032", "10.0.0.1", "[::1]:8032", "[::1]". IPv6 addresses stand in
 * brackets in text, without them in HOST.
 */
#ifndef CREEL_IO_ENDPOINT_H
#define CREEL_IO_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define ENDPOINT_HOST_MAX 256           /* a host name, terminator included */
#define ENDPOINT_TEXT_MAX (ENDPOINT_HOST_MAX + 10)

/* DEFAULT_PORT is used if TEXT has no port; -1: TEXT must have one. The host is not resolved. -EINVAL: ERR
 * has what is wrong with TEXT. */
int endpoint_parse(const char *text, int default_port, char *host, size_t size, int *port,
                   struct err *err);

/* The way back, with brackets where they are needed. */
const char *endpoint_format(const char *host, int port, char text[ENDPOINT_TEXT_MAX]);

#endif
