/* SPDX-License-Identifier: Apache-2.0 */
/* web_bean.c - fuzz target: the parameters qry and get of /jmx, and texts that become attributes
 *
 * The input has lines: the pattern, the name of an attribute, and a text. */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/text/bean.h"

/* Returns the next line of *REST; "" at the end. */
static const char *next_line(char **rest)
{
    char *line = *rest != NULL ? strsep(rest, "\n") : NULL;

    return line != NULL ? line : "";
}

static void check_json(char *text)
{
    json_t *json = json_loads(text, 0, NULL);

    if (json == NULL)
        abort();
    json_decref(json);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct bean_list *list = bean_list_new(arena);
    char *rest = arena_alloc0(arena, size + 1);
    struct bean_question question = { .pattern = NULL };
    int status;
    struct bean *bean;

    if (size > 0)
        memcpy(rest, data, size);
    question.pattern = next_line(&rest);
    question.attribute = next_line(&rest);
    bean = bean_add(list, "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root", "QueueMetrics,q0=root");
    bean_text(bean, "tag.Queue", next_line(&rest));
    bean_add_process(list, &(struct bean_process){ .service = "ResourceManager", .host = next_line(&rest) });
    check_json(bean_list_write(list, &question, &status));
    question.attribute = NULL;
    check_json(bean_list_write(list, &question, &status));
    question.pattern = NULL;
    check_json(bean_list_write(list, &question, &status));
    arena_free(arena);
    return 0;
}
