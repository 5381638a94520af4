/* SPDX-License-Identifier: Apache-2.0 */
/* differ.c - compares the packed bytes of two reports, without the fields that change all the time */
#include "web/model/differ.h"

#include <string.h>

#include "common/base/mem.h"

static bool differ(const ProtobufCMessage *a, const ProtobufCMessage *b)
{
    size_t size = protobuf_c_message_get_packed_size(a);
    scoped_free uint8_t *bytes = NULL;

    if (protobuf_c_message_get_packed_size(b) != size)
        return true;
    bytes = mem_alloc(2 * size + 1);
    protobuf_c_message_pack(a, bytes);
    protobuf_c_message_pack(b, bytes + size);
    return memcmp(bytes, bytes + size, size) != 0;
}

/* The functions below copy the struct, not what it points to. */

static Creel__AppReport lasting_app(const Creel__AppReport *report)
{
    Creel__AppReport lasting = *report;

    lasting.memory_mb_seconds = lasting.vcore_seconds = 0;
    lasting.preempted_memory_mb_seconds = lasting.preempted_vcore_seconds = 0;
    return lasting;
}

bool differ_app(const Creel__AppReport *a, const Creel__AppReport *b)
{
    Creel__AppReport one = lasting_app(a), other = lasting_app(b);

    return differ(&one.base, &other.base);
}

static Creel__NodeReport lasting_node(const Creel__NodeReport *report)
{
    Creel__NodeReport lasting = *report;

    lasting.last_heartbeat_ms = lasting.clock_skew_ms = lasting.clock_error_ms = 0;
    lasting.clock_measured = false;
    lasting.used_memory_bytes = lasting.containers_memory_bytes = lasting.node_memory_bytes = 0;
    lasting.cpu_millicores = lasting.node_cpu_millicores = 0;
    return lasting;
}

bool differ_node(const Creel__NodeReport *a, const Creel__NodeReport *b)
{
    Creel__NodeReport one = lasting_node(a), other = lasting_node(b);

    return differ(&one.base, &other.base);
}

bool differ_queue(const Creel__QueueReport *a, const Creel__QueueReport *b)
{
    return differ(&a->base, &b->base);
}

static Creel__ClusterInfo lasting_cluster(const Creel__ClusterInfo *report)
{
    Creel__ClusterInfo lasting = *report;

    lasting.now_ms = lasting.clock_skew_ms = 0;
    lasting.clock_node = (char *)(uintptr_t) "";
    lasting.counters = NULL;
    return lasting;
}

bool differ_cluster(const Creel__ClusterInfo *a, const Creel__ClusterInfo *b)
{
    Creel__ClusterInfo one = lasting_cluster(a), other = lasting_cluster(b);

    return differ(&one.base, &other.base);
}
