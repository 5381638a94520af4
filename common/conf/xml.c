/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.c - reads files of Hadoop's XML: processes their elements, checks limits, reads included files
 *
 * The open elements are on a stack. One table lists which element is allowed inside which other element. An
 * element at another place is ignored with a warning.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/xml_position.h"
#include "common/conf/xml_source.h"

#define TOTAL_BYTES_MAX ((size_t)64 << 20)

static struct xml_frame *top(struct xml_source *source)
{
    return &source->frames[source->nesting - 1];
}

static size_t line_now(const struct xml_source *source)
{
    return xml_position_line(source->parser);
}

static struct problems *problems_of(const struct xml_source *source)
{
    return source->reader->problems;
}

/* Returns the name without its namespace. */
static const char *local_name(const char *name)
{
    const char *end = strrchr(name, XML_URI_END);

    return end ? end + 1 : name;
}

/* --- text of an element --------------------------------------------------- */

static void gather(struct xml_text *gathered, const char *text, size_t length)
{
    if (gathered->too_long || length > XML_VALUE_BYTES_MAX - gathered->used) {
        gathered->too_long = true;
        return;
    }
    if (gathered->used + length + 1 > gathered->room) {
        gathered->room = (gathered->used + length + 1) * 2;
        gathered->text = mem_resize(gathered->text, gathered->room, 1);
    }
    memcpy(gathered->text + gathered->used, text, length);
    gathered->used += length;
    gathered->text[gathered->used] = '\0';
}

static void gather_begin(struct xml_text *gathered, size_t line)
{
    gathered->present = true;
    gathered->too_long = false;
    gathered->line = line;
    gathered->used = 0;
    gather(gathered, "", 0);
}

static struct xml_text *gathered_at(struct xml_source *source)
{
    switch (top(source)->place) {
    case XML_NAME:
        return &source->name;
    case XML_VALUE:
        return &source->value;
    case XML_FINAL:
        return &source->final;
    default:
        return NULL;
    }
}

/* --- properties ------------------------------------------------------------ */

static void begin_property(struct xml_source *source, const char **attributes)
{
    size_t line = line_now(source);

    source->name.present = source->value.present = source->final.present = false;
    for (; *attributes; attributes += 2) {
        struct xml_text *into = NULL;

        if (strcmp(*attributes, "name") == 0)
            into = &source->name;
        else if (strcmp(*attributes, "value") == 0)
            into = &source->value;
        else if (strcmp(*attributes, "final") == 0)
            into = &source->final;
        if (into == NULL)
            continue;
        gather_begin(into, line);
        gather(into, attributes[1], strlen(attributes[1]));
    }
}

/* Returns true, and reports an error, if a part of the property is too long. */
static bool property_too_long(struct xml_source *source)
{
    const struct xml_text *parts[] = { &source->name, &source->value, &source->final };
    const char *names[] = { "name", "value", "final" };

    for (size_t i = 0; i < 3; i++)
        if (parts[i]->present && parts[i]->too_long) {
            problem_error(problems_of(source), EINVAL, "%s:%zu: <%s> is larger than 1 MiB", source->path,
                          parts[i]->line, names[i]);
            return true;
        }
    return false;
}

static bool property_final(struct xml_source *source, const char *name)
{
    char shown[PROBLEMS_SHOWN_MAX];
    const char *text = source->final.present ? text_trim(source->final.text) : "false";

    if (strcasecmp(text, "true") == 0)
        return true;
    if (strcasecmp(text, "false") != 0)
        problem_warn(problems_of(source), "%s:%zu: %s: <final> is \"%s\": counts as false", source->path,
                     source->final.line, name, problems_show(text, shown));
    return false;
}

static void end_property(struct xml_source *source)
{
    struct problems *problems = problems_of(source);
    char shown[PROBLEMS_SHOWN_MAX];
    struct xml_property property;
    const char *name;

    if (property_too_long(source))
        return;
    name = source->name.present ? text_trim(source->name.text) : "";
    if (*name == '\0') {
        problem_warn(problems, "%s:%zu: property without a <name>: ignored", source->path, top(source)->line);
        return;
    }
    problems_show(name, shown);
    if (!source->value.present) {
        problem_warn(problems, "%s:%zu: %s: property without a <value>: ignored", source->path,
                     source->name.line, shown);
        return;
    }
    property = (struct xml_property){
        .name = name,
        .value = source->value.text,
        .file = source->path,
        .name_line = source->name.line,
        .value_line = source->value.line,
        .final = property_final(source, shown),
    };
    source->reader->each(source->reader->context, &property);
}

/* --- includes --------------------------------------------------------------- */

/* Resolves HREF relative to the file at PATH; the result is owned by the caller. */
static char *resolve_href(const char *path, const char *href)
{
    const char *slash = strrchr(path, '/');

    if (text_has_prefix(href, "file:///"))
        href += strlen("file://");
    else if (text_has_prefix(href, "file:/"))
        href += strlen("file:");
    if (*href == '/' || slash == NULL)
        return mem_strdup(href);
    return mem_printf("%.*s/%s", (int)(slash - path), path, href);
}

