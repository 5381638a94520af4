/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - converts the configuration into the settings of the master */
#include "rm/net/conf/settings.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/access_text.h"
#include "common/io/loop/log.h"
#include "common/io/wire/wire.h"

#include "config.h"

/* Appends NAME and a blank. */
static void append(char **list, const char *name, size_t length)
{
    char *longer = mem_printf("%s%.*s ", *list, (int)length, name);

    free(*list);
    *list = longer;
}

static void append_members(char **list, const char *group_name, size_t length)
{
    scoped_free char *name = mem_strndup(group_name, length);
    const struct group *group = getgrnam(name);

    for (char **member = group != NULL ? group->gr_mem : NULL; member != NULL && *member != NULL; member++)
        append(list, *member, strlen(*member));
}

/* Returns the users of an access list, with a blank after each; the caller frees the text. ACL is "users
 * groups", both comma-separated; a leading blank means groups only. Groups are replaced by their members at
 * start, since the master has only users. A list "*" means all users. Within a longer list "*" is a name that
 * no user has, as in YARN. */
static char *expand_acl(const char *acl)
{
    static const char separators[] = ", \t\n";
    const char *groups = acl + strcspn(acl, " \t\n");
    const char *first = acl + strspn(acl, " \t\n");
    char *list;

    if (*first == '*' && first[1 + strspn(first + 1, " \t\n")] == '\0')
        return mem_strdup("*");
    list = mem_strdup("");
    for (const char *at = acl; *at != '\0';) {
        size_t length = strcspn(at, separators);

        if (length == 1 && *at == '*')
            ;
        else if (length > 0 && at < groups)
            append(&list, at, length);
        else if (length > 0)
            append_members(&list, at, length);
        at += length > 0 ? length : 1;
    }
    return list;
}

char *settings_admin_users(const struct conf *conf)
{
    return expand_acl(conf_text(conf, CONF_ADMIN_ACL));
}

void settings_log_access(const struct conf *conf)
{
    bool open;
    scoped_free char *text = access_text(conf, &open);

    log_line(open ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, "access: %s", text);
}

static void warn(void *context, enum conf_effect effect, const char *text)
{
    (void)context;
    log_line(conf_effect_matters(effect) ? LOG_LEVEL_WARN : LOG_LEVEL_DEBUG, "%s", text);
}

struct master_user_limits settings_user_limits(const struct conf *conf)
{
    return (struct master_user_limits){
        .jobs = (uint32_t)conf_int(conf, CONF_USER_JOBS_MAX),
        .job_bytes = (uint64_t)conf_bytes(conf, CONF_USER_JOBS_SIZE_MAX),
        .file_bytes = (uint64_t)conf_bytes(conf, CONF_USER_JOBS_FILES_SIZE_MAX),
        .asks = (uint32_t)conf_int(conf, CONF_USER_ASKS_MAX),
    };
}

int settings_read(const struct conf *conf, struct settings *settings, struct err *err)
{
    struct master_config *master = &settings->master;
    int r = schedconf_build(conf, warn, NULL, &settings->sched, err);

    if (r < 0)
        return r;
    master->sched = &settings->sched;
    master->scheduler = settings->sched.policy;
    settings->admin_users = settings_admin_users(conf);
    master->version = PACKAGE_VERSION;
    master->protocol = WIRE_PROTOCOL_RANGE;
    master->minimum_allocation = settings->sched.minimum;
    master->maximum_allocation = settings->sched.maximum;
    master->heartbeat_interval_ms = conf_ms(conf, CONF_NM_HEARTBEAT_INTERVAL);
    master->untracked_ms = conf_ms(conf, CONF_UNTRACKED_TIMEOUT);
    master->node_expiry_ms = conf_ms(conf, CONF_NM_EXPIRY_INTERVAL);
    master->am_expiry_ms = conf_ms(conf, CONF_AM_EXPIRY_INTERVAL);
    master->container_expiry_ms = conf_ms(conf, CONF_CONTAINER_EXPIRY_INTERVAL);
    master->am_memory_mb = conf_int(conf, CONF_AM_MEMORY_MB);
    master->max_attempts = (uint32_t)conf_int(conf, CONF_AM_MAX_ATTEMPTS);
    master->avoid_failed_nodes = conf_bool(conf, CONF_AM_BLACKLISTING);
    master->failed_nodes_share = conf_float(conf, CONF_AM_BLACKLISTING_THRESHOLD);
    master->has_notify_command = *conf_text(conf, CONF_NOTIFY_COMMAND) != '\0';
    master->max_completed_apps = (uint32_t)conf_int(conf, CONF_MAX_COMPLETED_APPS);
    master->max_completed_containers = (uint32_t)conf_int(conf, CONF_MAX_COMPLETED_CONTAINERS);
    master->max_tasks = (uint32_t)conf_int(conf, CONF_TASKS_MAX);
    master->user_limits = settings_user_limits(conf);
    master->stop_after_ms = conf_cutoff_ms(conf, CONF_ON_DISCONNECT);
    master->log_aggregation = conf_bool(conf, CONF_LOG_AGGREGATION);
    master->log_timeout_ms = conf_ms(conf, CONF_LOG_STATUS_TIMEOUT);
    master->nodes_per_certificate = (uint32_t)conf_int(conf, CONF_NODES_PER_CERTIFICATE);
    master->node_maximum =
        resource_of(conf_int(conf, CONF_NODE_MAX_MB), conf_int(conf, CONF_NODE_MAX_VCORES));
    master->clock_skew_ms = conf_ms(conf, CONF_CLOCK_SKEW);
    master->evict_notice_ms = conf_ms(conf, CONF_DRAIN_NOTICE);
    master->admin_users = settings->admin_users;
    master->proxy_users = conf_text(conf, CONF_PROXY_USERS);
    master->job_tokens = conf_bool(conf, CONF_JOB_TOKENS);
    master->user_metrics = conf_bool(conf, CONF_USER_METRICS);
    master->acl_enable = conf_bool(conf, CONF_ACL_ENABLE);
    master->queue_admins_change_conf = text_has_suffix(conf_text(conf, CONF_SCHEDULER_STORE_POLICY),
                                                       "QueueAdminConfigurationMutationACLPolicy");
    master->assign_on_demand = settings->sched.assign_on_demand;
    return 0;
}

void settings_done(struct settings *settings)
{
    free(settings->admin_users);
    settings->admin_users = NULL;
    if (settings->sched_taken)
        schedconf_taken(&settings->sched);
    else
        schedconf_free(&settings->sched);
}
