/* SPDX-License-Identifier: Apache-2.0 */
/* channel_probe.c - finds out why there is no connection to an address */
#include "common/io/channel/channel_probe.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/mem.h"
#include "common/io/wire/endpoint.h"

#define PROBE_MS 200

/* Returns 0, or a positive errno. */
static int try_connect(const struct addrinfo *target)
{
    scoped_fd int fd = socket(target->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    socklen_t size = sizeof(int);
    int code;

    if (fd < 0)
        return errno;
    if (connect(fd, target->ai_addr, target->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (poll(&wait, 1, PROBE_MS) <= 0)
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0 ? errno : code;
}

/* Looks up ADDRESS. Returns NULL, with the reason in REASON, if that fails. */
static struct addrinfo *look_up(const char *address, char *reason, size_t size)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    char host[ENDPOINT_HOST_MAX], service[16];
    struct addrinfo *found = NULL;
    int port, rc;

    if (endpoint_parse(address, -1, host, sizeof(host), &port, NULL) < 0) {
        snprintf(reason, size, "not an address");
        return NULL;
    }
    snprintf(service, sizeof(service), "%d", port);
    rc = getaddrinfo(host, service, &hints, &found);
    if (rc != 0)
        snprintf(reason, size, "unknown host: %s", gai_strerror(rc));
    return rc == 0 ? found : NULL;
}

void channel_probe(const char *address, char *reason, size_t size)
{
    struct addrinfo *found = look_up(address, reason, size);
    int code;

    if (found == NULL)
        return;
    code = try_connect(found);
    freeaddrinfo(found);
    if (code == 0)
        snprintf(reason, size, "not connected yet");
    else
        snprintf(reason, size, "%s", code == ETIMEDOUT ? "no answer" : strerror(code));
}

bool channel_probe_is_refused(const char *address)
{
    char reason[128];
    struct addrinfo *found = look_up(address, reason, sizeof(reason));
    bool refused = found != NULL;

    for (const struct addrinfo *at = found; refused && at != NULL; at = at->ai_next)
        refused = try_connect(at) == ECONNREFUSED;
    if (found != NULL)
        freeaddrinfo(found);
    return refused;
}