/* Returns the reason why the file of an include must not be read; NULL if it may be read. */
static const char *include_refused(const struct xml_source *source, const struct conf_file_id *id)
{
    for (const struct xml_source *up = source; up; up = up->parent)
        if (up->id.inode == id->inode && up->id.device == id->device)
            return "it includes itself";
    if (source->depth + 1 > XML_INCLUDE_DEPTH_MAX)
        return "includes are nested deeper than 20";
    if (source->reader->includes >= XML_INCLUDES_MAX)
        return "more than 1000 includes";
    return NULL;
}

static void read_source(struct xml_source *source);

/* Reads the file HREF. Returns minus errno if it cannot be opened; errors in its content are reported. */
static int read_include(struct xml_source *source, const char *href)
{
    scoped_free char *path = resolve_href(source->path, href);
    scoped_free char *data = NULL;
    struct xml_source inner = {
        .reader = source->reader, .parent = source, .path = path, .depth = source->depth + 1
    };
    const char *refused;
    int result;

    if (strstr(href, "://") && !text_has_prefix(href, "file:///"))
        return -EPROTONOSUPPORT;
    result = conf_file_read(path, &data, &inner.size, &inner.id);
    if (result < 0)
        return result;
    refused = include_refused(source, &inner.id);
    if (refused) {
        problem_error(problems_of(source), EINVAL, "%s:%zu: include of %s: %s", source->path,
                      line_now(source), path, refused);
        return 0;
    }
    source->reader->includes++;
    inner.data = data;
    read_source(&inner);
    return 0;
}

static void begin_include(struct xml_source *source, const char **attributes)
{
    struct xml_frame *frame = top(source);
    char shown[PROBLEMS_SHOWN_MAX];

    for (; *attributes; attributes += 2) {
        if (strcmp(*attributes, "href") == 0)
            frame->href = mem_strdup(attributes[1]);
        else if (strcmp(*attributes, "parse") != 0 || strcmp(attributes[1], "xml") != 0)
            problem_warn(problems_of(source), "%s:%zu: include: attribute %s: ignored", source->path,
                         frame->line, problems_show(local_name(*attributes), shown));
    }
    if (frame->href == NULL || *frame->href == '\0')
        problem_error(problems_of(source), EINVAL, "%s:%zu: include without href", source->path, frame->line);
    else
        frame->result = read_include(source, frame->href);
}

static void end_include(struct xml_source *source)
{
    struct xml_frame *frame = top(source);
    char shown[PROBLEMS_SHOWN_MAX];

    if (frame->result < 0) /* no fallback has replaced the file */
        problem_error(problems_of(source), EINVAL, "%s:%zu: include of %s: %s, and there is no fallback",
                      source->path, frame->line, problems_show(frame->href, shown),
                      frame->result == -EPROTONOSUPPORT ? "only files can be included"
                                                        : conf_file_explain(frame->result));
    free(frame->href);
    frame->href = NULL;
}

/* --- elements ---------------------------------------------------------------- */

/* Returns the place of element NAME inside PLACE; XML_DOCUMENT: not allowed, to be ignored. */
static enum xml_place place_of(enum xml_place place, const char *name)
{
    static const struct {
        enum xml_place from;
        const char *name;
        enum xml_place to;
    } table[] = {
        { XML_DOCUMENT, "configuration", XML_CONFIGURATION },
        { XML_CONFIGURATION, "configuration", XML_CONFIGURATION },
        { XML_CONFIGURATION, "property", XML_PROPERTY },
        { XML_CONFIGURATION, "include", XML_INCLUDE },
        { XML_FALLBACK, "configuration", XML_CONFIGURATION },
        { XML_FALLBACK, "property", XML_PROPERTY },
        { XML_FALLBACK, "include", XML_INCLUDE },
        { XML_INCLUDE, "fallback", XML_FALLBACK },
        { XML_PROPERTY, "name", XML_NAME },
        { XML_PROPERTY, "value", XML_VALUE },
        { XML_PROPERTY, "final", XML_FINAL },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].from == place && strcmp(table[i].name, name) == 0)
            return table[i].to;
    return XML_DOCUMENT;
}

/* Warns about an element that is not allowed at its place, and ignores the element. */
static void pass_over(struct xml_source *source, const char *name)
{
    static const char *const silent[] = { "description", "source", "tag" };
    struct problems *problems = problems_of(source);
    char shown[PROBLEMS_SHOWN_MAX];
    size_t line = line_now(source);

    source->skipped = 1;
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
        if (top(source)->place == XML_PROPERTY && strcmp(name, silent[i]) == 0)
            return;
    problems_show(name, shown);
    if (top(source)->place == XML_DOCUMENT)
        problem_error(problems, EINVAL,
                      "%s:%zu: the root element is <%s>, "
                      "expected <configuration>%s",
                      source->path, line, shown,
                      strcmp(name, "allocations") == 0
                          ? ": OLD FORMAT or another file, the pools of a fair scheduler or of Spark"
                          : "");
    else if (gathered_at(source))
        problem_error(problems, EINVAL, "%s:%zu: <%s> inside a property's text, expected text only",
                      source->path, line, shown);
    else
        problem_warn(problems, "%s:%zu: unknown element <%s>: ignored", source->path, line, shown);
}

