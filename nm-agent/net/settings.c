/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - from the configuration (and the machine) to what the agent is */
#include "nm-agent/net/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/resource_types.h"
#include "common/io/endpoint.h"

#define MEMORY_MB_DEFAULT 8192
#define VCORES_DEFAULT 8
#define DETECTED_SHARE 0.8f             /* of the physical memory, if nothing is said */

/* --- addresses --------------------------------------------------------------- */

static bool is_everywhere(const char *host)
{
    return text_equal(host, "0.0.0.0") || text_equal(host, "::");
}

static int read_endpoint(const struct conf *conf, enum conf_key key, char *host, size_t size,
                         int *port, struct err *err)
{
    const char *name = conf_key_info(key)->name;
    char origin[CONF_ORIGIN_MAX];
    int r = endpoint_parse(conf_text(conf, key), -1, host, size, port, err);

    if (r < 0)
        err_prefix(err, "%s: %s", conf_origin(conf, name, origin, sizeof(origin)), name);
    return r;
}

/* Where the RM is, seen from here: one that listens everywhere is on this host. */
static int read_rm_address(const struct conf *conf, enum conf_key key, char **ret, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], text[ENDPOINT_TEXT_MAX];
    int port, r = read_endpoint(conf, key, host, sizeof(host), &port, err);

    if (r < 0)
        return r;
    *ret = mem_strdup(endpoint_format(is_everywhere(host) ? "127.0.0.1" : host, port, text));
    return 0;
}

static int read_own_address(const struct conf *conf, struct settings *settings, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], text[ENDPOINT_TEXT_MAX], name[ENDPOINT_HOST_MAX];
    int r = read_endpoint(conf, CONF_NM_ADDRESS, host, sizeof(host), &settings->port, err);

    if (r < 0)
        return r;
    settings->listen_address = mem_strdup(endpoint_format(host, settings->port, text));
    if (!is_everywhere(host)) {
        settings->host = mem_strdup(host);
        return 0;
    }
    if (gethostname(name, sizeof(name) - 1) < 0)
        return err_set_errno(err, errno, "cannot find the name of this host; set "
                             "yarn.nodemanager.hostname");
    name[sizeof(name) - 1] = '\0';
    settings->host = mem_strdup(name);
    return 0;
}

/* --- what the node offers -------------------------------------------------------- */

struct resource settings_offer(const struct conf *conf, int64_t physical_mb, int64_t cores)
{
    int64_t memory_mb = conf_int(conf, CONF_NM_MEMORY_MB);
    int64_t vcores = conf_int(conf, CONF_NM_VCORES);
    int64_t reserved_mb = conf_int(conf, CONF_NM_RESERVED_MEMORY_MB);
    bool detect = conf_bool(conf, CONF_NM_DETECT);

    if (memory_mb == -1 && !detect)
        memory_mb = MEMORY_MB_DEFAULT;
    else if (memory_mb == -1 && reserved_mb == -1)
        memory_mb = (int64_t)(DETECTED_SHARE * (float)physical_mb);
    else if (memory_mb == -1)
        memory_mb = physical_mb > reserved_mb ? physical_mb - reserved_mb : 0;
    if (vcores == -1)
        vcores = !detect ? VCORES_DEFAULT : cores > 1 ? cores : 1;
    return resource_of(memory_mb, vcores);
}

/* --- where things are -------------------------------------------------------------- */

/* Beside this program in a build folder; else where it is installed. */
static char *find_creel_dir(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    scoped_free char *beside = NULL;
    char *slash;

    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash == NULL)
        return mem_strdup(BINDIR);
    *slash = '\0';
    beside = mem_printf("%s/creel", self);
    return mem_strdup(access(beside, X_OK) == 0 ? self : BINDIR);
}

int settings_read(const struct conf *conf, struct settings *settings, struct err *err)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    int r;

    if ((r = read_own_address(conf, settings, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_AGENT_ADDRESS, &settings->rm_agent_address, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_AM_ADDRESS, &settings->rm_am_address, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_CLIENT_ADDRESS, &settings->rm_client_address,
                             err)) < 0 ||
        (r = resource_types_load_offers(conf, &settings->others, err)) < 0)
        return r;
    settings->total = settings_offer(conf, pages / 1024 * page_bytes / 1024,
                                     sysconf(_SC_NPROCESSORS_ONLN));
    settings->creel_dir = find_creel_dir();
    if (settings->total.value[RESOURCE_MEMORY_MB] > 0 && settings->total.value[RESOURCE_VCORES] > 0)
        return 0;
    return err_set(err, EINVAL, "this node offers nothing: set yarn.nodemanager.resource.memory-mb "
                   "and yarn.nodemanager.resource.cpu-vcores above 0, or keep less back with "
                   "yarn.nodemanager.resource.system-reserved-memory-mb");
}

void settings_done(struct settings *settings)
{
    free(settings->host);
    free(settings->listen_address);
    free(settings->rm_agent_address);
    free(settings->rm_am_address);
    free(settings->rm_client_address);
    free(settings->creel_dir);
}
