/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.h - parses and formats "host:port"
 *
 * Valid texts are "rm1:8032", "10.0.0.1", "[::1]:8032", "[::1]". IPv6 addresses have brackets in text, and
 * none in HOST.
 */
#ifndef CREEL_IO_ENDPOINT_H
#define CREEL_IO_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define ENDPOINT_HOST_MAX 256 /* bytes of a host name, terminator included */
#define ENDPOINT_TEXT_MAX (ENDPOINT_HOST_MAX + 10)

/* Parses TEXT. DEFAULT_PORT is used if TEXT has no port; -1: TEXT must have a port. The host is not resolved.
 * -EINVAL: ERR describes the error in TEXT. */
int endpoint_parse(const char *text, int default_port, char *host, size_t size, int *port, struct err *err);

/* Replaces *TEXT, an allocated listening address, by the address at which clients on this machine connect:
 * DEFAULT_PORT if there is none, 127.0.0.1 instead of 0.0.0.0. Errors as of
 * endpoint_parse; then *TEXT is unchanged. */
int endpoint_make_connectable(char **text, int default_port, struct err *err);

/* Formats HOST and PORT as text, with brackets for an IPv6 address. */
const char *endpoint_format(const char *host, int port, char text[ENDPOINT_TEXT_MAX]);

#endif
