/* SPDX-License-Identifier: Apache-2.0 */
/* hadoop_owner.c - test: the kernel says whose socket the other end of a connection is */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "hadoop/net/owner.h"

#define OTHER_USER 54321

/* A connection over loopback: both ends, and its server's view of them. */
struct connected {
    int listener, client, server;
    struct sockaddr_storage peer, own;
};

static void read_ends(struct connected *connected)
{
    socklen_t size = sizeof(connected->peer);

    assert_int_equal(getpeername(connected->server, (struct sockaddr *)&connected->peer, &size), 0);
    size = sizeof(connected->own);
    assert_int_equal(getsockname(connected->server, (struct sockaddr *)&connected->own, &size), 0);
}

/* Connects with a socket of CLIENT_FAMILY to a server with one of SERVER_FAMILY. */
static struct connected connect_to(int server_family, int client_family)
{
    struct connected connected = { .listener = socket(server_family, SOCK_STREAM, 0),
                                   .client = socket(client_family, SOCK_STREAM, 0) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct sockaddr_storage bound;
    socklen_t size = sizeof(bound);

    if (server_family == AF_INET6)
        assert_int_equal(bind(connected.listener, (struct sockaddr *)&six, sizeof(six)), 0);
    else
        assert_int_equal(bind(connected.listener, (struct sockaddr *)&four, sizeof(four)), 0);
    assert_int_equal(listen(connected.listener, 1), 0);
    assert_int_equal(getsockname(connected.listener, (struct sockaddr *)&bound, &size), 0);
    four.sin_port = six.sin6_port = ((struct sockaddr_in *)&bound)->sin_port; /* at the same place in both */
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr), 1);
    if (client_family == AF_INET6)
        assert_int_equal(connect(connected.client, (struct sockaddr *)&six, sizeof(six)), 0);
    else
        assert_int_equal(connect(connected.client, (struct sockaddr *)&four, sizeof(four)), 0);
    connected.server = accept(connected.listener, NULL, NULL);
    assert_true(connected.server >= 0);
    read_ends(&connected);
    return connected;
}

static void disconnect(const struct connected *connected)
{
    close(connected->client);
    close(connected->server);
    close(connected->listener);
}

static void the_owner_of_a_socket_is_found(void **state)
{
    static const int families[][2] = { { AF_INET, AF_INET }, { AF_INET6, AF_INET }, { AF_INET6, AF_INET6 } };
    scoped_fd int fd = owner_open(NULL);

    (void)state;
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        struct connected connected = connect_to(families[i][0], families[i][1]);
        uid_t user = 1;

        assert_true(owner_find(fd, &connected.peer, &connected.own, &user));
        assert_int_equal(user, geteuid());
        disconnect(&connected);
    }
}

/* Runs as another user: connects to PORT, and waits until GO is closed. */
static void be_a_client(int port, int go)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    char byte;
    int fd;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (setuid(OTHER_USER) != 0)
        _exit(1);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        _exit(1);
    _exit(read(go, &byte, 1) == 0 ? 0 : 1);
}

static void sockets_of_other_users_are_told_apart(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    struct connected connected = { .listener = socket(AF_INET, SOCK_STREAM, 0) };
    scoped_fd int fd = owner_open(NULL);
    socklen_t size = sizeof(address);
    int go[2], status;
    uid_t user = 0;
    pid_t child;

    (void)state;
    if (geteuid() != 0) {
        close(connected.listener);
        return; /* only root can be another user */
    }
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(connected.listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(connected.listener, 1), 0);
    assert_int_equal(getsockname(connected.listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pipe(go), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]);
        be_a_client(ntohs(address.sin_port), go[0]);
    }
    connected.server = accept(connected.listener, NULL, NULL);
    read_ends(&connected);
    assert_true(owner_find(fd, &connected.peer, &connected.own, &user));
    assert_int_equal(user, OTHER_USER);
    close(go[0]);
    close(go[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(connected.server);
    close(connected.listener);
}

/* The kernel says of a socket that no process has any more that it is user 0's. */
static void a_socket_that_is_closed_has_no_owner(void **state)
{
    struct connected connected = connect_to(AF_INET, AF_INET);
    scoped_fd int fd = owner_open(NULL);
    uid_t user;

    (void)state;
    close(connected.client);
    assert_false(owner_find(fd, &connected.peer, &connected.own, &user));
    close(connected.server);
    assert_false(owner_find(fd, &connected.peer, &connected.own, &user));
    close(connected.listener);
}

static void a_peer_of_another_host_has_no_owner(void **state)
{
    struct connected connected = connect_to(AF_INET, AF_INET);
    scoped_fd int fd = owner_open(NULL);
    uid_t user;

    (void)state;
    ((struct sockaddr_in *)&connected.peer)->sin_addr.s_addr = htonl(0xc0000201); /* 192.0.2.1 */
    assert_false(owner_find(fd, &connected.peer, &connected.own, &user));
    disconnect(&connected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_owner_of_a_socket_is_found),
        cmocka_unit_test(sockets_of_other_users_are_told_apart),
        cmocka_unit_test(a_socket_that_is_closed_has_no_owner),
        cmocka_unit_test(a_peer_of_another_host_has_no_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
