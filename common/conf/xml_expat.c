/* SPDX-License-Identifier: Apache-2.0 */
/* xml_expat.c - parses one file of Hadoop's XML with expat, and reports its syntax errors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/xml_position.h"
#include "common/conf/xml_source.h"

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

void xml_expat_parse(struct xml_source *source, const struct xml_handlers *handlers)
{
    XML_Parser parser = XML_ParserCreateNS(NULL, XML_URI_END);

    if (parser == NULL)
        abort();
    set_salt(parser);
    source->parser = parser;
    XML_SetUserData(parser, source);
    XML_SetElementHandler(parser, handlers->start, handlers->end);
    XML_SetCharacterDataHandler(parser, handlers->text);
    XML_SetExternalEntityRefHandler(parser, on_external_entity);
    XML_SetSkippedEntityHandler(parser, on_skipped_entity);
    if (XML_Parse(parser, source->data, (int)source->size, XML_TRUE) != XML_STATUS_OK && !source->explained)
        report_expat(source);
    XML_ParserFree(parser);
}
