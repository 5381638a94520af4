/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - the queues' configuration is read again, all of it or nothing */
#include "common/base/mem.h"
#include "rm/net/daemon.h"

#define WARNINGS_MAX 100                /* told to who asked; the log has all */

struct warnings {
    char *texts[WARNINGS_MAX];          /* owned */
    size_t count;
};

static void on_warning(void *context, const char *text)
{
    struct warnings *warnings = context;

    log_line(LOG_LEVEL_WARN, "%s", text);
    if (warnings->count < WARNINGS_MAX)
        warnings->texts[warnings->count++] = mem_strdup(text);
}

static int build(struct daemon *daemon, struct warnings *warnings, struct conf **conf,
                 struct sched_config *config, struct err *err)
{
    int r = conf_load(conf_loaded_from(daemon->conf), NULL, NULL, conf, err);

    if (r < 0)
        return r;
    return scheduler_config_build_warning(*conf, on_warning, warnings, config, err);
}

void reload_queues(struct daemon *daemon, const struct master_reload *reload)
{
    struct sched_config config = { .strategy = NULL };
    struct warnings warnings = { .count = 0 };
    struct conf *conf = NULL;
    struct err err = { 0 };
    bool readable = build(daemon, &warnings, &conf, &config, &err) == 0;

    if (master_reload(daemon->master, daemon_now_ms(daemon), reload, readable ? &config : NULL,
                      (const char *const *)warnings.texts, warnings.count, &err,
                      daemon->filling) == 0) {
        log_line(LOG_LEVEL_INFO, "queues refreshed for %s", reload->user);
        scheduler_config_taken(&config);
        conf_free(daemon->queue_conf);
        daemon->queue_conf = conf;
    } else {
        log_line(LOG_LEVEL_ERROR, "queues not refreshed for %s, all stays as it was: %s",
                 reload->user, err.text);
        scheduler_config_free(&config);
        conf_free(conf);
    }
    for (size_t i = 0; i < warnings.count; i++)
        free(warnings.texts[i]);
}
