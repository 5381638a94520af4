/* SPDX-License-Identifier: Apache-2.0 */
/* bean_process.c - the beans in which monitors of Hadoop find memory and times of a process */
#include "web/text/bean.h"

#define MIB (1024.0 * 1024.0)

static void add_jvm_metrics(struct bean_list *list, struct arena *arena, const struct bean_process *process)
{
    double memory_mb = (double)process->resident_bytes / MIB;
    struct bean *bean = bean_add(
        list, arena_printf(arena, "Hadoop:service=%s,name=JvmMetrics", process->service), "JvmMetrics");

    bean_text(bean, "tag.Context", "jvm");
    bean_text(bean, "tag.ProcessName", process->service);
    bean_text(bean, "tag.SessionId", "");
    bean_text(bean, "tag.Hostname", process->host);
    bean_double(bean, "MemNonHeapUsedM", 0);
    bean_double(bean, "MemNonHeapCommittedM", 0);
    bean_double(bean, "MemNonHeapMaxM", -1);
    bean_double(bean, "MemHeapUsedM", memory_mb);
    bean_double(bean, "MemHeapCommittedM", memory_mb);
    bean_double(bean, "MemHeapMaxM", memory_mb);
    bean_double(bean, "MemMaxM", memory_mb);
    bean_int(bean, "GcCount", 0); /* there is no garbage collector */
    bean_int(bean, "GcTimeMillis", 0);
    bean_int(bean, "ThreadsNew", 0);
    bean_int(bean, "ThreadsRunnable", process->threads > 0 ? process->threads : 1);
    bean_int(bean, "ThreadsBlocked", 0);
    bean_int(bean, "ThreadsWaiting", 0);
    bean_int(bean, "ThreadsTimedWaiting", 0);
    bean_int(bean, "ThreadsTerminated", 0);
}

static void add_java_beans(struct bean_list *list, struct arena *arena, const struct bean_process *process)
{
    struct bean *bean = bean_add(list, "java.lang:type=Memory", "sun.management.MemoryImpl");

    bean_bool(bean, "Verbose", false);
    bean_memory(bean, "HeapMemoryUsage", (int64_t)process->resident_bytes);
    bean_memory(bean, "NonHeapMemoryUsage", 0);
    bean_int(bean, "ObjectPendingFinalizationCount", 0);
    bean =
        bean_add(list, "java.lang:type=OperatingSystem", "com.sun.management.internal.OperatingSystemImpl");
    bean_int(bean, "OpenFileDescriptorCount", (int64_t)process->open_files);
    bean_int(bean, "MaxFileDescriptorCount", (int64_t)process->open_files_max);
    bean_int(bean, "CommittedVirtualMemorySize", (int64_t)process->virtual_bytes);
    bean_int(bean, "ProcessCpuTime", (int64_t)process->cpu_us * 1000);
    bean_int(bean, "AvailableProcessors", process->processors);
    bean_double(bean, "SystemLoadAverage", process->load);
    bean_text(bean, "Name", "Linux");
    bean = bean_add(list, "java.lang:type=Runtime", "sun.management.RuntimeImpl");
    bean_text(bean, "VmName", "creel");
    bean_text(bean, "Name", arena_printf(arena, "%s@%s", process->service, process->host));
    bean_int(bean, "StartTime", process->started_ms);
    bean_int(bean, "Uptime", process->now_ms - process->started_ms);
    bean = bean_add(list, "java.lang:type=Threading", "com.sun.management.internal.HotSpotThreadImpl");
    bean_int(bean, "ThreadCount", process->threads > 0 ? process->threads : 1);
    bean_int(bean, "DaemonThreadCount", 0);
}

void bean_add_process(struct bean_list *list, const struct bean_process *process)
{
    struct arena *arena = bean_list_arena(list);

    add_jvm_metrics(list, arena, process);
    add_java_beans(list, arena, process);
}
