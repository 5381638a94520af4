/* SPDX-License-Identifier: Apache-2.0 */
/* conf_load.c - loads Hadoop's configuration files, one over the other, into one configuration */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf_struct.h"
#include "common/conf/xml.h"

#define DEFAULT_DIRECTORY "/etc/creel"

#define SITE_FILE "yarn-site.xml"
#define OWN_SITE_FILE "creel-site.xml"

/* Loaded after the other files, if the scheduler is the capacity scheduler. */
#define CAPACITY_FILE "capacity-scheduler.xml"

/* A file for some keys of YARN. Other keys in this file are ignored, as in YARN. */
struct narrow_file {
    const char *name;
    const char *families[2]; /* prefixes of the keys that the file may set; NULL: unused */
};

static const struct narrow_file narrow_files[] = {
    { "resource-types.xml", { "yarn.resource-types", NULL } },
    { "node-resources.xml", { "yarn.nodemanager.resource-type.", NULL } },
};

static const struct narrow_file capacity_file = {
    CAPACITY_FILE,
    { "yarn.scheduler.", "yarn.resourcemanager.monitor.capacity." },
};

struct loading {
    struct conf *conf;
    struct problems problems;
    const struct narrow_file *narrow; /* file being read, if narrow; NULL: any key may be set */
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

/* Adds a property, or replaces the existing one unless that is final. */
static void set_property(void *context, const struct xml_property *read)
{
    struct loading *loading = context;
    struct conf_property *old = conf_property_find(loading->conf, read->name);
    char shown[PROBLEMS_SHOWN_MAX];

    if (old && old->final) {
        if (!text_equal(old->written, read->value))
            problem_warn(&loading->problems, "%s:%zu: %s: is final in %s:%zu: ignored", read->file,
                         read->value_line, problems_show(read->name, shown), old->file, old->value_line);
        return;
    }
    conf_property_drop(loading->conf, old);
    conf_property_add(loading->conf, &(struct conf_property){
                                         .name = mem_strdup(read->name),
                                         .written = mem_strdup(read->value),
                                         .file = mem_strdup(read->file),
                                         .name_line = read->name_line,
                                         .value_line = read->value_line,
                                         .final = read->final,
                                     });
}

/* Returns true if FILE may set NAME. In YARN only the code that uses the file's keys reads the file, so other
 * yarn.* and creel.* keys in it have no effect. */
static bool is_for(const struct narrow_file *file, const char *name)
{
    bool others = text_has_prefix(name, "yarn.") || text_has_prefix(name, "creel.");

    for (size_t i = 0; i < sizeof(file->families) / sizeof(file->families[0]); i++)
        if (file->families[i] && text_has_prefix(name, file->families[i]))
            return true;
    return !others;
}

static void set_narrow_property(void *context, const struct xml_property *read)
{
    struct loading *loading = context;
    char shown[PROBLEMS_SHOWN_MAX];

    if (is_for(loading->narrow, read->name))
        set_property(context, read);
    else
        problem_warn(&loading->problems, "%s:%zu: %s: is not read from %s: ignored", read->file,
                     read->name_line, problems_show(read->name, shown), loading->narrow->name);
}

static struct loading begin(const char *directory, conf_warn_fn *warn, void *context)
{
    struct loading loading = { .conf = mem_new0(struct conf),
                               .problems = { .warn = warn, .context = context } };
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;

