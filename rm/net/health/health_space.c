/* SPDX-License-Identifier: Apache-2.0 */
/* health_space.c - the check free-space: directories that are full, cannot be written, or do not answer */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "rm/net/health/health_parts.h"

#define FEW_INODES 10000 /* enough, whatever share of the file system they are */
#define MIB ((int64_t)1 << 20)

/* What was measured before a directory fell silent may not be true any more. */
static bool has_too_little(const struct free_space *space, const struct free_space_directory *directory)
{
    return directory->measured && !directory->shared && directory->silent_ms == 0 &&
           (directory->error != 0 || directory->bytes < space->limit_bytes);
}

/* Returns true if no file of a submission is stored, since less is free than the reserve for the state. The
 * state has a check of its own. */
static bool has_no_room(const struct free_space *space)
{
    const struct free_space_directory *uploads = &space->directories[FREE_SPACE_UPLOADS];

    return uploads->measured && uploads->silent_ms == 0 && uploads->error == 0 &&
           uploads->bytes <= uploads->reserve_bytes;
}

/* Adds "uploads 412M (/var/lib/creel/rm/blobs)". */
static void add_directory(struct text_builder *text, const struct free_space_directory *directory)
{
    char amount[TEXT_SIZE_MAX];

    text_builder_printf(text, "%s ", directory->name);
    if (directory->error != 0)
        text_builder_printf(text, "cannot be measured (%s: %s)", directory->path, strerror(directory->error));
    else
        text_builder_printf(text, "%s (%s)", text_format_mb(directory->bytes / MIB, amount), directory->path);
}

/* Returns the directories with too little space, "" if there is none. */
static const char *list_full(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    char limit[TEXT_SIZE_MAX];

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        if (!has_too_little(space, &space->directories[i]))
            continue;
        if (*text_builder_text(&text) == '\0')
            text_builder_printf(&text,
                                "less than %s is free: ", text_format_mb(space->limit_bytes / MIB, limit));
        else
            text_builder_add(&text, ", ");
        add_directory(&text, &space->directories[i]);
    }
    return text_builder_finish(&text);
}

/* Each submitted file and each month of the history need one. */
static bool has_few_inodes(const struct free_space *space, const struct free_space_directory *directory)
{
    return space->limit_bytes > 0 && directory->measured && !directory->shared && directory->silent_ms == 0 &&
           directory->error == 0 && !directory->no_inodes &&
           directory->free_inodes < directory->inodes / 100 && directory->free_inodes < FEW_INODES;
}

/* Returns the directories with few free inodes, "" if there is none. */
static const char *list_few_inodes(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        const struct free_space_directory *directory = &space->directories[i];

        if (!has_few_inodes(space, directory))
            continue;
        text_builder_separate(&text, "; ");
        text_builder_printf(&text, "%" PRIu64 " of %" PRIu64 " inodes are free for %s (%s)",
                            directory->free_inodes, directory->inodes, directory->name, directory->path);
    }
    return text_builder_finish(&text);
}

/* Returns that submissions with files are refused for want of room; "": they are not. */
static const char *describe_no_room(const struct free_space *space, struct arena *arena)
{
    const struct free_space_directory *uploads = &space->directories[FREE_SPACE_UPLOADS];
    char room[TEXT_SIZE_MAX], reserve[TEXT_SIZE_MAX];

    if (!has_no_room(space))
        return "";
    return arena_printf(arena,
                        "%s is free where the uploads are, and %s is reserved for the state (%s): "
                        "submissions with files are refused",
                        text_format_mb(uploads->bytes / MIB, room),
                        text_format_mb(uploads->reserve_bytes / MIB, reserve), uploads->path);
}

/* That there is no space is no other fault of a directory with too little of it. */
static bool is_unwritable(const struct free_space *space, const struct free_space_directory *directory)
{
    return (directory->required && directory->moved) ||
           (directory->write_error != 0 && directory->silent_ms == 0 &&
            (directory->write_error != ENOSPC || directory->no_inodes ||
             directory->bytes >= space->limit_bytes));
}

static bool lacks_inodes(const struct free_space_directory *directory)
{
    return !directory->moved && directory->write_error == ENOSPC && directory->no_inodes;
}

