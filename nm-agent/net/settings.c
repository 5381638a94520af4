/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - derives the settings of the agent from the configuration and the machine */
#include "nm-agent/net/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/resource_types.h"
#include "common/io/wire/endpoint.h"
#include "nm-agent/linux/parts/machine.h"

#define MEMORY_MB_DEFAULT 8192
#define VCORES_DEFAULT 8
#define RATIO_MIN 0.99
#define LOG_GRACE_MS 10000  /* a client that follows the logs reads their end in this time */
#define DETECTED_SHARE 0.8f /* share of the physical memory offered if nothing is configured */

/* --- addresses --------------------------------------------------------------- */

static bool is_everywhere(const char *host)
{
    return text_equal(host, "0.0.0.0") || text_equal(host, "::");
}

static int read_endpoint(const struct conf *conf, enum conf_key key, char *host, size_t size, int *port,
                         struct err *err)
{
    const char *name = conf_key_info(key)->name;
    char origin[CONF_ORIGIN_MAX];
    int r = endpoint_parse(conf_text(conf, key), -1, host, size, port, err);

    if (r < 0)
        err_prefix(err, "%s: %s", conf_origin(conf, name, origin, sizeof(origin)), name);
    return r;
}

/* Reads the address of the RM. If the RM listens on all addresses, it is on this host. */
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
        return err_set_errno(err, errno,
                             "cannot find the name of this host; set "
                             "yarn.nodemanager.hostname");
    name[sizeof(name) - 1] = '\0';
    settings->host = mem_strdup(name);
    return 0;
}

static int read_web_address(const struct conf *conf, struct settings *settings, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], text[ENDPOINT_TEXT_MAX];
    enum conf_key key;
    int port, r;

    settings->web_secure = strcasecmp(conf_text(conf, CONF_WEB_POLICY), "HTTPS_ONLY") == 0;
    key = settings->web_secure ? CONF_NM_WEB_HTTPS_ADDRESS : CONF_NM_WEB_ADDRESS;
    if (*conf_text(conf, key) == '\0')
        return 0;
    r = read_endpoint(conf, key, host, sizeof(host), &port, err);
    if (r == 0)
        settings->web_address = mem_strdup(endpoint_format(host, port, text));
    return r;
}

/* --- what the node offers -------------------------------------------------------- */

static int64_t detected_vcores(const struct conf *conf, int64_t cores)
{
    double share = (double)conf_int(conf, CONF_NM_CPU_PERCENT) / 100;
    int64_t vcores = (int64_t)((double)cores * share * conf_float(conf, CONF_NM_CORES_MULTIPLIER));

    return vcores > 1 ? vcores : 1;
}

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
    if (vcores == -1 && !detect)
        vcores = VCORES_DEFAULT;
    else if (vcores == -1)
        vcores = detected_vcores(conf, cores);
    return resource_of(memory_mb, vcores);
}

/* Differs: YARN's two keys are false by default, and its monitor then stops containers over the limit some
 * seconds later. The kernel's limit is exact, and costs nothing. */
bool settings_kernel_enforces(const struct conf *conf)
{
    return conf_bool(conf, CONF_NM_MEMORY_CGROUP) && conf_bool(conf, CONF_NM_MEMORY_ENFORCED);
}

static bool is_set(const struct conf *conf, enum conf_key key)
{
    return conf_raw(conf, conf_key_info(key)->name) != NULL;
}

/* Returns true if the monitor makes CHECK. As in YARN the monitor does not check what the kernel enforces.
 * But if the kernel's enforcement is only a default, and the check is configured explicitly, both are
 * active. */
static bool judges(const struct conf *conf, enum conf_key check)
{
    bool asked_for_kernel = is_set(conf, CONF_NM_MEMORY_CGROUP) || is_set(conf, CONF_NM_MEMORY_ENFORCED);

    return conf_bool(conf, check) &&
           (!settings_kernel_enforces(conf) || (!asked_for_kernel && is_set(conf, check)));
}

