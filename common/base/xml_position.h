/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_position.h - where a parser of libexpat is in its document
 *
 * libexpat 2.9 marks as deprecated the functions that older versions have for this, because their results
 * have 32 bits on some machines.
 */
#ifndef CREEL_BASE_XML_POSITION_H
#define CREEL_BASE_XML_POSITION_H

#include <expat.h>
#include <stddef.h>
#include <stdint.h>

#define XML_POSITION_64 (XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9)

/* Returns the line, from 1. */
static inline size_t xml_position_line(XML_Parser parser)
{
#if XML_POSITION_64
    return (size_t)XML_GetCurrentLineNumber64(parser);
#else
    return (size_t)XML_GetCurrentLineNumber(parser);
#endif
}

/* Returns the column in bytes, from 1. */
static inline size_t xml_position_column(XML_Parser parser)
{
#if XML_POSITION_64
    return (size_t)XML_GetCurrentColumnNumber64(parser) + 1;
#else
    return (size_t)XML_GetCurrentColumnNumber(parser) + 1;
#endif
}

/* Returns the offset in bytes; -1: unknown. */
static inline int64_t xml_position_offset(XML_Parser parser)
{
#if XML_POSITION_64
    return XML_GetCurrentByteIndex64(parser);
#else
    return XML_GetCurrentByteIndex(parser);
#endif
}

#endif
