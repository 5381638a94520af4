/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - reads the lists of the hosts that may, and may not, be nodes of the cluster */
#include "common/conf/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/file.h"
#include "common/conf/problems.h"
#include "common/conf/xml_tree.h"

#define NAME_BYTES_MAX 255
#define SECONDS_MAX 3155760000 /* a century */

static const char blanks[] = " \t\r\n\f\v";

struct reading {
    const char *path;
    struct hosts_list *list;
    struct err *err;
};

static int add(struct reading *reading, size_t line, const char *name, size_t length, bool timed,
               int64_t timeout_ms)
{
    scoped_free char *text = mem_strndup(name, length);
    struct hosts_list *list = reading->list;
    char shown[PROBLEMS_SHOWN_MAX];

    if (length > NAME_BYTES_MAX || strcspn(text, "<>\"'&,;\x01\x1b") != length)
        return err_set(reading->err, EINVAL, "%s:%zu: \"%s\": expected the name of a host", reading->path,
                       line, problems_show(text, shown));
    mem_grow(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct hosts_entry){ text, timed, timeout_ms };
    text = NULL;
    return 0;
}

/* --- plain files ----------------------------------------------------------- */

static int read_line(struct reading *reading, size_t number, const char *at, const char *end)
{
    while (at < end) {
        size_t length;
        int r;

        at += strspn(at, " \t\r\f\v");
        if (at >= end || *at == '#')
            return 0;
        length = strcspn(at, blanks);
        r = add(reading, number, at, length, false, 0);
        if (r < 0)
            return r;
        at += length;
    }
    return 0;
}

static int read_plain(struct reading *reading, const char *text)
{
    for (size_t number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        int r = read_line(reading, number, text, text + length);

        if (r < 0)
            return r;
        text += length + (text[length] == '\n');
    }
    return 0;
}

/* --- XML ------------------------------------------------------------------- */

static int read_timeout(struct reading *reading, const struct xml_node *node, int64_t *ret)
{
    const char *at = node->text + strspn(node->text, blanks);
    scoped_free char *text = mem_strdup(at);
    char shown[PROBLEMS_SHOWN_MAX];
    size_t length = strlen(text);
    int64_t seconds;

    while (length > 0 && strchr(blanks, text[length - 1]))
        text[--length] = '\0';
    if (!text_parse_int64(text, &seconds) || seconds > SECONDS_MAX)
        return err_set(reading->err, EINVAL,
                       "%s:%zu: timeout: \"%s\": expected a whole number of "
                       "seconds; below 0: no limit",
                       reading->path, node->line, problems_show(text, shown));
    *ret = seconds < 0 ? -1 : seconds * 1000;
    return 0;
}

static int read_names(struct reading *reading, const struct xml_node *node, bool timed, int64_t timeout_ms)
{
    static const char separators[] = ", \t\r\n\f\v";
    const char *at = node->text;

    while (*(at += strspn(at, separators))) {
        size_t length = strcspn(at, separators);
        int r = add(reading, node->line, at, length, timed, timeout_ms);

        if (r < 0)
            return r;
        at += length;
    }
    return 0;
}

static int read_host(struct reading *reading, const struct xml_node *host)
{
    const struct xml_node *child;
    int64_t timeout_ms = 0;
    bool timed = false;
    int r = 0;

    STAILQ_FOREACH(child, &host->children, link) {
        if (strcmp(child->name, "timeout") != 0)
            continue;
        timed = true;
        r = read_timeout(reading, child, &timeout_ms);
        if (r < 0)
            return r;
    }
    STAILQ_FOREACH(child, &host->children, link)
        if (r == 0 && strcmp(child->name, "name") == 0)
            r = read_names(reading, child, timed, timeout_ms);
    return r;
}

static int read_xml(struct reading *reading, const char *text, size_t size)
{
    const struct xml_node *root, *child;
    struct xml_tree *tree;
    int r = xml_tree_parse(reading->path, text, size, &tree, reading->err);

    if (r < 0)
        return r;
    root = xml_tree_root(tree);
    if (strcmp(root->name, "hosts") != 0)
        r = err_set(reading->err, EINVAL, "%s:%zu: <%s>: expected <hosts>", reading->path, root->line,
                    root->name);
    STAILQ_FOREACH(child, &root->children, link) {
        if (r < 0)
            break;
        r = strcmp(child->name, "host") == 0 ? read_host(reading, child)
                                             : err_set(reading->err, EINVAL, "%s:%zu: <%s>: expected <host>",
                                                       reading->path, child->line, child->name);
    }
    xml_tree_free(tree);
    return r;
}

/* --- files ----------------------------------------------------------------- */

static int read_file(const char *path, const char *key, const char *origin, struct hosts_list *list,
                     struct err *err)
{
    struct reading reading = { path, list, err };
    scoped_free char *data = NULL, *text = NULL;
    struct conf_file_id id;
    size_t size;
    int r = conf_file_read(path, &data, &size, &id);

    if (r < 0)
        return err_set(err, EINVAL, "%s: %s: %s: %s (an empty file is an empty list)", origin, key, path,
                       conf_file_explain(r));
    if (memchr(data, '\0', size))
        return err_set(err, EINVAL, "%s: has a NUL byte: expected a list of hosts (%s)", path, key);
    text = mem_strndup(data, size);
    return text_has_suffix(path, ".xml") ? read_xml(&reading, text, size) : read_plain(&reading, text);
}

static int load_one(const struct conf *conf, enum conf_key key, struct hosts_list *list, struct err *err)
{
    const char *name = conf_key_info(key)->name, *path = conf_text(conf, key);
    scoped_free char *whole = NULL;
    char origin[CONF_ORIGIN_MAX];

    if (*path == '\0')
        return 0;
    whole = *path == '/' ? mem_strdup(path) : mem_printf("%s/%s", conf_loaded_from(conf), path);
    return read_file(whole, name, conf_origin(conf, name, origin, sizeof(origin)), list, err);
}

int hosts_load(const struct conf *conf, struct hosts_lists *ret, struct err *err)
{
    struct hosts_lists lists = { .include = { .count = 0 } };
    int r = load_one(conf, CONF_NODES_INCLUDE_PATH, &lists.include, err);

    if (r == 0)
        r = load_one(conf, CONF_NODES_EXCLUDE_PATH, &lists.exclude, err);
    if (r < 0) {
        hosts_done(&lists);
        return r;
    }
    *ret = lists;
    return 0;
}

static void list_done(struct hosts_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].name);
    free(list->items);
    *list = (struct hosts_list){ .count = 0 };
}

void hosts_done(struct hosts_lists *lists)
{
    list_done(&lists->include);
    list_done(&lists->exclude);
}
