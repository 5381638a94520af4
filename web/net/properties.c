/* SPDX-License-Identifier: Apache-2.0 */
/* properties.c - makes the list of properties for /conf, and redacts secrets */
#include "web/net/properties.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"

struct collecting {
    const struct conf *conf;
    struct arena *arena;
    struct web_property *list; /* NULL: only counts */
    size_t count;
};

bool property_is_secret(const char *name)
{
    static const char *const ends[] = {
        "secret",     "keystore.pass", "secretkey", "secret-key",
        "secret.key", "credential",    "token",     "account.key",
    };
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (length >= strlen(ends[i]) && strcasecmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return strcasestr(name, "password") != NULL || text_equal(name, "hadoop.security.sensitive-config-keys");
}

/* Returns "yarn-site.xml" for the origin "/etc/creel/yarn-site.xml:12". */
static const char *file_name(struct arena *arena, const char *origin)
{
    const char *slash = strrchr(origin, '/'), *start = slash != NULL ? slash + 1 : origin;

    return arena_printf(arena, "%.*s", (int)strcspn(start, ":"), start);
}

static void collect_property(void *context, const char *name, const char *value, const char *origin)
{
    struct collecting *to = context;
    struct web_property *property = to->list != NULL ? &to->list[to->count] : NULL;

    to->count++;
    if (property == NULL)
        return;
    property->name = arena_strdup(to->arena, name);
    property->value =
        property_is_secret(name) && *value != '\0' ? "<redacted>" : arena_strdup(to->arena, value);
    property->source = file_name(to->arena, origin);
    property->final = conf_is_final(to->conf, name);
}

static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct web_property *)one)->name, ((const struct web_property *)other)->name);
}

void properties_show(const struct conf *conf, struct arena *arena, struct web_view *view)
{
    struct collecting to = { .conf = conf, .arena = arena };

    conf_each(conf, collect_property, &to);
    to.list = arena_array0(arena, to.count, sizeof(*to.list));
    to.count = 0;
    conf_each(conf, collect_property, &to);
    qsort(to.list, to.count, sizeof(*to.list), by_name);
    view->properties = to.list;
    view->property_count = to.count;
}
