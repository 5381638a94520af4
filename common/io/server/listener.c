/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c - opens a listening TCP socket */
#include "common/io/server/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"
#include "common/io/server/port_owner.h"
#include "common/io/wire/endpoint.h"

#define BACKLOG 4096
/* Time to retry the bind: the gateway of a killed daemon occupies the port for a moment, until the gateway
 * ends. */
#define PATIENCE_MS 300
#define RETRY_MS 5

static int look_up(const char *host, int port, struct sockaddr_storage *ret, socklen_t *size, struct err *err)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct addrinfo *found, *chosen;
    int rc = getaddrinfo(host, NULL, &hints, &found);

    if (rc != 0)
        return err_set(err, EADDRNOTAVAIL, "host %s: %s", host, gai_strerror(rc));
    /* Prefer IPv4: "localhost" must mean the same on both sides. */
    for (chosen = found; chosen != NULL && chosen->ai_family != AF_INET; chosen = chosen->ai_next)
        ;
    if (chosen == NULL)
        chosen = found;
    memcpy(ret, chosen->ai_addr, chosen->ai_addrlen);
    *size = chosen->ai_addrlen;
    freeaddrinfo(found);
    if (ret->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)ret)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)ret)->sin_port = htons((uint16_t)port);
    return 0;
}

static int bound_port(int fd)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof(bound);

    if (getsockname(fd, (struct sockaddr *)&bound, &size) != 0)
        return 0;
    return ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                             : ((struct sockaddr_in *)&bound)->sin_port);
}

static int try_to_listen(const struct sockaddr_storage *where, socklen_t size, int *fd)
{
    int one = 1;

    *fd = socket(where->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
        bind(*fd, (const struct sockaddr *)where, size) == 0 && listen(*fd, BACKLOG) == 0)
        return 0;
    one = errno;
    mem_close_fd(fd);
    *fd = -1;
    return -one;
}

static int explain(const char *address, int port, int code, struct err *err)
{
    char owner[128];

    if (code == EADDRINUSE && port_owner_find(port, owner, sizeof(owner)))
        return err_set(err, code, "%s: the port is in use by %s: stop it or choose another port", address,
                       owner);
    if (code == EADDRINUSE)
        return err_set(err, code, "%s: the port is in use: choose another port", address);
    return err_set_errno(err, code, "%s: cannot listen there", address);
}

int listener_open(const char *address, int *port, struct err *err)
{
    int64_t end_ms = loop_monotonic_ms() + PATIENCE_MS;
    const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000L };
    char host[ENDPOINT_HOST_MAX];
    struct sockaddr_storage where;
    socklen_t size = 0;
    int fd = -1, r;

    r = endpoint_parse(address, -1, host, sizeof(host), port, err);
    if (r < 0)
        return r;
    r = look_up(host, *port, &where, &size, err);
    if (r < 0) {
        err_prefix(err, "%s", address);
        return r;
    }
    while ((r = try_to_listen(&where, size, &fd)) == -EADDRINUSE && loop_monotonic_ms() < end_ms)
        nanosleep(&pause, NULL);
    if (r < 0)
        return explain(address, *port, -r, err);
    *port = bound_port(fd);
    return fd;
}
