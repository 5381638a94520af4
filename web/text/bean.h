/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bean.h - JMX beans, written as Hadoop's servlet /jmx writes them (pure)
 *
 * A bean has a name, as "Hadoop:service=ResourceManager,name=RMInfo", and attributes in their order. Names
 * and texts are borrowed.
 */
#ifndef CREEL_WEB_TEXT_BEAN_H
#define CREEL_WEB_TEXT_BEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/text_builder.h"

struct bean;
struct bean_list;

struct bean_list *bean_list_new(struct arena *arena); /* in ARENA, as its beans */
struct arena *bean_list_arena(const struct bean_list *list);
struct bean *bean_add(struct bean_list *list, const char *name, const char *modeler);

void bean_int(struct bean *bean, const char *name, int64_t value);
void bean_double(struct bean *bean, const char *name, double value);
void bean_text(struct bean *bean, const char *name, const char *value);
void bean_bool(struct bean *bean, const char *name, bool value);
/* An amount of memory of the Java machine: committed and used are BYTES, there is no maximum. */
void bean_memory(struct bean *bean, const char *name, int64_t bytes);

/* Returns whether NAME matches PATTERN, as an ObjectName of Java does: the properties after the colon in any
 * order, * and ? in the domain and in values, and * instead of further properties. Also accepts a pattern for
 * the whole text, as "*,q0=root". Declared for tests. */
bool bean_name_matches(const char *name, const char *pattern);

/* Which beans and attributes are asked for; each text may be NULL: all. */
struct bean_question {
    const char *pattern;
    const char *attribute;
};

/* Returns the JSON text of the beans, which the caller must free. *STATUS is 200, or 404: the bean has no
 * such attribute. */
char *bean_list_write(const struct bean_list *list, const struct bean_question *question, int *status);

/* --- the same text, written a list of beans at a time ------------------------------ */

enum bean_found {
    BEANS_NONE,              /* no bean has the name */
    BEANS_WITHOUT_ATTRIBUTE, /* some have the name, but none of these has the attribute */
    BEANS_FOUND,
};

enum bean_found bean_list_find(const struct bean_list *list, const struct bean_question *question);

struct bean_text {
    struct text_builder *out; /* set by the caller before each call */
    bool any;                 /* it has a bean */
};

void bean_text_begin(struct bean_text *text);
/* Writes those of LIST that QUESTION asks for. */
void bean_text_add(struct bean_text *text, const struct bean_list *list,
                   const struct bean_question *question);
/* The same, but leaves the value of the last attribute of the last bean open, if QUESTION asks for it: it is
 * a text that bean_text_add_piece writes and bean_text_close ends. Returns whether it is open. */
bool bean_text_add_open(struct bean_text *text, const struct bean_list *list,
                        const struct bean_question *question);
void bean_text_add_piece(struct bean_text *text, const char *piece);
void bean_text_close(struct bean_text *text);
void bean_text_end(struct bean_text *text);
/* Returns the text of the answer 404 if none has ATTRIBUTE, which the caller must free. */
char *bean_text_unknown(const char *attribute);

/* What the beans of the Java machine have of a process that is none. */
struct bean_process {
    const char *service; /* "ResourceManager" */
    const char *host;
    int64_t started_ms, now_ms; /* since 1970 */
    uint64_t resident_bytes, virtual_bytes, cpu_us, open_files, open_files_max;
    int processors;  /* of the host */
    double load;     /* of the host, in the last minute */
    int64_t threads; /* 0: not known */
};

/* Adds JvmMetrics, and java.lang:type= Memory, OperatingSystem, Runtime and Threading. */
void bean_add_process(struct bean_list *list, const struct bean_process *process);

#endif
