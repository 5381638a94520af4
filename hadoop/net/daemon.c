/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - creates, runs and frees all parts of creel-hadoop */
#include "hadoop/net/daemon.h"

#include <unistd.h>

#include "common/io/loop/log.h"
#include "hadoop/net/identity.h"
#include "hadoop/net/methods.h"
#include "hadoop/net/owner.h"

struct daemon {
    struct hadoop_settings settings;
    struct identity identity;
    struct loop *loop;
    struct upstream *upstream;
    struct hadoop_server *server;
};

static void on_stop(void *context, int signal_number)
{
    const struct daemon *daemon = context;

    log_line(LOG_LEVEL_INFO, "signal %d: ends", signal_number);
    loop_stop(daemon->loop);
}

static bool is_change(const Creel__Envelope *query)
{
    return query->body_case == CREEL__ENVELOPE__BODY_KILL_APP;
}

static int open_parts(struct daemon *daemon, struct err *err)
{
    struct hadoop_settings *settings = &daemon->settings;
    const struct upstream_target target = {
        .addresses = settings->rm.addresses,
        .count = settings->rm.count,
        .rm_key = settings->rm.rm_key,
        .own = &settings->rm.own,
        .program = "creel-hadoop",
        .is_change = is_change,
    };
    struct hadoop_service service = {
        .context = &daemon->identity, .admit = identity_admit, .identify = identity_find, .call = methods_call
    };
    int r;

    daemon->identity.settings = settings;
    if (settings->local && (daemon->identity.owner_fd = owner_open(err)) < 0)
        return daemon->identity.owner_fd;
    if ((r = loop_new(&daemon->loop, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGTERM, on_stop, daemon, err)) < 0 ||
        (r = loop_on_signal(daemon->loop, SIGINT, on_stop, daemon, err)) < 0 ||
        (r = upstream_new(daemon->loop, &target, &daemon->upstream, err)) < 0)
        return r;
    service.upstream = daemon->upstream;
    return hadoop_server_new(daemon->loop, settings->address, &service, &HADOOP_LIMITS_DEFAULT,
                             &daemon->server, err);
}

static void serve(struct daemon *daemon)
{
    const struct hadoop_settings *settings = &daemon->settings;

    log_line(LOG_LEVEL_INFO, "ready: serves Hadoop's RPC of the resource manager at %s on port %d",
             settings->rm.addresses[0], hadoop_server_port(daemon->server));
    if (settings->simple)
        log_line(LOG_LEVEL_WARN,
                 "creel.hadoop.auth has simple: every program on the %zu hosts of "
                 "creel.hadoop.simple-addresses may act as any user",
                 settings->simple_addresses.count);
    log_notify("READY=1");
    loop_run(daemon->loop);
}

static void free_parts(struct daemon *daemon)
{
    upstream_free(daemon->upstream);
    hadoop_server_free(daemon->server);
    loop_free(daemon->loop);
    if (daemon->identity.owner_fd >= 0)
        close(daemon->identity.owner_fd);
    hadoop_settings_done(&daemon->settings);
}

int hadoop_daemon_run(const struct conf *conf, struct err *err)
{
    struct daemon daemon = { .identity = { .owner_fd = -1 } };
    int r = hadoop_settings_read(conf, &daemon.settings, err);

    if (r == 0)
        r = open_parts(&daemon, err);
    if (r == 0)
        serve(&daemon);
    free_parts(&daemon);
    return r;
}
