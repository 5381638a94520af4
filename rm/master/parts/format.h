/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - formats amounts, durations and names for the texts of the resource manager */
#ifndef CREEL_RM_MASTER_FORMAT_H
#define CREEL_RM_MASTER_FORMAT_H

#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/resource_types.h"

/* Return a text such as "16 GiB"; "16 GiB, 4 vcores" or "1 GiB, 1 vcore, 2 licence". Further resource types
 * are left out if their amount is 0. */
const char *format_memory(struct arena *arena, int64_t mb);
const char *format_amounts(struct arena *arena, const struct resource_types *types,
                           const struct resource *amounts);
/* Returns a duration: "45s", "12m", "1h03m", "2d03h". */
const char *format_duration(struct arena *arena, int64_t ms);
/* Returns the displayed name of a queue: "dev.ml" of "root.dev.ml". */
const char *format_queue(const char *path);
/* Returns the short form of an application's id: "_0042". */
const char *format_app_id(const char *app_id);

#define FORMAT_NAMES 3 /* objects that a list in a sentence names */

struct text_builder;

/* Ends TEXT, which names the first of COUNT objects, with the number of the others: "; and 4 more". */
const char *format_names_end(struct text_builder *text, uint32_t count);

#endif
