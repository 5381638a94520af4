/* SPDX-License-Identifier: Apache-2.0 */
/* dev_ports.c - the ports of a local cluster: chosen, and again when somebody else has taken them */
#include "client/cli/dev.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/conf/file.h"
#include "common/io/port_owner.h"

/* Below the range that the kernel gives to those who call, so that nobody is
 * there by chance when a daemon is started again. */
#define PORT_FIRST 20000u
#define PORT_RANGE 12000u

const struct dev_rm_address dev_rm_addresses[DEV_RM_PORTS] = {
    { CONF_RM_CLIENT_ADDRESS, 8032 }, { CONF_RM_AM_ADDRESS, 8030 },
    { CONF_RM_AGENT_ADDRESS, 8031 }, { CONF_RM_ADMIN_ADDRESS, 8033 },
};

static bool nobody_has(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    /* As the daemon will: a port that only lingers (TIME_WAIT) is free. */
    return fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0;
}

static bool is_free(const struct dev_ports *ports, int port)
{
    for (int i = 0; i < ports->count; i++) {
        if (ports->taken[i] == port)
            return false;
    }
    return nobody_has(port);
}

int dev_ports_choose(struct dev_ports *ports, int usual)
{
    int port = usual;

    for (uint32_t tries = 0; !is_free(ports, port) && tries < PORT_RANGE; tries++)
        port = (int)(PORT_FIRST + ports->next++ % PORT_RANGE);
    ports->taken[ports->count++] = port;
    return port;
}

void dev_ports_init(struct dev_ports *ports, const struct dev *dev)
{
    *ports = (struct dev_ports){
        .next = (uint32_t)strtoul(dev->cgroup + strlen("creel-dev-"), NULL, 16) % PORT_RANGE,
    };
    for (int i = 0; i <= dev->agents; i++) {
        int known[DEV_RM_PORTS];

        dev_conf_ports(dev, i, known);
        for (int k = 0; k < (i ? 1 : DEV_RM_PORTS); k++)
            ports->taken[ports->count++] = known[k];
    }
}

int dev_write_file(const char *path, const char *text, struct err *err)
{
    scoped_free char *fresh = mem_printf("%s.new", path);
    FILE *file = fopen(fresh, "we");
    bool good = file && fputs(text, file) >= 0;

    if (file)
        good = fclose(file) == 0 && good;
    if (!good || chmod(fresh, 0644) < 0 || rename(fresh, path) < 0)
        return err_set_errno(err, errno ? errno : EIO, "%s: cannot be written", path);
    return 0;
}

/* --- others instead of what was taken --------------------------------------- */

/* Only what dev_conf.c wrote is changed: the rest is as somebody wanted it. */
static int rewrite(const char *path, enum conf_key key, int from, int to, struct err *err)
{
    scoped_free char *old = mem_printf("<name>%s</name><value>127.0.0.1:%d</value>",
                                       conf_key_info(key)->name, from);
    scoped_free char *data = NULL, *text = NULL, *changed = NULL;
    struct conf_file_id id;
    size_t size = 0;
    char *at;
    int r = conf_file_read(path, &data, &size, &id);

    if (r < 0)
        return err_set(err, -r, "%s: %s", path, conf_file_explain(r));
    text = mem_strndup(data, size);
    at = strstr(text, old);
    if (!at)
        return err_set(err, EADDRINUSE, "port %d is taken, and %s does not say 127.0.0.1:%d in %s: "
                       "set another one there", from, conf_key_info(key)->name, from, path);
    changed = mem_printf("%.*s<name>%s</name><value>127.0.0.1:%d</value>%s", (int)(at - text), text,
                         conf_key_info(key)->name, to, at + strlen(old));
    return dev_write_file(path, changed, err);
}

static int renew(const struct dev *dev, struct dev_ports *ports, int agent, int index, int port,
                 struct dev_port_change *change, struct err *err)
{
    scoped_free char *path = agent ? dev_path(dev, "agent-%d/conf/creel-site.xml", agent)
                                   : dev_path(dev, "conf/creel-site.xml");

    *change = (struct dev_port_change){ .agent = agent, .from = port };
    (void)port_owner_find(port, change->owner, sizeof(change->owner));
    change->to = dev_ports_choose(ports, port);
    return rewrite(path, agent ? CONF_NM_ADDRESS : dev_rm_addresses[index].key, port, change->to,
                   err);
}

int dev_ports_renew(const struct dev *dev, struct dev_port_change *changes, size_t capacity,
                    struct err *err)
{
    struct dev_ports ports;
    size_t count = 0;

    dev_ports_init(&ports, dev);
    for (int i = 0; i <= dev->agents; i++) {
        struct dev_daemon daemon;

        dev_daemon_look(dev, i, &daemon);
        for (int k = 0; !daemon.pid && k < daemon.port_count && count < capacity; k++) {
            int r;

            if (daemon.ports[k] <= 0 || nobody_has(daemon.ports[k]))
                continue;
            r = renew(dev, &ports, i, k, daemon.ports[k], &changes[count], err);
            if (r < 0)
                return r;
            count++;
        }
    }
    return (int)count;
}
