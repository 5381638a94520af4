/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - properties out of Hadoop's XML */
#include "common/conf/xml.h"

#include <assert.h>
#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/file.h"

#define TOTAL_BYTES_MAX ((size_t)64 << 20)
#define NESTING_MAX 64
#define URI_END '|'

enum place { DOCUMENT, CONFIGURATION, PROPERTY, NAME, VALUE, FINAL, INCLUDE, FALLBACK };

/* An open element. */
struct frame {
    enum place place;
    size_t line;
    char *href;                 /* INCLUDE: owned */
    int result;                 /* INCLUDE: 0, or why its file could not be opened */
};

/* The text of an element of a property. */
struct gathered {
    bool present;
    bool too_long;
    size_t line;
    size_t used, room;
    char *text;                 /* owned; terminated if present */
};

/* One call of xml_read_*: shared by a file and all that it includes. */
struct reader {
    xml_property_fn *each;
    void *context;
    struct problems *problems;
    size_t includes;
    size_t bytes;
};

/* One file being read. */
struct source {
    struct reader *reader;
    const struct source *parent;        /* the file that includes this one, or NULL */
    size_t depth;                       /* 0 for the first */
    const char *path;
    const char *data;
    size_t size;
    struct conf_file_id id;             /* zero for a buffer */
    XML_Parser parser;
    struct frame frames[NESTING_MAX];
    size_t nesting;                     /* frames in use, at least 1 */
    size_t skipped;                     /* open elements inside one that is passed over */
    bool stray_text_said;
    bool explained;                     /* why we stopped the parser is reported */
    struct gathered name, value, final;
};

static void read_source(struct source *source);

static struct frame *top(struct source *source)
{
    return &source->frames[source->nesting - 1];
}

static size_t line_now(const struct source *source)
{
    return (size_t)XML_GetCurrentLineNumber(source->parser);
}

static struct problems *problems_of(const struct source *source)
{
    return source->reader->problems;
}

/* The name without its namespace. */
static const char *local_name(const char *name)
{
    const char *end = strrchr(name, URI_END);

    return end ? end + 1 : name;
}

/* --- text of an element --------------------------------------------------- */

static void gather(struct gathered *gathered, const char *text, size_t length)
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

static void gather_begin(struct gathered *gathered, size_t line)
{
    gathered->present = true;
    gathered->too_long = false;
    gathered->line = line;
    gathered->used = 0;
    gather(gathered, "", 0);
}

static struct gathered *gathered_at(struct source *source)
{
    switch (top(source)->place) {
    case NAME:
        return &source->name;
    case VALUE:
        return &source->value;
    case FINAL:
        return &source->final;
    default:
        return NULL;
    }
}

/* --- properties ------------------------------------------------------------ */

