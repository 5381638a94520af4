/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - figures as text, in sentences of the resource manager */
#ifndef CREEL_RM_MASTER_WORDS_H
#define CREEL_RM_MASTER_WORDS_H

#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/resource_types.h"

/* "16 GiB"; "16 GiB, 4 vcores", "1 GiB, 1 vcore, 2 licence": types beyond these if there are any */
const char *words_memory(struct arena *arena, int64_t mb);
const char *words_amounts(struct arena *arena, const struct resource_types *types,
                          const struct resource *amounts);
/* "45s", "12m", "1h03m", "2d03h" */
const char *words_elapsed(struct arena *arena, int64_t ms);
/* "dev.ml" of "root.dev.ml". */
const char *words_queue(const char *path);
/* "_0042" of an app's id. */
const char *words_id(const char *app_id);

#endif
