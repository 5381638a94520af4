/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - parses one file of Hadoop's XML with expat; checks its limits, reports its errors */
#include "common/conf/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/xml_position.h"
#include "common/conf/xml_source.h"

#define TOTAL_BYTES_MAX ((size_t)64 << 20)

static void refuse_entity(struct xml_source *source)
{
    if (!source->explained)
        problem_error(source->reader->problems, EINVAL,
                      "%s:%zu: an entity that is not in the file itself: such are not read", source->path,
                      xml_position_line(source->parser));
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
    struct xml_source *source = data;

    (void)name, (void)is_parameter;
    refuse_entity(source);
    XML_StopParser(source->parser, XML_FALSE);
}

/* Returns the line that contains byte INDEX of the file, without leading blanks; "" if it cannot be shown
 * (UTF-16, or past the end). */
static char *line_around(const struct xml_source *source, size_t index)
{
    size_t start = index < source->size ? index : source->size, end;

    while (start > 0 && source->data[start - 1] != '\n')
        start--;
    end = start;
    while (end < source->size && source->data[end] != '\n')
        end++;
    if (index > start + 40) /* in a long line: only the text around INDEX */
        start = index - 40;
    while (start < end && strchr(" \t\r", source->data[start]))
        start++;
    if (memchr(source->data + start, '\0', end - start))
        return mem_strdup("");
    return mem_strndup(source->data + start, end - start);
}

static void report_expat(struct xml_source *source)
{
    size_t column = xml_position_column(source->parser);
    int64_t index = xml_position_offset(source->parser);
    scoped_free char *line = line_around(source, index < 0 ? source->size : (size_t)index);
    char shown[PROBLEMS_SHOWN_MAX];

    text_trim(line);
    problem_error(source->reader->problems, EINVAL, "%s:%zu:%zu: %s%s%s", source->path,
                  xml_position_line(source->parser), column,
                  XML_ErrorString(XML_GetErrorCode(source->parser)), *line ? ": " : "",
                  problems_show(line, shown));
}

/* Without random bytes expat chooses a salt itself. */
static void set_salt(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 8
    uint8_t salt[16];

    if (getrandom(salt, sizeof(salt), GRND_NONBLOCK) == (ssize_t)sizeof(salt))
        XML_SetHashSalt16Bytes(parser, salt);
#else
    unsigned long salt = 0;

    if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) == (ssize_t)sizeof(salt))
        XML_SetHashSalt(parser, salt);
#endif
}

static void parse(struct xml_source *source)
{
    XML_Parser parser = XML_ParserCreateNS(NULL, XML_URI_END);

    if (parser == NULL)
        abort();
    set_salt(parser);
    source->parser = parser;
    XML_SetUserData(parser, source);
    XML_SetElementHandler(parser, xml_element_start, xml_element_end);
    XML_SetCharacterDataHandler(parser, xml_element_text);
    XML_SetExternalEntityRefHandler(parser, on_external_entity);
    XML_SetSkippedEntityHandler(parser, on_skipped_entity);
    if (XML_Parse(parser, source->data, (int)source->size, XML_TRUE) != XML_STATUS_OK && !source->explained)
        report_expat(source);
    XML_ParserFree(parser);
}

void xml_source_read(struct xml_source *source)
{
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
    parse(source);
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

    xml_source_read(&source);
}

int xml_read_file(const char *path, xml_property_fn *each, void *context, struct problems *problems)
{
    struct xml_reader reader = { .each = each, .context = context, .problems = problems };
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
    xml_source_read(&source);
    return 0;
}