static void begin_property(struct source *source, const char **attributes)
{
    size_t line = line_now(source);

    source->name.present = source->value.present = source->final.present = false;
    for (; *attributes; attributes += 2) {
        struct gathered *into = NULL;

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

/* True if something of the property is too long, which is then reported. */
static bool property_too_long(struct source *source)
{
    const struct gathered *parts[] = { &source->name, &source->value, &source->final };
    const char *names[] = { "name", "value", "final" };

    for (size_t i = 0; i < 3; i++)
        if (parts[i]->present && parts[i]->too_long) {
            problem_error(problems_of(source), EINVAL, "%s:%zu: <%s> is larger than 1 MiB",
                          source->path, parts[i]->line, names[i]);
            return true;
        }
    return false;
}

static bool property_final(struct source *source, const char *name)
{
    char shown[PROBLEMS_SHOWN_MAX];
    const char *text = source->final.present ? text_trim(source->final.text) : "false";

    if (strcasecmp(text, "true") == 0)
        return true;
    if (strcasecmp(text, "false") != 0)
        problem_warn(problems_of(source), "%s:%zu: %s: <final> is \"%s\": taken for false",
                     source->path, source->final.line, name, problems_show(text, shown));
    return false;
}

static void end_property(struct source *source)
{
    struct problems *problems = problems_of(source);
    char shown[PROBLEMS_SHOWN_MAX];
    struct xml_property property;
    const char *name;

    if (property_too_long(source))
        return;
    name = source->name.present ? text_trim(source->name.text) : "";
    if (*name == '\0') {
        problem_warn(problems, "%s:%zu: property without a <name>: passed over", source->path,
                     top(source)->line);
        return;
    }
    problems_show(name, shown);
    if (!source->value.present) {
        problem_warn(problems, "%s:%zu: %s: property without a <value>: passed over",
                     source->path, source->name.line, shown);
        return;
    }
    property = (struct xml_property){
        .name = name, .value = source->value.text, .file = source->path,
        .name_line = source->name.line, .value_line = source->value.line,
        .final = property_final(source, shown),
    };
    source->reader->each(source->reader->context, &property);
}

/* --- includes --------------------------------------------------------------- */

/* HREF as seen from the file at PATH; owned by the caller. */
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

/* Why the file of an include cannot be read at all; NULL if nothing speaks
 * against it. */
static const char *include_refused(const struct source *source, const struct conf_file_id *id)
{
    for (const struct source *up = source; up; up = up->parent)
        if (up->id.inode == id->inode && up->id.device == id->device)
            return "it includes itself";
    if (source->depth + 1 > XML_INCLUDE_DEPTH_MAX)
        return "includes are nested deeper than 20";
    if (source->reader->includes >= XML_INCLUDES_MAX)
        return "more than 1000 includes";
    return NULL;
}

/* Read the file HREF. Minus errno if it cannot be opened; what is wrong with
 * its contents is reported. */
static int read_include(struct source *source, const char *href)
{
    scoped_free char *path = resolve_href(source->path, href);
    scoped_free char *data = NULL;
    struct source inner = { .reader = source->reader, .parent = source, .path = path,
                            .depth = source->depth + 1 };
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

static void begin_include(struct source *source, const char **attributes)
{
    struct frame *frame = top(source);
    char shown[PROBLEMS_SHOWN_MAX];

    for (; *attributes; attributes += 2) {
        if (strcmp(*attributes, "href") == 0)
            frame->href = mem_strdup(attributes[1]);
        else if (strcmp(*attributes, "parse") != 0 || strcmp(attributes[1], "xml") != 0)
            problem_warn(problems_of(source), "%s:%zu: include: attribute %s: passed over",
                         source->path, frame->line,
                         problems_show(local_name(*attributes), shown));
    }
    if (frame->href == NULL || *frame->href == '\0')
        problem_error(problems_of(source), EINVAL, "%s:%zu: include without href", source->path,
                      frame->line);
    else
        frame->result = read_include(source, frame->href);
}

static void end_include(struct source *source)
{
    struct frame *frame = top(source);
    char shown[PROBLEMS_SHOWN_MAX];

    if (frame->result < 0)      /* and no fallback has put that right */
        problem_error(problems_of(source), -frame->result,
                      "%s:%zu: include of %s: %s, and there is no fallback", source->path,
                      frame->line, problems_show(frame->href, shown),
                      frame->result == -EPROTONOSUPPORT ? "only files can be included" :
                      conf_file_explain(frame->result));
    free(frame->href);
    frame->href = NULL;
}

/* --- elements ---------------------------------------------------------------- */

/* Where element NAME leads from PLACE; DOCUMENT: nowhere, it is passed over. */
static enum place place_of(enum place place, const char *name)
{
    static const struct { enum place from; const char *name; enum place to; } table[] = {
        { DOCUMENT, "configuration", CONFIGURATION },
        { CONFIGURATION, "configuration", CONFIGURATION },
        { CONFIGURATION, "property", PROPERTY },
        { CONFIGURATION, "include", INCLUDE },
        { FALLBACK, "configuration", CONFIGURATION },
        { FALLBACK, "property", PROPERTY },
        { FALLBACK, "include", INCLUDE },
        { INCLUDE, "fallback", FALLBACK },
        { PROPERTY, "name", NAME },
        { PROPERTY, "value", VALUE },
        { PROPERTY, "final", FINAL },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].from == place && strcmp(table[i].name, name) == 0)
            return table[i].to;
    return DOCUMENT;
}

/* Say what has to be said about an element that has no meaning where it stands. */
static void pass_over(struct source *source, const char *name)
{
    static const char *const silent[] = { "description", "source", "tag" };
    struct problems *problems = problems_of(source);
    char shown[PROBLEMS_SHOWN_MAX];
    size_t line = line_now(source);

    source->skipped = 1;
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
        if (top(source)->place == PROPERTY && strcmp(name, silent[i]) == 0)
            return;
    problems_show(name, shown);
    if (top(source)->place == DOCUMENT)
        problem_error(problems, EINVAL, "%s:%zu: the root element is <%s>, expected <configuration>",
                      source->path, line, shown);
    else if (gathered_at(source))
        problem_error(problems, EINVAL, "%s:%zu: <%s> inside a property's text, expected text only",
                      source->path, line, shown);
    else
        problem_warn(problems, "%s:%zu: unknown element <%s>: passed over", source->path, line,
                     shown);
}

/* The element that has just been pushed. */
static void begin_place(struct source *source, const char **attributes)
{
    struct gathered *gathered = gathered_at(source);

    if (gathered) {
        if (gathered->present)
            problem_warn(problems_of(source), "%s:%zu: given twice in one property: the last counts",
                         source->path, line_now(source));
        gather_begin(gathered, line_now(source));
    } else if (top(source)->place == PROPERTY) {
        begin_property(source, attributes);
    } else if (top(source)->place == INCLUDE) {
        begin_include(source, attributes);
    }
}

static void XMLCALL on_start(void *data, const char *full_name, const char **attributes)
{
    struct source *source = data;
    const char *name = local_name(full_name);
    enum place next = place_of(top(source)->place, name);

    if (source->skipped > 0) {
        source->skipped++;
    } else if (next == DOCUMENT) {
        pass_over(source, name);
    } else if (next == FALLBACK && top(source)->result == 0) {
        source->skipped = 1;    /* its include was read */
    } else if (source->nesting == NESTING_MAX) {
        problem_error(problems_of(source), EINVAL, "%s:%zu: elements are nested deeper than %d",
                      source->path, line_now(source), NESTING_MAX);
        source->skipped = 1;
    } else {
        if (next == FALLBACK)
            top(source)->result = 0;
        source->frames[source->nesting++] = (struct frame){ .place = next,
                                                            .line = line_now(source) };
        begin_place(source, attributes);
    }
}

static void XMLCALL on_end(void *data, const char *name)
{
    struct source *source = data;

    (void)name;
    if (source->skipped > 0) {
        source->skipped--;
        return;
    }
    if (top(source)->place == PROPERTY)
        end_property(source);
    else if (top(source)->place == INCLUDE)
        end_include(source);
    assert(source->nesting > 1);
    source->nesting--;
}

static void XMLCALL on_text(void *data, const char *text, int length)
{
    struct source *source = data;
    struct gathered *gathered = gathered_at(source);

    if (source->skipped > 0)
        return;
    if (gathered) {
        gather(gathered, text, (size_t)length);
        return;
    }
    for (int i = 0; i < length && !source->stray_text_said; i++)
        if (!strchr(" \t\r\n", text[i])) {
            source->stray_text_said = true;
            problem_warn(problems_of(source), "%s:%zu: text outside of <name> and <value>: passed over",
                         source->path, line_now(source));
        }
}

/* --- expat ------------------------------------------------------------------- */

static void refuse_entity(struct source *source)
{
    if (!source->explained)
        problem_error(problems_of(source), EINVAL,
                      "%s:%zu: an entity that is not in the file itself: such are not read",
                      source->path, line_now(source));
    source->explained = true;
}

static int XMLCALL on_external_entity(XML_Parser parser, const char *names, const char *base,
                                      const char *system_id, const char *public_id)
{
    (void)names, (void)base, (void)system_id, (void)public_id;
    refuse_entity(XML_GetUserData(parser));
    return XML_STATUS_ERROR;
}

static void XMLCALL on_skipped_entity(void *data, const char *name, int is_parameter)
{
    struct source *source = data;

    (void)name, (void)is_parameter;
    refuse_entity(source);
    XML_StopParser(source->parser, XML_FALSE);
}

/* The line around byte INDEX of the file, without the blanks before it; "" if
 * there is none to show (UTF-16, or past the end). */
static char *line_around(const struct source *source, size_t index)
{
    size_t start = index < source->size ? index : source->size, end;

    while (start > 0 && source->data[start - 1] != '\n')
        start--;
    end = start;
    while (end < source->size && source->data[end] != '\n')
        end++;
    if (index > start + 40)     /* far into a long line: only what is around it */
        start = index - 40;
    while (start < end && strchr(" \t\r", source->data[start]))
        start++;
    if (memchr(source->data + start, '\0', end - start))
        return mem_strdup("");
    return mem_strndup(source->data + start, end - start);
}

static void report_expat(struct source *source)
{
    XML_Index index = XML_GetCurrentByteIndex(source->parser);
    scoped_free char *line = line_around(source, index < 0 ? source->size : (size_t)index);
    char shown[PROBLEMS_SHOWN_MAX];

    text_trim(line);
    problem_error(problems_of(source), EINVAL, "%s:%zu:%zu: %s%s%s", source->path,
                  line_now(source), (size_t)XML_GetCurrentColumnNumber(source->parser) + 1,
                  XML_ErrorString(XML_GetErrorCode(source->parser)), *line ? ": " : "",
                  problems_show(line, shown));
}

static void parse(struct source *source)
{
    XML_Parser parser = XML_ParserCreateNS(NULL, URI_END);
    unsigned long salt = 0;

    if (parser == NULL)
        abort();
    /* Without random bytes expat finds a salt by itself. */
    if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) == (ssize_t)sizeof(salt))
        XML_SetHashSalt(parser, salt);
    source->parser = parser;
    XML_SetUserData(parser, source);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetExternalEntityRefHandler(parser, on_external_entity);
    XML_SetSkippedEntityHandler(parser, on_skipped_entity);
    if (XML_Parse(parser, source->data, (int)source->size, XML_TRUE) != XML_STATUS_OK &&
        !source->explained)
        report_expat(source);
    XML_ParserFree(parser);
}

static void read_source(struct source *source)
{
    source->reader->bytes += source->size;
    if (source->size > CONF_FILE_BYTES_MAX || source->reader->bytes > TOTAL_BYTES_MAX) {
        problem_error(problems_of(source), EINVAL, "%s: %s", source->path,
                      source->size > CONF_FILE_BYTES_MAX ? "larger than 16 MiB" :
                      "more than 64 MiB together with the files that include it");
        return;
    }
    source->frames[0] = (struct frame){ .place = DOCUMENT };
    source->nesting = 1;
    parse(source);
    while (source->nesting > 1)
        free(source->frames[--source->nesting].href);
    free(source->name.text);
    free(source->value.text);
    free(source->final.text);
}

void xml_read_buffer(const char *path, const char *data, size_t size, xml_property_fn *each,
                     void *context, struct problems *problems)
{
    struct reader reader = { .each = each, .context = context, .problems = problems };
    struct source source = { .reader = &reader, .path = path, .data = data, .size = size };

    read_source(&source);
}

int xml_read_file(const char *path, xml_property_fn *each, void *context,
                  struct problems *problems)
{
    struct reader reader = { .each = each, .context = context, .problems = problems };
    struct source source = { .reader = &reader, .path = path };
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