/* Returns the directories that cannot be written, "" if there is none. */
static const char *list_unwritable(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        const struct free_space_directory *directory = &space->directories[i];

        if (!is_unwritable(space, directory))
            continue;
        text_builder_separate(&text, "; ");
        if (directory->moved)
            text_builder_printf(&text, "the directory of %s was removed, replaced or unmounted (%s)",
                                directory->name, directory->path);
        else if (lacks_inodes(directory))
            text_builder_printf(&text, "no inodes are left for %s (%s)", directory->name, directory->path);
        else
            text_builder_printf(&text, "%s cannot be written (%s: %s)", directory->name, directory->path,
                                strerror(directory->write_error));
    }
    return text_builder_finish(&text);
}

/* Returns the directories that do not answer, "" if there is none. */
static const char *list_silent(const struct free_space *space, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        const struct free_space_directory *directory = &space->directories[i];

        if (directory->silent_ms == 0)
            continue;
        text_builder_separate(&text, "; ");
        text_builder_printf(&text, "%s has not answered for %lld s (%s)", directory->name,
                            (long long)directory->silent_ms / 1000, directory->path);
    }
    return text_builder_finish(&text);
}

static bool is_refusing(const struct free_space *space)
{
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (space->directories[i].required && is_unwritable(space, &space->directories[i]))
            return true;
    return has_no_room(space);
}

static bool is_measured(const struct free_space *space)
{
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        if (!space->directories[i].measured)
            return false;
    return true;
}

static char *space_remedy(const struct free_space *space, struct arena *arena, bool silent, bool full)
{
    bool inodes = *list_few_inodes(space, arena) != '\0', unwritable = false;

    struct text_builder text = TEXT_BUILDER_IN(arena);

    if (silent)
        text_builder_add(&text, "findmnt -T DIRECTORY shows the file system of one that does not answer: "
                                "repair the disk or the mount, or thaw it (fsfreeze -u)");
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++) {
        const struct free_space_directory *directory = &space->directories[i];

        inodes = inodes || (is_unwritable(space, directory) && lacks_inodes(directory));
        unwritable = unwritable || (is_unwritable(space, directory) && !lacks_inodes(directory));
    }
    if (inodes) {
        text_builder_separate(&text, "; ");
        text_builder_add(&text, "df -i shows the inodes: remove files");
    }
    if (unwritable) {
        text_builder_separate(&text, "; ");
        text_builder_add(&text, "let user creel write to the directory: ls -ld, findmnt -T");
    }
    if (full) {
        text_builder_separate(&text, "; ");
        text_builder_add(&text, "df -h: make room");
    }
    return arena_printf(arena, RM_HOST "%s; dmesg has errors of the disk", text_builder_finish(&text));
}

void health_judge_space(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check)
{
    const char *full = list_full(facts->space, arena), *unwritable = list_unwritable(facts->space, arena);
    const char *silent = list_silent(facts->space, arena), *no_room = describe_no_room(facts->space, arena);
    struct text_builder text = TEXT_BUILDER_IN(arena);
    const char *few_inodes = list_few_inodes(facts->space, arena);
    const char *const problems[] = { silent, unwritable, no_room, full, few_inodes };
    char limit[TEXT_SIZE_MAX];

    for (size_t i = 0; i < sizeof(problems) / sizeof(*problems); i++) {
        if (*problems[i] == '\0')
            continue;
        text_builder_separate(&text, "; ");
        text_builder_add(&text, problems[i]);
    }
    if (*text_builder_text(&text) != '\0')
        health_set_bad(check, *silent != '\0' || is_refusing(facts->space) ? FAILED : WARNING, 0,
                       text_builder_finish(&text));
    else if (is_measured(facts->space))
        check->text = arena_printf(arena, "state, history and uploads: at least %s is free",
                                   text_format_mb(facts->space->limit_bytes / MIB, limit));
    else
        check->text = arena_strdup(arena, "the free space of state, history and uploads is being measured");
    if (*silent != '\0' || *unwritable != '\0' || *few_inodes != '\0')
        check->remedy = space_remedy(facts->space, arena, *silent != '\0', *full != '\0');
    if (facts->space->directories[FREE_SPACE_UPLOADS].moved)
        check->remedy = arena_printf(
            arena,
            RM_HOST
            "put the directory back, or mount it again; if it was removed: install -d -m 700 -o creel -g "
            "creel %s; to go on with another directory: systemctl restart creel-rm",
            facts->space->directories[FREE_SPACE_UPLOADS].path);
}