/* Starts processing the element that was just pushed. */
static void begin_place(struct xml_source *source, const char **attributes)
{
    struct xml_text *gathered = gathered_at(source);

    if (gathered) {
        if (gathered->present)
            problem_warn(problems_of(source),
                         "%s:%zu: given twice in one property: "
                         "the last is used",
                         source->path, line_now(source));
        gather_begin(gathered, line_now(source));
    } else if (top(source)->place == XML_PROPERTY) {
        begin_property(source, attributes);
    } else if (top(source)->place == XML_INCLUDE) {
        begin_include(source, attributes);
    }
}

static void XMLCALL on_start(void *data, const char *full_name, const char **attributes)
{
    struct xml_source *source = data;
    const char *name = local_name(full_name);
    enum xml_place next = place_of(top(source)->place, name);

    if (source->skipped > 0) {
        source->skipped++;
    } else if (next == XML_DOCUMENT) {
        pass_over(source, name);
    } else if (next == XML_FALLBACK && top(source)->result == 0) {
        source->skipped = 1; /* the include was read, so its fallback is ignored */
    } else if (source->nesting == XML_NESTING_MAX) {
        problem_error(problems_of(source), EINVAL, "%s:%zu: elements are nested deeper than %d", source->path,
                      line_now(source), XML_NESTING_MAX);
        source->skipped = 1;
    } else {
        if (next == XML_FALLBACK)
            top(source)->result = 0;
        source->frames[source->nesting++] = (struct xml_frame){ .place = next, .line = line_now(source) };
        begin_place(source, attributes);
    }
}

static void XMLCALL on_end(void *data, const char *name)
{
    struct xml_source *source = data;

    (void)name;
    if (source->skipped > 0) {
        source->skipped--;
        return;
    }
    if (top(source)->place == XML_PROPERTY)
        end_property(source);
    else if (top(source)->place == XML_INCLUDE)
        end_include(source);
    assert(source->nesting > 1);
    source->nesting--;
}

static void XMLCALL on_text(void *data, const char *text, int length)
{
    struct xml_source *source = data;
    struct xml_text *gathered = gathered_at(source);

    if (source->skipped > 0)
        return;
    if (gathered) {
        gather(gathered, text, (size_t)length);
        return;
    }
    for (int i = 0; i < length && !source->stray_text_reported; i++)
        if (!strchr(" \t\r\n", text[i])) {
            source->stray_text_reported = true;
            problem_warn(problems_of(source),
                         "%s:%zu: text outside of <name> and <value>: "
                         "ignored",
                         source->path, line_now(source));
        }
}

/* --- files ------------------------------------------------------------------ */

/* Reads the file of SOURCE (path, data, and the file that includes it). */
static void read_source(struct xml_source *source)
{
    static const struct xml_handlers handlers = { on_start, on_end, on_text };

    if (source->reader->file != NULL)
        source->reader->file(source->reader->context, source->path);
    source->reader->bytes += source->size;
    if (source->size > CONF_FILE_BYTES_MAX || source->reader->bytes > TOTAL_BYTES_MAX) {
        problem_error(source->reader->problems, EINVAL, "%s: %s", source->path,
                      source->size > CONF_FILE_BYTES_MAX
                          ? "larger than 16 MiB"
                          : "more than 64 MiB together with the files that include it");
        return;
    }
    source->frames[0] = (struct xml_frame){ .place = XML_DOCUMENT };
    source->nesting = 1;
    xml_expat_parse(source, &handlers);
    while (source->nesting > 1)
        free(source->frames[--source->nesting].href);
    free(source->name.text);
    free(source->value.text);
    free(source->final.text);
}

void xml_read_buffer(const char *path, const char *data, size_t size, xml_property_fn *each, void *context,
                     struct problems *problems)
{
    struct xml_reader reader = { .each = each, .context = context, .problems = problems };
    struct xml_source source = { .reader = &reader, .path = path, .data = data, .size = size };

    read_source(&source);
}

int xml_read_file(const char *path, xml_property_fn *each, xml_file_fn *file, void *context,
                  struct problems *problems)
{
    struct xml_reader reader = { .each = each, .file = file, .context = context, .problems = problems };
    struct xml_source source = { .reader = &reader, .path = path };
    scoped_free char *data = NULL;
    int result = conf_file_read(path, &data, &source.size, &source.id);

    if (result == -ENOENT)
        return result;
    if (result < 0) {
        problem_error(problems, -result, "%s: %s", path, conf_file_explain(result));
        return 0;
    }
    source.data = data;
    read_source(&source);
    return 0;
}
