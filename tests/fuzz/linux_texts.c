/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_texts.c - fuzz target: files that the agent reads from its disk and from the kernel
 *
 * The first byte selects the parser: mount tables, exit records, process names, or the shim's plan.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_detect.h"
#include "nm-agent/linux/parts/exit_record.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/shim/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_plan(const char *text, size_t size)
{
    scoped_fd int fd = memfd_create("plan", MFD_CLOEXEC);
    struct plan plan;

    if (fd >= 0 && write(fd, text, size) == (ssize_t)size && plan_read(fd, &plan) == 0)
        plan_clear(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct detect detect;
    scoped_free char *text = NULL;
    struct container_end record;
    struct process process;

    if (size == 0)
        return 0;
    text = mem_alloc0(size);
    memcpy(text, data + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        detect_parse(text, text, text, &detect, NULL);
        break;
    case 1:
        exit_record_parse(text, &record);
        break;
    case 2:
        process_parse(text, &process);
        break;
    default:
        read_plan(text, size - 1);
        break;
    }
    return 0;
}
