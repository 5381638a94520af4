/* SPDX-License-Identifier: Apache-2.0 */
/* case_names.c - checks the names in cases: of apps, users, queues, nodes, racks, labels and types */
#include <string.h>

#include "common/base/text.h"
#include "rm/sched/queue_name.h"
#include "sim/cases/case_json.h"

#define NAME_MAX_BYTES 255
#define NAME_RULE "1 to 255 bytes without blanks"

/* --- rules -------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            return false;
    return *text != '\0' && strlen(text) <= NAME_MAX_BYTES;
}

static bool is_node(const char *text)
{
    return is_name(text) && *text != '/' && strcmp(text, "*") != 0;
}

void case_check_name(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!is_name(name))
        reader_refuse(reader, at, "%s: \"%s\" is no name: expected " NAME_RULE, where, name);
}

void case_check_node(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!is_node(name))
        reader_refuse(reader, at, "%s: \"%s\" is no node: expected " NAME_RULE ", not \"*\", without / first",
                      where, name);
}

void case_check_label(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!text_is_label(name))
        reader_refuse(reader, at, "%s: \"%s\" is no label: expected " TEXT_LABEL_RULE, where, name);
}

void case_check_path(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!queue_path_is_clean(name))
        reader_refuse(reader, at,
                      "%s: \"%s\" is no queue: expected names with dots between them, none empty or with "
                      "blanks at its ends",
                      where, name);
}

/* --- values ------------------------------------------------------------------------------- */

/* Reads the text VALUE into the const char * at PLACE, and checks it unless it is EXCEPT (may be NULL). */
static void read_checked(struct reader *reader, const char *where, json_t *value, void *place, name_fn *check,
                         const char *except)
{
    read_text(reader, where, value, place);
    if (reader->result == 0 && !text_equal(json_string_value(value), except))
        check(reader, where, value, json_string_value(value));
}

void read_name(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, case_check_name, NULL);
}

void read_node(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, case_check_node, NULL);
}

void read_node_or_all(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, case_check_node, "*");
}

void read_label(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, case_check_label, "");
}

void read_path(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, case_check_path, NULL);
}

static void check_rack(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!text_is_rack(name))
        reader_refuse(
            reader, at,
            "%s: \"%s\" is no rack: expected parts of letters, digits, _, . and -, a / before each, "
            "at most %d bytes",
            where, name, TEXT_RACK_MAX);
}

void read_rack(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, check_rack, NULL);
}

static void check_place(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (*name == '/')
        check_rack(reader, where, at, name);
    else
        case_check_node(reader, where, at, name);
}

void read_where(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_checked(reader, where, value, place, check_place, "*");
}

static void check_node_or_all(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (strcmp(name, "*") != 0)
        case_check_node(reader, where, at, name);
}

static void read_list_of(struct reader *reader, const char *where, json_t *value, void *place, name_fn *check)
{
    json_t *item;
    size_t i;

    read_texts(reader, where, value, place);
    if (reader->result < 0)
        return;
    json_array_foreach(value, i, item) check(reader, where, item, json_string_value(item));
}

void read_node_list(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_list_of(reader, where, value, place, check_node_or_all);
}

void read_places(struct reader *reader, const char *where, json_t *value, void *place)
{
    read_list_of(reader, where, value, place, check_place);
}
