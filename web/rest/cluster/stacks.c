/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - /stacks, the threads of creel-web in the layout of Hadoop's servlet */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"

#define TASKS "/proc/self/task"

/* Copies the value of FIELD ("State:") in the status file of THREAD; "" if the file has no such field. */
static void read_field(const char *thread, const char *field, char *ret, size_t size)
{
    char path[64], line[256];
    FILE *file;

    *ret = '\0';
    snprintf(path, sizeof(path), TASKS "/%.20s/status", thread);
    if ((file = fopen(path, "re")) == NULL)
        return;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (!text_has_prefix(line, field))
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(ret, size, "%s", line + strlen(field) + strspn(line + strlen(field), " \t"));
        break;
    }
    fclose(file);
}

static void write_thread(FILE *out, const char *thread)
{
    static const struct {
        const char *label, *field;
    } lines[] = {
        { "State", "State:" },
        { "Blocked count", "nonvoluntary_ctxt_switches:" },
        { "Waited count", "voluntary_ctxt_switches:" },
    };
    char value[128];

    read_field(thread, "Name:", value, sizeof(value));
    fprintf(out, "Thread %s (%s):\n", thread, value);
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        read_field(thread, lines[i].field, value, sizeof(value));
        fprintf(out, "  %s: %s\n", lines[i].label, value);
    }
}

static int is_thread(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Sends the threads of this process, without stacks: these need a debugger (gdb -p). */
void servlet_stacks(struct exchange *exchange)
{
    struct dirent **threads = NULL;
    int count = scandir(TASKS, &threads, is_thread, versionsort);
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    if (count < 0) {
        exchange_refuse(exchange, 503, "the threads of this process cannot be read from " TASKS);
        return;
    }
    if ((out = open_memstream(&text, &size)) == NULL)
        abort();
    fprintf(out, "Process Thread Dump: \n%d active threads\n", count);
    for (int i = 0; i < count; i++) {
        write_thread(out, threads[i]->d_name);
        free(threads[i]);
    }
    free(threads);
    fclose(out);
    exchange_answer(exchange, 200, "text/plain;charset=utf-8", text, size);
    free(text);
}