int settings_monitor(const struct conf *conf, struct monitor_rules *rules, struct err *err)
{
    const char *name = conf_key_info(CONF_NM_VMEM_RATIO)->name;
    char origin[CONF_ORIGIN_MAX];

    *rules = (struct monitor_rules){
        .physical = judges(conf, CONF_NM_PMEM_CHECK),
        .virtual = judges(conf, CONF_NM_VMEM_CHECK),
        .ratio = conf_float(conf, CONF_NM_VMEM_RATIO),
    };
    if (rules->ratio > RATIO_MIN)
        return 0;
    return err_set(err, EINVAL, "%s: %s: \"%g\": expected a number above 0.99",
                   conf_origin(conf, name, origin, sizeof(origin)), name, rules->ratio);
}

struct runtime_health settings_health(const struct conf *conf)
{
    return (struct runtime_health){
        .disks_unwatched = !conf_bool(conf, CONF_NM_DISK_CHECK),
        .disk_interval_ms = conf_ms(conf, CONF_NM_DISK_INTERVAL),
        .disks_min = conf_float(conf, CONF_NM_DISKS_HEALTHY),
        .used_percent_max = conf_float(conf, CONF_NM_DISK_PERCENT),
        .watermark_percent = conf_float(conf, CONF_NM_DISK_WATERMARK),
        .free_mb_min = conf_int(conf, CONF_NM_DISK_FREE_MB),
        .script = conf_text(conf, CONF_NM_SCRIPT),
        .script_options = conf_text(conf, CONF_NM_SCRIPT_OPTIONS),
        .script_interval_ms = conf_ms(conf, CONF_NM_SCRIPT_INTERVAL),
        .script_timeout_ms = conf_ms(conf, CONF_NM_SCRIPT_TIMEOUT),
    };
}

/* --- logs of ended applications -------------------------------------------------- */

/* A wrong key makes a warning: the node can run containers, and their logs stay there. */
static void read_log_storage(const struct conf *conf, struct settings *settings)
{
    char text[ENDPOINT_TEXT_MAX];
    struct err err = { 0 };

    if (log_storage_read(conf, &settings->log_storage, &err) < 0)
        snprintf(settings->log_warning, sizeof(settings->log_warning), "%.500s", err.text);
    settings->log_file = log_storage_file(endpoint_format(settings->host, settings->port, text));
}

static int64_t check_interval_ms(const struct conf *conf)
{
    int64_t check_s = conf_int(conf, CONF_REMOTE_LOG_CHECK_S);

    if (check_s <= 0)
        check_s = conf_int(conf, CONF_REMOTE_LOG_RETAIN_S) / 10;
    return check_s > 0 ? check_s * 1000 : 1000;
}

struct runtime_aggregation settings_aggregation(const struct conf *conf, const struct settings *settings)
{
    int64_t retain_s = conf_int(conf, CONF_REMOTE_LOG_RETAIN_S);

    return (struct runtime_aggregation){
        .dir = settings->log_storage.dir,
        .suffix = settings->log_storage.suffix,
        .file = settings->log_file,
        .retain_ms = retain_s < 0 ? -1 : retain_s * 1000,
        .check_ms = check_interval_ms(conf),
        .timeout_ms = conf_ms(conf, CONF_REMOTE_LOG_TIMEOUT),
        .retry_ms = conf_ms(conf, CONF_REMOTE_LOG_RETRY),
        .grace_ms = LOG_GRACE_MS,
    };
}

static int64_t machine_cores(const struct conf *conf)
{
    scoped_free char *text = NULL;
    int64_t cores;

    if (!conf_bool(conf, CONF_NM_LOGICAL_CORES) && machine_read_cpuinfo(&text) == 0 &&
        (cores = machine_count_cores(text)) > 0)
        return cores;
    return sysconf(_SC_NPROCESSORS_ONLN);
}

