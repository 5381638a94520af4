/* SPDX-License-Identifier: Apache-2.0 */
/* rest_json.c - fixture: answers of the REST interface as JSON */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define JSON_TYPE "200 application/json;charset=utf-8\n"

json_t *rest_json_parse(const char *answer)
{
    json_error_t error;
    json_t *json = json_loads(strchr(answer, '\n') + 1, JSON_REJECT_DUPLICATES, &error);

    if (json == NULL)
        fail_msg("%s: %.200s", error.text, answer);
    return json;
}

json_t *rest_json_get(struct rest_world *world, const char *target)
{
    const char *answer = rest_world_get(world, target, NULL);

    if (strncmp(answer, JSON_TYPE, strlen(JSON_TYPE)) != 0)
        fail_msg("%s: %.200s", target, answer);
    return rest_json_parse(answer);
}

json_t *rest_json_member(json_t *json, const char *path)
{
    char name[64];

    while (*path != '\0') {
        size_t length = strcspn(path, "/");

        snprintf(name, sizeof(name), "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(name)) : json_object_get(json, name);
        path += length;
        path += *path == '/';
    }
    return json;
}

const char *rest_json_text(json_t *json, const char *path)
{
    const char *text = json_string_value(rest_json_member(json, path));

    if (text == NULL)
        fail_msg("%s: no text", path);
    return text;
}
