/* SPDX-License-Identifier: Apache-2.0 */
/* bean.h - the JMX beans of /jmx that YARN's monitoring tools read */
#ifndef CREEL_WEB_REST_BEAN_H
#define CREEL_WEB_REST_BEAN_H

#include "common/base/arena.h"
#include "web/model/view.h"

#define BEAN_ATTRIBUTES_MAX 64

struct bean_attribute {
    const char *name;
    enum { BEAN_INT, BEAN_DOUBLE, BEAN_TEXT, BEAN_BOOL } type;
    union {
        int64_t integer;
        double number;
        const char *text;
        bool truth;
    };
};

struct bean {
    const char *name, *modeler; /* "Hadoop:service=ResourceManager,name=RMInfo" */
    struct bean_attribute attributes[BEAN_ATTRIBUTES_MAX];
    size_t count;
    struct bean *next;
};

/* Returns the linked list of all beans, in ARENA. */
const struct bean *beans_of(const struct web_view *view, struct arena *arena);

#endif