/* --- paths ------------------------------------------------------------------------- */

/* Returns the directory of the creel program: that of this program in a build tree, else the installed
 * one. */
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

bool settings_is_oversized(const struct resource *offer, int64_t physical_mb, int64_t cores,
                           double vcores_per_core, char text[SETTINGS_WARNING_MAX])
{
    int64_t memory_mb = offer->value[RESOURCE_MEMORY_MB], vcores = offer->value[RESOURCE_VCORES];
    bool memory = memory_mb > physical_mb;
    bool processors = (double)vcores > (double)cores * (vcores_per_core > 1 ? vcores_per_core : 1);

    text[0] = '\0';
    if (!memory && !processors)
        return false;
    snprintf(text, SETTINGS_WARNING_MAX,
             "offers <memory:%lld, vCores:%lld>, and this machine has %lld MiB "
             "and %lld processors: lower %s, or set it to -1 and %s to true",
             (long long)memory_mb, (long long)vcores, (long long)physical_mb, (long long)cores,
             conf_key_info(memory ? CONF_NM_MEMORY_MB : CONF_NM_VCORES)->name,
             conf_key_info(CONF_NM_DETECT)->name);
    return true;
}

int settings_read(const struct conf *conf, struct settings *settings, struct err *err)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    int r;

    if ((r = read_own_address(conf, settings, err)) < 0 || (r = read_web_address(conf, settings, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_AGENT_ADDRESS, &settings->rm_agent_address, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_AM_ADDRESS, &settings->rm_am_address, err)) < 0 ||
        (r = read_rm_address(conf, CONF_RM_CLIENT_ADDRESS, &settings->rm_client_address, err)) < 0 ||
        (r = resource_types_load_offers(conf, &settings->others, err)) < 0)
        return r;
    read_log_storage(conf, settings);
    settings->cores = machine_cores(conf);
    settings->total = settings_offer(conf, pages / 1024 * page_bytes / 1024, settings->cores);
    (void)settings_is_oversized(&settings->total, pages / 1024 * page_bytes / 1024,
                                sysconf(_SC_NPROCESSORS_ONLN), conf_float(conf, CONF_NM_CORES_MULTIPLIER),
                                settings->oversized);
    settings->creel_dir = find_creel_dir();
    if ((r = settings_monitor(conf, &settings->monitor, err)) < 0)
        return r;
    if (!text_is_rack(conf_text(conf, CONF_NM_RACK)))
        return err_set(
            err, EINVAL,
            "%s: \"%s\" is not a rack: expected \"/\" and letters, digits, _ . -, as \"/default-rack\" or "
            "\"/dc1/r1\"",
            conf_key_info(CONF_NM_RACK)->name, conf_text(conf, CONF_NM_RACK));
    if (settings->monitor.physical || settings->monitor.virtual)
        settings->sample_depth =
            conf_bool(conf, CONF_NM_SMAPS) ? RUNTIME_SAMPLE_MAPPINGS : RUNTIME_SAMPLE_PROCESSES;
    if (settings->total.value[RESOURCE_MEMORY_MB] > 0 && settings->total.value[RESOURCE_VCORES] > 0)
        return 0;
    return err_set(err, EINVAL,
                   "this node offers nothing: set yarn.nodemanager.resource.memory-mb "
                   "and yarn.nodemanager.resource.cpu-vcores above 0, or keep less back with "
                   "yarn.nodemanager.resource.system-reserved-memory-mb");
}

void settings_done(struct settings *settings)
{
    free(settings->host);
    free(settings->listen_address);
    free(settings->web_address);
    free(settings->rm_agent_address);
    free(settings->rm_am_address);
    free(settings->rm_client_address);
    free(settings->creel_dir);
    free(settings->log_file);
    log_storage_clear(&settings->log_storage);
}
