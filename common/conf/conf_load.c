/* SPDX-License-Identifier: Apache-2.0 */
/* conf_load.c - Hadoop's files, one over the other, into one configuration */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf_struct.h"
#include "common/conf/xml.h"

#define DEFAULT_DIRECTORY "/etc/creel"

/* Later ones over earlier ones. */
static const char *const file_names[] = { "yarn-site.xml", "creel-site.xml" };

struct loading {
    struct conf *conf;
    struct problems problems;
};

const char *conf_directory(const char *flag)
{
    static const char *const variables[] = { "CREEL_CONF_DIR", "YARN_CONF_DIR", "HADOOP_CONF_DIR" };

    if (flag)
        return flag;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);

        if (value && *value)
            return value;
    }
    return DEFAULT_DIRECTORY;
}

/* One more property: over what is there, unless that is final. */
static void take_property(void *context, const struct xml_property *read)
{
    struct loading *loading = context;
    struct conf_property *old = conf_property_find(loading->conf, read->name);
    char shown[PROBLEMS_SHOWN_MAX];

    if (old && old->final) {
        if (!text_equal(old->written, read->value))
            problem_warn(&loading->problems, "%s:%zu: %s: is final in %s:%zu: passed over",
                         read->file, read->value_line, problems_show(read->name, shown),
                         old->file, old->value_line);
        return;
    }
    conf_property_drop(loading->conf, old);
    conf_property_add(loading->conf, &(struct conf_property){
        .name = mem_strdup(read->name), .written = mem_strdup(read->value),
        .file = mem_strdup(read->file), .name_line = read->name_line,
        .value_line = read->value_line, .final = read->final,
    });
}

static struct loading begin(const char *directory, conf_warn_fn *warn, void *context)
{
    struct loading loading = { .conf = mem_new0(struct conf),
                               .problems = { .warn = warn, .context = context } };

    loading.conf->directory = mem_strdup(directory);
    return loading;
}

/* Judge what was read; hand over or throw away. */
static int end(struct loading *loading, struct conf **ret, struct err *err)
{
    int result;

    conf_resolve(loading->conf, &loading->problems);
    conf_judge_pairs(loading->conf, &loading->problems);
    result = problems_finish(&loading->problems, err);
    if (result < 0)
        conf_free(loading->conf);
    else
        *ret = loading->conf;
    return result;
}

/* 0 if DIRECTORY can be looked into. */
static int look_at(const char *directory, struct err *err)
{
    DIR *opened = opendir(directory);

    if (opened == NULL)
        return err_set_errno(err, errno, "configuration directory %s", directory);
    closedir(opened);
    return 0;
}

static bool may_be_absent(const char *directory, int result, bool files_wanted)
{
    return result == -ENOENT && !files_wanted && strcmp(directory, DEFAULT_DIRECTORY) == 0;
}

static int load(const char *directory, bool files_wanted, conf_warn_fn *warn, void *context,
                struct conf **ret, struct err *err)
{
    struct loading loading;
    int result = look_at(directory, err);

    if (result < 0 && !may_be_absent(directory, result, files_wanted))
        return result;
    loading = begin(directory, warn, context);
    for (size_t i = 0; i < sizeof(file_names) / sizeof(file_names[0]); i++) {
        scoped_free char *path = mem_printf("%s/%s", directory, file_names[i]);

        if (xml_read_file(path, take_property, &loading, &loading.problems) == 0)
            loading.conf->file_count++;
    }
    if (files_wanted && loading.conf->file_count == 0) {
        conf_free(loading.conf);
        return err_set(err, ENOENT, "configuration directory %s: has neither %s nor %s", directory,
                       file_names[0], file_names[1]);
    }
    return end(&loading, ret, err);
}

int conf_load(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret,
              struct err *err)
{
    return load(directory, false, warn, context, ret, err);
}

int conf_check(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret,
               struct err *err)
{
    return load(directory, true, warn, context, ret, err);
}

int conf_load_buffer(const char *name, const char *text, size_t size, conf_warn_fn *warn,
                     void *context, struct conf **ret, struct err *err)
{
    struct loading loading = begin("", warn, context);

    loading.conf->file_count = 1;
    xml_read_buffer(name, text, size, take_property, &loading, &loading.problems);
    return end(&loading, ret, err);
}
