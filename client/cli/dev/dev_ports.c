/* SPDX-License-Identifier: Apache-2.0 */
/* dev_ports.c - configured and free ports of a local cluster */
#include "client/cli/dev/dev.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire/endpoint.h"

/* Below the kernel's range of ephemeral ports, so that no client uses a port by chance when its daemon
 * restarts. */
#define PORT_FIRST 20000u
#define PORT_RANGE 12000u

const struct dev_rm_address dev_rm_addresses[DEV_RM_PORTS] = {
    { CONF_RM_CLIENT_ADDRESS, 8032 },
    { CONF_RM_AM_ADDRESS, 8030 },
    { CONF_RM_AGENT_ADDRESS, 8031 },
    { CONF_RM_ADMIN_ADDRESS, 8033 },
};

enum conf_key dev_ports_key(int agent, int k)
{
    if (agent == DEV_WEB)
        return CONF_WEB_ADDRESS;
    if (agent == DEV_RM)
        return dev_rm_addresses[k].key;
    return k == 0 ? CONF_NM_ADDRESS : CONF_NM_WEB_ADDRESS;
}

int dev_ports_count(int agent)
{
    return agent == DEV_RM ? DEV_RM_PORTS : agent == DEV_WEB ? 1 : 2;
}

bool dev_ports_is_free(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    /* Uses SO_REUSEADDR as the daemon does: a port in state TIME_WAIT counts as free. */
    return fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0;
}

static bool is_free(const struct dev_ports *ports, int port)
{
    for (int i = 0; i < ports->count; i++) {
        if (ports->taken[i] == port)
            return false;
    }
    return dev_ports_is_free(port);
}

int dev_ports_choose(struct dev_ports *ports, int usual)
{
    int port = usual;

    for (uint32_t tries = 0; !is_free(ports, port) && tries < PORT_RANGE; tries++)
        port = (int)(PORT_FIRST + ports->next++ % PORT_RANGE);
    ports->taken[ports->count++] = port;
    return port;
}

/* An agent whose files are older than its REST interface has no port of its own for that. */
static int port_of(const struct conf *conf, enum conf_key key)
{
    char host[ENDPOINT_HOST_MAX];
    int port = -1;

    if (key == CONF_NM_WEB_ADDRESS && conf_raw(conf, conf_key_info(key)->name) == NULL)
        return -1;
    if (endpoint_parse(conf_text(conf, key), -1, host, sizeof(host), &port, NULL) < 0)
        return -1;
    return port;
}

void dev_ports_read(const struct dev *dev, int agent, int ports[DEV_RM_PORTS])
{
    scoped_free char *dir = dev_daemon_conf(dev, agent);
    struct conf *conf = NULL;

    for (int i = 0; i < DEV_RM_PORTS; i++)
        ports[i] = -1;
    if (conf_load(dir, NULL, NULL, &conf, NULL) < 0)
        return;
    for (int i = 0; i < dev_ports_count(agent); i++)
        ports[i] = port_of(conf, dev_ports_key(agent, i));
    conf_free(conf);
}

void dev_ports_init(struct dev_ports *ports, const struct dev *dev)
{
    *ports = (struct dev_ports){
        .next = (uint32_t)strtoul(dev->cgroup + strlen("creel-dev-"), NULL, 16) % PORT_RANGE,
    };
    for (int i = 0; i < dev_count(dev); i++) {
        int known[DEV_RM_PORTS], agent = dev_nth(dev, i);

        dev_ports_read(dev, agent, known);
        for (int k = 0; k < dev_ports_count(agent); k++)
            ports->taken[ports->count++] = known[k];
    }
}
