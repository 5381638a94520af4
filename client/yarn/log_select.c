/* SPDX-License-Identifier: Apache-2.0 */
/* log_select.c - which containers and files `yarn logs` prints */
#include "client/yarn/log_select.h"

#include <errno.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"

const char *const log_files[LOG_FILES] = { "stdout", "stderr" };

/* --- reading ------------------------------------------------------------------ */

static int read_ids(const struct yarn_options *options, struct log_select *ret, struct err *err)
{
    const char *attempt = yarn_options_get(options, "applicationAttemptId");
    struct container_id container = { 0 };
    struct attempt_id parsed;
    struct app_id app;

    if (ret->app_id == NULL && ret->container_id == NULL && attempt == NULL)
        return err_set(err, EINVAL,
                       "Both applicationId and containerId are missing, one of them must be specified.");
    if (ret->app_id != NULL && !app_id_parse(ret->app_id, &app))
        return err_set(err, EINVAL, "Invalid ApplicationId specified: %s", ret->app_id);
    if (ret->container_id != NULL && !container_id_parse(ret->container_id, &container))
        return err_set(err, EINVAL, "Invalid ContainerId specified: %s", ret->container_id);
    if (attempt != NULL && !attempt_id_parse(attempt, &parsed))
        return err_set(err, EINVAL, "Invalid ApplicationAttemptId specified: %s", attempt);
    if (attempt != NULL)
        ret->attempt = parsed.attempt;
    if (ret->app_id != NULL)
        return 0;
    app_id_format(attempt != NULL ? &parsed.app : &container.attempt.app, ret->app_text);
    ret->app_id = ret->app_text;
    return 0;
}

static void read_files(const struct yarn_options *options, struct log_select *ret)
{
    bool any = false;

    for (size_t i = 0; i < options->count; i++) {
        const struct yarn_value *value = &options->items[i];
        scoped_free char *copy = mem_strdup(value->text);
        char *rest = copy, *word;

        if (value->option == NULL ||
            (strcmp(value->option->name, "log_files") != 0 && strcmp(value->option->name, "logFiles") != 0))
            continue;
        any = true;
        while ((word = text_next_word(&rest)) != NULL)
            for (size_t k = 0; k < LOG_FILES; k++)
                if (strcasecmp(word, "ALL") == 0 || strcmp(word, "*") == 0 || strcmp(word, log_files[k]) == 0)
                    ret->files[k] = true;
    }
    for (size_t k = 0; k < LOG_FILES && !any; k++)
        ret->files[k] = true;
}

static int read_pattern(const char *pattern, struct log_select *ret, struct err *err)
{
    scoped_free char *whole = mem_printf("^(%s)$", pattern);
    regex_t regex;

    if (regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB) != 0)
        return err_set(err, EINVAL, "-log_files_pattern %s: this is no regular expression", pattern);
    for (size_t k = 0; k < LOG_FILES; k++)
        ret->files[k] = regexec(&regex, log_files[k], 0, NULL, 0) == 0;
    regfree(&regex);
    return 0;
}

int log_select_read(const struct yarn_options *options, struct log_select *ret, struct err *err)
{
    const char *size = yarn_options_get(options, "size");
    const char *pattern = yarn_options_get(options, "log_files_pattern");
    int r;

    *ret = (struct log_select){
        .app_id = yarn_options_get(options, "applicationId"),
        .container_id = yarn_options_get(options, "containerId"),
        .node = yarn_options_get(options, "nodeAddress"),
        .masters = yarn_options_get(options, "am"),
        .has_size = size != NULL,
    };
    if ((r = read_ids(options, ret, err)) < 0)
        return r;
    read_files(options, ret);
    if (pattern != NULL && (r = read_pattern(pattern, ret, err)) < 0)
        return r;
    if (size != NULL && (!text_parse_int64(size, &ret->size) || ret->size == INT64_MIN))
        return err_set(err, EINVAL, "-size %s: expected a number of bytes, below 0 for the last ones", size);
    return 0;
}

/* --- selection ---------------------------------------------------------------- */

/* True if -am names attempt NUMBER of APP. */
static bool has_master(const char *masters, const struct creel_app *app, uint32_t number)
{
    scoped_free char *copy = mem_strdup(masters);
    char *rest = copy, *word;
    int64_t wanted;

    if (strcasecmp(masters, "ALL") == 0)
        return true;
    while ((word = text_next_word(&rest)) != NULL) {
        if (!text_parse_int64(word, &wanted))
            continue;
        if (wanted == (int64_t)number || (wanted == -1 && number == app->attempt))
            return true;
    }
    return false;
}

bool log_select_has(const struct log_select *select, const struct creel_app *app,
                    const struct creel_container *container)
{
    struct container_id id;

    if (container->started_ms == 0 || !container_id_parse(container->id, &id))
        return false;
    if (select->container_id != NULL && strcmp(select->container_id, container->id) != 0)
        return false;
    if (select->node != NULL && strcmp(select->node, container->node_id) != 0)
        return false;
    if (select->attempt != 0 && select->attempt != id.attempt.attempt)
        return false;
    return select->masters == NULL ||
           (container->master && has_master(select->masters, app, id.attempt.attempt));
}
