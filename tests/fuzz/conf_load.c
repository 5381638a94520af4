/* SPDX-License-Identifier: Apache-2.0 */
/* conf_load.c - fuzz target: arbitrary bytes as yarn-site.xml; an accepted configuration can be read and
 * changed */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/conf/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_warning(void *context, enum conf_effect effect, const char *text)
{
    (void)context;
    if (strlen(text) == 0 || effect >= CONF_EFFECT_COUNT)
        abort();
}

static void check_property(void *context, const char *name, const char *value, const char *origin)
{
    struct conf *conf = context;
    const char *shown = conf_show(conf, name);

    if (*name == '\0' || *origin == '\0' || shown == NULL || strcmp(shown, value) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct conf *conf = NULL;
    struct err err = { .code = 0 };
    /* A directory that does not exist, so that no include finds a file by chance. */
    int result = conf_load_buffer("/nowhere/yarn-site.xml", (const char *)data, size, ignore_warning, NULL,
                                  &conf, &err);

    if (result != 0) {
        if (conf != NULL || err.code != -result || err.text[0] == '\0')
            abort();
        return 0;
    }
    conf_each(conf, check_property, conf);
    if (conf_int(conf, CONF_MIN_ALLOCATION_MB) > conf_int(conf, CONF_MAX_ALLOCATION_MB))
        abort();
    if (conf_set(conf, "creel.log.level", "loud", &err) == 0)
        abort();
    conf_each(conf, check_property, conf);
    conf_free(conf);
    return 0;
}
