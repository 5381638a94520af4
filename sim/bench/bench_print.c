/* SPDX-License-Identifier: Apache-2.0 */
/* bench_print.c - prints the results of the benchmark as text and as JSON */
#include <inttypes.h>

#include "sim/bench/bench.h"

struct figure {
    const char *name; /* name in JSON, with the unit */
    size_t offset;    /* offset of a double in struct bench_result */
    const char *text; /* description for people */
};

#define FIGURE(name, text) \
    { \
#name, offsetof(struct bench_result, name), text \
    }

static const struct figure figures[] = {
    FIGURE(pairs_per_s, "pairs (one ended, one allocated) per second"),
    FIGURE(ns_per_pair, "ns per pair"),
    FIGURE(allocations_per_s, "allocations per second"),
    FIGURE(heartbeats_per_s, "heartbeats per second, with that"),
    FIGURE(heartbeats_idle_per_s, "heartbeats per second, with nothing to assign"),
    FIGURE(fill_ns_per_container, "ns per container, filling the empty cluster"),
    FIGURE(ask_ns, "ns per allocate call"),
    FIGURE(decision_p50_ns, "ns per decision, median"),
    FIGURE(decision_p99_ns, "ns per decision, 99 %"),
    FIGURE(decision_max_ns, "ns per decision, longest"),
    FIGURE(heartbeat_idle_ns, "ns per heartbeat, room and nobody who asks"),
    FIGURE(heartbeat_full_ns, "ns per heartbeat, no room and all ask"),
    FIGURE(heartbeat_blocked_ns, "ns per heartbeat, room and 10000 apps that wait on a limit"),
    FIGURE(heartbeat_blocked_queue_ns, "  the limit of their queue"),
    FIGURE(heartbeat_blocked_user_ns, "  the limit of their user"),
    FIGURE(heartbeat_blocked_am_ns, "  the limit of application masters"),
    FIGURE(preemption_round_ms, "ms per preemption round"),
    FIGURE(update_ms, "ms per update of the fair scheduler, nothing new"),
    FIGURE(update_all_ms, "  another cluster: every share again"),
    FIGURE(reservations, "reservations in the churn"),
    FIGURE(bytes_per_container, "bytes per container"),
    FIGURE(bytes_per_node, "bytes per node"),
    FIGURE(bytes_per_app, "bytes per app"),
    FIGURE(bytes_per_queue, "bytes per queue"),
    FIGURE(peak_rss_bytes, "bytes of memory at most"),
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static double value_of(const struct bench_result *result, const struct figure *figure)
{
    return *(const double *)(const void *)((const char *)result + figure->offset);
}

static const char *bench_mode_name(enum bench_mode mode)
{
    static const char *const names[] = { "heartbeat", "continuous", "demand" };

    return names[mode];
}

static const char *bench_asks_name(enum bench_asks asks)
{
    static const char *const names[] = { "mixed", "local", "plain" };

    return names[asks];
}

void bench_print_text(FILE *out, const struct bench_options *options, const struct bench_result *result)
{
    fprintf(out,
            "%s, %s: %" PRId64 " nodes, %" PRId64 " queues, %" PRId64 " apps, %" PRId64
            " containers, seed %" PRId64 "\n",
            options->scheduler, bench_mode_name(options->mode), options->nodes, options->queues,
            options->apps, result->containers, options->seed);
    for (size_t i = 0; i < FIGURES; i++)
        if (value_of(result, &figures[i]) >= 0)
            fprintf(out, "%16.1f  %s\n", value_of(result, &figures[i]), figures[i].text);
    fprintf(out, "%016" PRIx64 "  checksum of all decisions\n", result->decisions_checksum);
}

/* Prints a number with three decimals and a point in every locale. */
static void print_number(FILE *out, double value)
{
    int64_t thousandths = (int64_t)(value * 1000 + 0.5);

    if (value < 0)
        fputs("null", out);
    else
        fprintf(out, "%" PRId64 ".%03" PRId64, thousandths / 1000, thousandths % 1000);
}

void bench_print_json(FILE *out, const struct bench_options *options, const struct bench_result *result)
{
    fprintf(out,
            "{\"scheduler\": \"%s\", \"mode\": \"%s\", \"asks\": \"%s\", \"nodes\": %" PRId64
            ", \"racks\": %" PRId64 ", \"queues\": %" PRId64 ", \"depth\": %" PRId64 ", \"users\": %" PRId64
            ", \"apps\": %" PRId64 ", \"containers\": %" PRId64 ", \"resource_types\": %" PRId64
            ", \"pairs\": %" PRId64 ", \"seed\": %" PRId64,
            options->scheduler, bench_mode_name(options->mode), bench_asks_name(options->asks),
            options->nodes, options->racks, options->queues, options->depth, options->users, options->apps,
            result->containers, options->types, options->pairs, options->seed);
    for (size_t i = 0; i < FIGURES; i++) {
        fprintf(out, ",\n \"%s\": ", figures[i].name);
        print_number(out, value_of(result, &figures[i]));
    }
    fprintf(out, ",\n \"decisions_checksum\": \"%016" PRIx64 "\"}", result->decisions_checksum);
}

void bench_print_row(FILE *out, const char *what, int64_t size, const struct bench_result *result)
{
    if (result == NULL) {
        fprintf(out, "%10s %12s %10s %10s %12s %12s %12s %10s\n", what, "pairs/s", "ns/pair", "p99 ns",
                "idle ns", "blocked ns", "round ms", "peak MiB");
        return;
    }
    fprintf(out, "%10" PRId64 " %12.0f %10.0f %10.0f %12.1f %12.1f %12.2f %10.0f\n", size,
            result->pairs_per_s, result->ns_per_pair, result->decision_p99_ns, result->heartbeat_idle_ns,
            result->heartbeat_blocked_ns, result->preemption_round_ms, result->peak_rss_bytes / (1 << 20));
    fflush(out);
}
