/* SPDX-License-Identifier: Apache-2.0 */
/* agent_rest_port.c - test: an agent whose REST port is taken opens it later, and reports its address then */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/agent/agent_cluster.h"

/* Listens on a port of its own, which *PORT becomes. Returns the socket. */
static int listen_on_port(int *port)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static bool names_rest(struct cluster *cluster, const char *port)
{
    return strstr(cluster->node->http_address, port) != NULL;
}

static void a_taken_port_of_the_rest_interface_is_tried_again(void **state)
{
    struct cluster *cluster = *state;
    scoped_free char *extra = NULL, *text = NULL;
    int port, fd = listen_on_port(&port);

    text = mem_printf(":%d", port);
    extra = mem_printf("<property><name>yarn.nodemanager.webapp.address</name>"
                       "<value>127.0.0.1:%d</value></property>\n",
                       port);
    cluster_configure(cluster, extra);
    cluster_start_agent(cluster);
    assert_string_equal(cluster->node->http_address, "");
    cluster_until(cluster, "the log has it", cluster_logged, "tried again until this node has its REST");
    close(fd);
    cluster_until(cluster, "it registers with the address", names_rest, text);
    assert_int_equal(cluster->registrations, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_taken_port_of_the_rest_interface_is_tried_again, cluster_open,
                                        cluster_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
