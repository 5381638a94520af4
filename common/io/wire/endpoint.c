/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.c - parses and formats "host:port" */
#include "common/io/wire/endpoint.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

static bool is_host_name(const char *host)
{
    if (*host == '\0' || *host == '-')
        return false;
    for (; *host != '\0'; host++)
        if (!isalnum((unsigned char)*host) && strchr(".-_", *host) == NULL)
            return false;
    return true;
}

static bool is_ipv6(const char *host)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr parsed;
    size_t length = strcspn(host, "%"); /* removes the zone, as in fe80::1%eth0 */

    if (length >= sizeof(address) || (host[length] == '%' && !is_host_name(host + length + 1)))
        return false;
    memcpy(address, host, length);
    address[length] = '\0';
    return inet_pton(AF_INET6, address, &parsed) == 1;
}

static int parse_port(const char *text, const char *digits, int *port, struct err *err)
{
    int64_t value;

    if (strspn(digits, "0123456789") != strlen(digits) || !text_parse_int64(digits, &value) || value > 65535)
        return err_set(err, EINVAL, "address %s: the port is not a number up to 65535", text);
    *port = (int)value;
    return 0;
}

int endpoint_parse(const char *text, int default_port, char *host, size_t size, int *port, struct err *err)
{
    char name[ENDPOINT_HOST_MAX];
    bool brackets = text[0] == '[';
    const char *start = text + brackets;
    size_t length = strcspn(start, brackets ? "]" : ":");
    const char *rest = start + length;
    int found = default_port, rc;

    if (length >= sizeof(name) || length >= size)
        return err_set(err, EINVAL, "address %.80s...: the host name is too long", text);
    memcpy(name, start, length);
    name[length] = '\0';
    if (brackets && (*rest++ != ']' || !is_ipv6(name)))
        return err_set(err, EINVAL, "address %s: not an IPv6 address in brackets", text);
    if (!brackets && *rest == ':' && strchr(rest + 1, ':') != NULL)
        return err_set(err, EINVAL, "address %s: put an IPv6 address in brackets: [::1]:8032", text);
    if (!brackets && !is_host_name(name))
        return err_set(err, EINVAL, "address '%s': no host name, expected HOST:PORT", text);
    if (*rest == ':') {
        rc = parse_port(text, rest + 1, &found, err);
        if (rc < 0)
            return rc;
    } else if (*rest != '\0' || found < 0) {
        return err_set(err, EINVAL, "address %s: the port is missing, expected HOST:PORT", text);
    }
    memcpy(host, name, length + 1);
    *port = found;
    return 0;
}

const char *endpoint_format(const char *host, int port, char text[ENDPOINT_TEXT_MAX])
{
    snprintf(text, ENDPOINT_TEXT_MAX, strchr(host, ':') != NULL ? "[%s]:%d" : "%s:%d", host, port);
    return text;
}

int endpoint_make_connectable(char **text, int default_port, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], address[ENDPOINT_TEXT_MAX];
    int port, r = endpoint_parse(*text, default_port, host, sizeof(host), &port, err);

    if (r < 0)
        return r;
    free(*text);
    *text = mem_strdup(endpoint_format(strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1" : host, port, address));
    return 0;
}
