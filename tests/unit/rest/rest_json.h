/* SPDX-License-Identifier: Apache-2.0 */
/* rest_json.h - answers of the REST interface of rest_world.h as JSON; what is wrong fails the test */
#ifndef CREEL_TESTS_REST_JSON_H
#define CREEL_TESTS_REST_JSON_H

#include <jansson.h>

#include "tests/unit/rest/rest_world.h"

/* Returns the body of ANSWER, which the caller frees. */
json_t *rest_json_parse(const char *answer);
/* Returns the body of the answer to GET TARGET, whose status is 200; the caller frees it. */
json_t *rest_json_get(struct rest_world *world, const char *target);
/* Returns the value at PATH, names and indexes with "/" between them; borrowed from JSON. NULL: there is
 * none. */
json_t *rest_json_member(json_t *json, const char *path);
/* The same for a string. */
const char *rest_json_text(json_t *json, const char *path);

#endif
