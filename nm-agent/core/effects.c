/* SPDX-License-Identifier: Apache-2.0 */
/* effects.c - builds the effects of a step, all in one arena */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "nm-agent/core/state.h"

void agent_effects_init(struct agent_effects *effects)
{
    *effects = (struct agent_effects){ .arena = arena_new() };
}

void agent_effects_reset(struct agent_effects *effects)
{
    arena_reset(effects->arena);
    effects->count = 0;
}

void agent_effects_done(struct agent_effects *effects)
{
    arena_free(effects->arena);
    free(effects->items);
    *effects = (struct agent_effects){ 0 };
}

struct agent_effect *effect_add(struct step *step, enum agent_effect_kind kind)
{
    struct agent_effects *effects = step->effects;
    struct agent_effect *effect;

    mem_grow(effects->items, effects->count, effects->capacity);
    effect = &effects->items[effects->count++];
    *effect = (struct agent_effect){ .kind = kind };
    return effect;
}

struct agent_effect *effect_container(struct step *step, enum agent_effect_kind kind,
                                      const struct container *container)
{
    struct agent_effect *effect = effect_add(step, kind);
    struct arena *arena = step->effects->arena;

    effect->container_id = arena_strdup(arena, container->text);
    effect->app_id = arena_strdup(arena, container->app->text);
    effect->at_once = container->stop_at_once;
    return effect;
}

void effect_note(struct step *step, const struct container *container, bool warning, const char *format, ...)
{
    struct agent_effect *effect =
        container ? effect_container(step, AGENT_NOTE, container) : effect_add(step, AGENT_NOTE);
    scoped_free char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    effect->text = arena_strdup(step->effects->arena, text);
    effect->warning = warning;
}

static void *allocate_in_arena(void *arena, size_t size)
{
    return arena_alloc0(arena, size);
}

static void free_in_arena(void *arena, void *pointer)
{
    (void)arena;
    (void)pointer;
}

ProtobufCMessage *effect_unpack(struct arena *arena, const ProtobufCMessageDescriptor *type,
                                const void *bytes, size_t size)
{
    ProtobufCAllocator allocator = {
        .alloc = allocate_in_arena,
        .free = free_in_arena,
        .allocator_data = arena,
    };

    return protobuf_c_message_unpack(type, &allocator, size, bytes);
}

ProtobufCMessage *effect_copy(struct arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = arena_alloc0(arena, size + 1);
    ProtobufCMessage *copy;

    protobuf_c_message_pack(message, bytes);
    copy = effect_unpack(arena, message->descriptor, bytes, size);
    assert(copy != NULL);
    return copy;
}

Creel__Envelope *effect_envelope(struct arena *arena, uint64_t request_id)
{
    Creel__Envelope *envelope = arena_new0(arena, Creel__Envelope);

    creel__envelope__init(envelope);
    envelope->request_id = request_id;
    return envelope;
}

/* U+0080 to U+009F can control a terminal. */
static bool is_control(const unsigned char *text, size_t length)
{
    return length == 2 && text[0] == 0xc2 && text[1] < 0xa0;
}

char *effect_clean_text(const char *text, size_t max)
{
    const unsigned char *from = (const unsigned char *)(text ? text : "");
    char *clean = mem_alloc(max + 1);
    size_t used = 0;

    while (*from != '\0' && used < max) {
        size_t length = utf8_length(from);

        if (length > 1 && !is_control(from, length)) {
            if (used + length > max)
                break;
            memcpy(clean + used, from, length);
        } else {
            length = 1;
            clean[used] =
                (*from >= 0x20 && *from < 0x7f) || *from == '\n' || *from == '\t' ? (char)*from : '?';
        }
        used += length;
        from += length;
    }
    clean[used] = '\0';
    return clean;
}

struct resource resource_from_message(const Creel__Resource *resource)
{
    return resource ? resource_of(resource->memory_mb, resource->vcores) : resource_of(0, 0);
}
