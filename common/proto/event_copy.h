/* SPDX-License-Identifier: Apache-2.0 */
/* event_copy.h - copies an event and its texts */
#ifndef CREEL_PROTO_EVENT_COPY_H
#define CREEL_PROTO_EVENT_COPY_H

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

/* Returns the text number I of EVENT; NULL: that field is no text. */
static inline char **event_text_at(const Creel__Event *event, unsigned i)
{
    const ProtobufCFieldDescriptor *field = &creel__event__descriptor.fields[i];

    if (field->type != PROTOBUF_C_TYPE_STRING)
        return NULL;
    return (char **)((uintptr_t)event + field->offset);
}

/* Returns a copy of EVENT in ARENA. */
static inline Creel__Event *event_copy_in(struct arena *arena, const Creel__Event *event)
{
    Creel__Event *copy = arena_new0(arena, Creel__Event);

    *copy = *event;
    copy->base.n_unknown_fields = 0;
    copy->base.unknown_fields = NULL;
    for (unsigned i = 0; i < creel__event__descriptor.n_fields; i++)
        if (event_text_at(copy, i) != NULL)
            *event_text_at(copy, i) = arena_strdup(arena, *event_text_at(copy, i));
    return copy;
}

#endif