    loading.conf->directory = mem_strndup(directory, length);
    return loading;
}

/* Stores the configuration in *RET, or frees it if it has an error. */
static int finish(struct loading *loading, struct conf **ret, struct err *err)
{
    int result = problems_finish(&loading->problems, err);

    if (result < 0)
        conf_free(loading->conf);
    else
        *ret = loading->conf;
    return result;
}

/* Checks the loaded configuration. Stores it in *RET, or frees it on error. */
static int end(struct loading *loading, struct conf **ret, struct err *err)
{
    conf_resolve(loading->conf, &loading->problems);
    conf_judge_pairs(loading->conf, &loading->problems);
    return finish(loading, ret, err);
}

/* Returns 0 if DIRECTORY can be opened. */
static int check_directory(const char *directory, struct err *err)
{
    DIR *opened = opendir(directory);

    if (opened == NULL)
        return err_set(err, errno,
                       "configuration directory %s: %s: make it, or name the one that has " SITE_FILE
                       " or " OWN_SITE_FILE " with --conf or CREEL_CONF_DIR",
                       directory, strerror(errno));
    closedir(opened);
    return 0;
}

static bool may_be_absent(const char *directory, int result, bool files_wanted)
{
    return result == -ENOENT && !files_wanted && strcmp(directory, DEFAULT_DIRECTORY) == 0;
}

/* Returns true if the files read so far select the capacity scheduler. */
static bool needs_capacity_file(struct conf *conf)
{
    struct problems discarded = { .warn = NULL };
    const char *class, *dot;

    conf_resolve(conf, &discarded); /* replaces variables in the class */
    problems_finish(&discarded, NULL);
    class = conf->values[CONF_SCHEDULER_CLASS].text;
    if (class == NULL)
        class = conf_key_info(CONF_SCHEDULER_CLASS)->default_text;
    dot = strrchr(class, '.');
    return text_equal(dot ? dot + 1 : class, "CapacityScheduler");
}

static void note_file(void *context, const char *path)
{
    struct conf *conf = ((struct loading *)context)->conf;

    mem_grow(conf->files, conf->files_count, conf->files_room);
    conf->files[conf->files_count++] = mem_strdup(path);
}

static void read_file(struct loading *loading, const char *directory, const char *name,
                      const struct narrow_file *narrow)
{
    scoped_free char *path = mem_printf("%s/%s", directory, name);

    loading->narrow = narrow;
    if (xml_read_file(path, narrow ? set_narrow_property : set_property, note_file, loading,
                      &loading->problems) == 0)
        loading->conf->file_count++;
}

struct overrides {
    const struct conf_override *items;
    size_t count;
};

static void apply_overrides(struct conf *conf, const struct overrides *overrides)
{
    for (size_t i = 0; i < overrides->count; i++) {
        const struct conf_override *override = &overrides->items[i];

        conf_property_drop(conf, conf_property_find(conf, override->name));
        if (override->value != NULL)
            conf_property_add(conf, &(struct conf_property){
                                        .name = mem_strdup(override->name),
                                        .written = mem_strdup(override->value),
                                        .file = mem_strdup(override->origin),
                                    });
    }
}

static int load(const char *directory, bool files_wanted, const struct overrides *overrides,
                conf_warn_fn *warn, void *context, struct conf **ret, struct err *err)
{
    struct loading loading;
    int result = check_directory(directory, err);

    if (result < 0 && !may_be_absent(directory, result, files_wanted))
        return result;
    loading = begin(directory, warn, context);
    read_file(&loading, directory, SITE_FILE, NULL);
    for (size_t i = 0; i < sizeof(narrow_files) / sizeof(narrow_files[0]); i++)
        read_file(&loading, directory, narrow_files[i].name, &narrow_files[i]);
    read_file(&loading, directory, OWN_SITE_FILE, NULL);
    if (needs_capacity_file(loading.conf)) {
        read_file(&loading, directory, CAPACITY_FILE, &capacity_file);
        apply_overrides(loading.conf, overrides);
    }
    if (files_wanted && loading.conf->file_count == 0) {
        conf_free(loading.conf);
        return err_set(err, ENOENT,
                       "configuration directory %s: has neither %s nor %s: creel setup makes a configuration",
                       directory, SITE_FILE, OWN_SITE_FILE);
    }
    return end(&loading, ret, err);
}

int conf_load(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret, struct err *err)
{
    return conf_load_over(directory, NULL, 0, warn, context, ret, err);
}

int conf_load_needed(const char *directory, const enum conf_key *needed, size_t count, struct conf **ret,
                     struct err *err)
{
    struct loading loading;
    int result = check_directory(directory, err);

    if (result < 0 && !may_be_absent(directory, result, false))
        return result;
    loading = begin(directory, NULL, NULL);
    read_file(&loading, directory, SITE_FILE, NULL);
    read_file(&loading, directory, OWN_SITE_FILE, NULL);
    conf_resolve_needed(loading.conf, needed, count, &loading.problems);
    return finish(&loading, ret, err);
}

int conf_load_over(const char *directory, const struct conf_override *overrides, size_t count,
                   conf_warn_fn *warn, void *context, struct conf **ret, struct err *err)
{
    const struct overrides all = { overrides, count };

    return load(directory, false, &all, warn, context, ret, err);
}

int conf_check(const char *directory, conf_warn_fn *warn, void *context, struct conf **ret, struct err *err)
{
    static const struct overrides none = { NULL, 0 };

    return load(directory, true, &none, warn, context, ret, err);
}

int conf_load_buffer(const char *name, const char *text, size_t size, conf_warn_fn *warn, void *context,
                     struct conf **ret, struct err *err)
{
    struct loading loading = begin("", warn, context);

    loading.conf->file_count = 1;
    xml_read_buffer(name, text, size, set_property, &loading, &loading.problems);
    return end(&loading, ret, err);
}
