/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - copies of texts and messages, owned or in an arena */
#include <string.h>

#include "rm/master/state/copy.h"

bool rm_text_is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

void rm_text_set(char **field, const char *text)
{
    char *copy = rm_text_is_empty(text) ? NULL : mem_strdup(text);

    free(*field);
    *field = copy;
}

bool rm_text_set_brief(char **field, const char *text)
{
    size_t length = rm_text_is_empty(text) ? 0 : strnlen(text, BRIEF_TEXT_MAX + 1);
    bool cut = length > BRIEF_TEXT_MAX, differs;
    char *copy;

    if (cut)
        for (length = BRIEF_TEXT_MAX; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--; /* to the begin of a character */
    copy = length > 0 ? mem_printf("%.*s%s", (int)length, text, cut ? "..." : "") : NULL;
    differs = copy == NULL || *field == NULL ? copy != *field : strcmp(copy, *field) != 0;
    free(*field);
    *field = copy;
    return differs;
}

char *rm_message_text(struct arena *arena, const char *text)
{
    return arena_strdup(arena, text ? text : "");
}

ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    scoped_free uint8_t *packed = mem_alloc(size + 1);
    ProtobufCMessage *copy;

    protobuf_c_message_pack(message, packed);
    copy = protobuf_c_message_unpack(message->descriptor, NULL, size, packed);
    if (copy == NULL)
        abort(); /* data packed by this process can be unpacked, unless memory ran
                    out */
    return copy;
}

/* Allocation functions of protobuf-c that use an arena. */
static void *arena_allocate(void *arena, size_t size)
{
    return arena_alloc0(arena, size);
}

static void arena_release(void *arena, void *pointer)
{
    (void)arena;
    (void)pointer;
}

ProtobufCMessage *rm_message_unpack_in(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
                                       const uint8_t *packed, size_t size)
{
    ProtobufCAllocator allocator = { arena_allocate, arena_release, arena };
    ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &allocator, size, packed);

    if (message == NULL)
        abort(); /* the data was packed by this process */
    return message;
}

ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    scoped_free uint8_t *packed = mem_alloc(size + 1);

    protobuf_c_message_pack(message, packed);
    return rm_message_unpack_in(arena, message->descriptor, packed, size);
}
