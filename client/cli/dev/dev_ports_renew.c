/* SPDX-License-Identifier: Apache-2.0 */
/* dev_ports_renew.c - assigns new ports to stopped daemons of a local cluster whose ports other processes
 * use */
#include "client/cli/dev/dev.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/file.h"
#include "common/io/server/port_owner.h"

#define GATEWAY_END_ROUNDS 200 /* retries of 25 ms */

/* Waits until PORT is free, if a gateway listens on it: a gateway whose daemon was killed ends by itself
 * soon. An agent with another port would be a new node for the RM. */
static bool is_free_soon(int port)
{
    const struct timespec pause = { .tv_nsec = 25000000 };
    char owner[64];

    for (int i = 0; i < GATEWAY_END_ROUNDS && !dev_ports_is_free(port); i++) {
        if (!port_owner_find(port, owner, sizeof(owner)) ||
            !(text_has_prefix(owner, "creel-gateway,") || text_has_prefix(owner, "creel-nm-web,")))
            return dev_ports_is_free(port);
        nanosleep(&pause, NULL);
    }
    return dev_ports_is_free(port);
}

/* Replaces the port FROM by TO, only in a line that dev_conf.c wrote. */
static int rewrite(const char *path, enum conf_key key, int from, int to, struct err *err)
{
    scoped_free char *old =
        mem_printf("<name>%s</name><value>127.0.0.1:%d</value>", conf_key_info(key)->name, from);
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
        return err_set(err, EADDRINUSE,
                       "port %d is taken, and %s does not have 127.0.0.1:%d in %s: "
                       "set another one there",
                       from, conf_key_info(key)->name, from, path);
    changed = mem_printf("%.*s<name>%s</name><value>127.0.0.1:%d</value>%s", (int)(at - text), text,
                         conf_key_info(key)->name, to, at + strlen(old));
    return dev_write_file(path, changed, err);
}

static int renew(const struct dev *dev, struct dev_ports *ports, int agent, int index, int port,
                 struct dev_port_change *change, struct err *err)
{
    scoped_free char *conf = dev_daemon_conf(dev, agent);
    scoped_free char *path = mem_printf("%s/creel-site.xml", conf);

    *change = (struct dev_port_change){ .agent = agent, .from = port };
    (void)port_owner_find(port, change->owner, sizeof(change->owner));
    change->to = dev_ports_choose(ports, port);
    return rewrite(path, dev_ports_key(agent, index), port, change->to, err);
}

int dev_ports_renew(const struct dev *dev, struct dev_port_change *changes, size_t capacity, struct err *err)
{
    struct dev_ports ports;
    size_t count = 0;

    dev_ports_init(&ports, dev);
    for (int i = 0; i < dev_count(dev); i++) {
        struct dev_daemon daemon;
        int agent = dev_nth(dev, i);

        dev_daemon_inspect(dev, agent, &daemon);
        for (int k = 0; !daemon.pid && k < daemon.port_count && count < capacity; k++) {
            int r;

            if (daemon.ports[k] <= 0 || is_free_soon(daemon.ports[k]))
                continue;
            r = renew(dev, &ports, agent, k, daemon.ports[k], &changes[count], err);
            if (r < 0)
                return r;
            count++;
        }
    }
    return (int)count;
}
