/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - copies of texts and messages, owned or in an arena */
#ifndef CREEL_RM_MASTER_COPY_H
#define CREEL_RM_MASTER_COPY_H

#include "rm/master/state.h"

bool rm_text_is_empty(const char *text); /* NULL or "" */
/* Replaces *FIELD, which is owned, by a copy of TEXT; NULL for an empty text. */
void rm_text_set(char **field, const char *text);
/* The same for a text of a node that is listed for everybody: of a longer one the first BRIEF_TEXT_MAX
 * bytes, and "...". Returns true if the field has changed. */
#define BRIEF_TEXT_MAX 1024
bool rm_text_set_brief(char **field, const char *text);
/* Returns a copy of TEXT in ARENA; NULL gives "", since protobuf-c requires a text. */
char *rm_message_text(struct arena *arena, const char *text);
/* Returns a deep copy, which the caller frees with protobuf_c_message_free_unpacked. */
ProtobufCMessage *rm_message_copy(const ProtobufCMessage *message);
ProtobufCMessage *rm_message_copy_in(struct arena *arena, const ProtobufCMessage *message);
/* Decodes PACKED into ARENA. PACKED was encoded by this process; anything else aborts. */
ProtobufCMessage *rm_message_unpack_in(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
                                       const uint8_t *packed, size_t size);

#endif
