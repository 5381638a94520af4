/* SPDX-License-Identifier: Apache-2.0 */
/* state_contents.c - describes what an archive of `creel admin state backup --all` has */
#include "rm/net/rescue/state_contents.h"

#include <dirent.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Returns the names of the entries of STAGE/PART, "" if there is none. The caller frees it. */
static char *list_entries(const char *stage, const char *part)
{
    scoped_free char *directory = mem_printf("%s/%s", stage, part);
    struct text_builder names = TEXT_BUILDER_MALLOC;
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_visible, alphasort);

    for (int i = 0; i < count; i++) {
        text_builder_separate(&names, ", ");
        text_builder_add(&names, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return text_builder_finish(&names);
}

char *state_contents_describe(const char *stage, const struct conf *conf)
{
    scoped_free char *history = list_entries(stage, "history"), *blobs = list_entries(stage, "blobs");
    scoped_free char *files = list_entries(stage, "conf"), *keys = list_entries(stage, "keys");
    struct text_builder text = TEXT_BUILDER_MALLOC;

    text_builder_add(&text, "state");
    if (*history != '\0')
        text_builder_add(&text, ", history");
    if (*blobs != '\0')
        text_builder_add(&text, ", uploaded files");
    if (*files != '\0')
        text_builder_printf(&text, ", configuration (%s)", conf_loaded_from(conf));
    if (*keys != '\0')
        text_builder_printf(&text, ", keys (%s: %s)", conf_text(conf, CONF_KEY_DIR), keys);
    return text_builder_finish(&text);
}
