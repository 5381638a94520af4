/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - copies of texts and messages, owned or in an arena */
#ifndef CREEL_RM_MASTER_COPY_H
#define CREEL_RM_MASTER_COPY_H

#include "rm/master/state.h"

bool rm_text_is_empty(const char *text);                /* NULL or "" */
/* Replaces *FIELD, which is owned, by a copy of TEXT; NULL for an empty text. */
void rm_text_set(char **field, const char *text);
/* A copy in ARENA; NULL gives "", as protobuf-c wants it. */
char *rm_message_text(struct arena *arena, const char *text);
/* A whole copy, to be freed with protobuf_c_message_free_unpacked. */
ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message);
ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message);
/* PACKED was packed by this process. */
ProtobufCMessage *rm_message_unpack_in(struct arena *arena,
                                       const ProtobufCMessageDescriptor *descriptor,
                                       const uint8_t *packed, size_t size);

#endif
