/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_fair.c - the fair scheduler's part: its keys and its allocation file */
#include "rm/net/scheduler_fair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/file_text.h"
#include "rm/sched/fair/config.h"

#define ALLOCATION_BYTES_MAX ((size_t)256 << 20)
#define FILE_SCHEME "file://"

static const char *origin_of(const struct conf *conf, char text[CONF_ORIGIN_MAX])
{
    return conf_origin(conf, conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name, text,
                       CONF_ORIGIN_MAX);
}

int scheduler_fair_path(const struct conf *conf, char **ret, bool *searched, struct err *err)
{
    const char *name = conf_text(conf, CONF_FAIR_ALLOCATION_FILE);
    const char *directory = conf_loaded_from(conf);
    char origin[CONF_ORIGIN_MAX];

    if (text_has_prefix(name, FILE_SCHEME "/"))
        name += strlen(FILE_SCHEME);
    if (*name == '\0' || strstr(name, "://"))
        return err_set(err, EINVAL, "%s: %s: \"%s\": expected the name of a file of this machine",
                       origin_of(conf, origin), conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name,
                       name);
    if (searched)
        *searched = *name != '/';
    *ret = *name == '/' || *directory == '\0' ? mem_strdup(name)
                                              : mem_printf("%s/%s", directory, name);
    return 0;
}

/* *TEXT stays NULL if there is none, and need not be. */
static int read_allocations(const struct conf *conf, const char *path, bool searched,
                            scheduler_warn_fn *warn, void *context, char **text, size_t *size,
                            struct err *err)
{
    const char *key = conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name;
    scoped_free char *message = NULL;
    char origin[CONF_ORIGIN_MAX];
    struct err why = { .code = 0 };
    int r = file_text_read(path, ALLOCATION_BYTES_MAX, text, size, &why);

    if (r == -ENOENT && searched) {
        message = mem_printf("%s: is not there: root.default is all that is configured (%s)", path,
                             key);
        if (warn)
            warn(context, message);
        return 0;
    }
    if (r < 0)
        return err_set(err, EINVAL, "%s (%s, %s)", why.text, key, origin_of(conf, origin));
    return 0;
}

int scheduler_fair_build(const struct conf *conf, scheduler_warn_fn *warn, void *context,
                         struct sched_config *ret, struct err *err)
{
    scoped_free char *path = NULL, *text = NULL;
    struct fair_config *fair = NULL;
    bool searched = false;
    size_t size = 0;
    int r;

    if ((r = scheduler_fair_path(conf, &path, &searched, err)) < 0 ||
        (r = read_allocations(conf, path, searched, warn, context, &text, &size, err)) < 0 ||
        (r = fair_config_load(conf, path, text, size, warn, context, &fair, err)) < 0)
        return r;
    ret->strategy = "fair";
    ret->calculator = SCHED_EVERY_TYPE;
    ret->types = (int)fair->types.count;
    ret->minimum = fair->minimum;
    ret->step = fair->increment;
    ret->maximum = fair->maximum;
    /* Differs: YARN places on heartbeats alone, or continuously alone. Here what is asked, or freed,
     * is placed at once as well, in the same order, unless scheduling is continuous. */
    ret->assign_on_demand = !fair->continuous;
    ret->fair = fair;
    return 0;
}
