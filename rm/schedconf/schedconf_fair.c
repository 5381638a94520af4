/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_fair.c - builds the fair scheduler's configuration from its keys and its allocation file */
#include "rm/schedconf/schedconf_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/file_text.h"
#include "rm/sched/fair/config.h"

#define ALLOCATION_BYTES_MAX ((size_t)256 << 20)
#define FILE_SCHEME "file://"

static const char *origin_of(const struct conf *conf, char text[CONF_ORIGIN_MAX])
{
    return conf_origin(conf, conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name, text, CONF_ORIGIN_MAX);
}

int schedconf_fair_path(const struct conf *conf, char **ret, bool *searched, struct err *err)
{
    const char *name = conf_text(conf, CONF_FAIR_ALLOCATION_FILE);
    const char *directory = conf_loaded_from(conf);
    char origin[CONF_ORIGIN_MAX];

    if (text_has_prefix(name, FILE_SCHEME "/"))
        name += strlen(FILE_SCHEME);
    if (*name == '\0' || strstr(name, "://"))
        return err_set(err, EINVAL, "%s: %s: \"%s\": expected the name of a file of this machine",
                       origin_of(conf, origin), conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name, name);
    if (searched)
        *searched = *name != '/';
    *ret = *name == '/' || *directory == '\0' ? mem_strdup(name) : mem_printf("%s/%s", directory, name);
    return 0;
}

/* Reads the file PATH into *TEXT. *TEXT stays NULL if the file does not exist and SEARCHED allows that. */
static int read_allocations(const struct schedconf_build *build, const char *path, bool searched, char **text,
                            size_t *size, struct err *err)
{
    const char *key = conf_key_info(CONF_FAIR_ALLOCATION_FILE)->name;
    scoped_free char *message = NULL;
    char origin[CONF_ORIGIN_MAX];
    struct err why = { .code = 0 };
    int r = file_text_read(path, ALLOCATION_BYTES_MAX, text, size, &why);

    if (r == -ENOENT && searched) {
        message = mem_printf("%s: is not there: root.default is all that is configured (%s)", path, key);
        if (build->warn)
            build->warn(build->context, CONF_WARNING, message);
        return 0;
    }
    if (r < 0)
        return err_set(err, EINVAL, "%s (%s, %s)", why.text, key, origin_of(build->conf, origin));
    return 0;
}

int schedconf_build_fair(struct schedconf_build *build, struct err *err)
{
    struct sched_config *config = build->config;
    scoped_free char *path = NULL, *text = NULL;
    struct fair_config *fair = NULL;
    bool searched = false;
    size_t size = 0;
    int r;

    if ((r = schedconf_fair_path(build->conf, &path, &searched, err)) < 0 ||
        (r = read_allocations(build, path, searched, &text, &size, err)) < 0 ||
        (r = fair_config_load(build->conf, path, text, size, build->warn, build->context, &fair, err)) < 0)
        return r;
    config->policy = "fair";
    config->calculator = SCHED_EVERY_TYPE;
    /* Differs: YARN places containers only at heartbeats, or only in continuous scheduling. creel also serves
     * new requests and uses freed room at once, in the same order, unless scheduling is continuous:
     * containers start sooner. */
    config->assign_on_demand = !fair->continuous;
    config->fair = fair;
    fair_config_set_sizes(config);
    return 0;
}
