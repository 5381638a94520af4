/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_own.c - the part of /metrics that creel-web measures of itself, and counters of both processes */
#include <stdio.h>

#include "common/base/own_process.h"
#include "web/http/traffic.h"
#include "web/rest/metrics/metrics_parts.h"

static void add_codes(struct metrics_writer *to, const struct traffic_path *path)
{
    char code[16];

    for (size_t i = 0; i < path->code_count; i++) {
        snprintf(code, sizeof(code), "%d", path->codes[i].status);
        if (path->codes[i].count > 0)
            exposition_sample(to->out, (double)path->codes[i].count, "path", path->pattern, "code",
                              path->codes[i].status != 0 ? code : TRAFFIC_OTHER, NULL);
    }
}

static void add_requests(struct metrics_writer *to)
{
    const struct traffic_path *paths;
    size_t count = traffic_paths(to->view->traffic, &paths);

    metrics_counter(to, "creel_http_requests_total",
                    "Requests to creel-web, by the pattern of their route and the status of their answer.");
    for (size_t i = 0; i < count; i++)
        add_codes(to, &paths[i]);
    exposition_family(to->out, "creel_http_seconds", EXPOSITION_HISTOGRAM,
                      "Time from a complete request to its answer, by the pattern of its route.");
    for (size_t i = 0; i < count; i++)
        if (paths[i].seconds.total > 0)
            exposition_histogram(to->out, &paths[i].seconds, "path", paths[i].pattern, NULL);
}

static void add_connections(struct metrics_writer *to)
{
    const struct shares *places = traffic_connections(to->view->traffic);

    if (places == NULL)
        return;
    metrics_gauge(to, "creel_http_connections", "Open connections to creel-web.");
    exposition_sample(to->out, shares_used(places), NULL);
    metrics_gauge(to, "creel_http_connections_limit", "Connections that creel-web serves at the same time.");
    exposition_sample(to->out, shares_max(places), NULL);
    metrics_counter(
        to, "creel_http_connections_refused_total",
        "Connections to creel-web that were closed because all were in use (full), or their address "
        "had its share (address).");
    exposition_sample(to->out, (double)shares_refused(places, SHARES_FULL), "reason", "full", NULL);
    exposition_sample(to->out, (double)shares_refused(places, SHARES_OWNER_FULL), "reason", "address", NULL);
}

static void add_memory(struct metrics_writer *to)
{
    const struct shares *memory = traffic_memory(to->view->traffic);

    if (memory == NULL)
        return;
    metrics_gauge(to, "creel_http_memory_bytes", "Memory of bodies and answers of creel-web.");
    exposition_sample(to->out, 1024.0 * shares_used(memory), NULL);
    metrics_gauge(to, "creel_http_memory_limit_bytes", "The most of it; one address gets a quarter.");
    exposition_sample(to->out, 1024.0 * shares_max(memory), NULL);
    metrics_counter(
        to, "creel_http_memory_refused_total",
        "Requests to creel-web that were refused, or answers that were ended before they were read, "
        "because this memory was in use (full), or the address had its share (address).");
    exposition_sample(to->out, (double)shares_refused(memory, SHARES_FULL), "reason", "full", NULL);
    exposition_sample(to->out, (double)shares_refused(memory, SHARES_OWNER_FULL), "reason", "address", NULL);
}

/* Adds a counter that both processes have. NUMBER of the resource manager counts only if MEASURED. */
static void add_by_service(struct metrics_writer *to, const char *name, const char *help, bool measured,
                           uint64_t of_rm, uint64_t of_web)
{
    metrics_counter(to, name, help);
    if (measured)
        exposition_sample(to->out, (double)of_rm, "service", "creel-rm", NULL);
    exposition_sample(to->out, (double)of_web, "service", "creel-web", NULL);
}

void metrics_add_own(struct metrics_writer *to)
{
    static const Creel__Metrics none = CREEL__METRICS__INIT;
    const Creel__Metrics *last = metrics_copy_last(to->view->metrics);
    const Creel__Metrics *metrics = last != NULL ? last : &none;
    const struct own_process process = own_process_read();

    add_requests(to);
    add_connections(to);
    add_memory(to);
    add_by_service(to, "creel_auth_failures_total",
                   "Keys, credentials, tokens and passwords that were not accepted, by the service that "
                   "refused them.",
                   last != NULL, metrics->sign_in_failures, traffic_refused(to->view->traffic));
    add_by_service(to, "creel_log_dropped_total",
                   "Lines of the log that were not written: too many alike, or refused by the journal; by "
                   "service.",
                   last != NULL, metrics->log_lines_dropped,
                   to->view->log.dropped != NULL ? to->view->log.dropped() : 0);
    if (to->view->certificate_expires_ms != 0) {
        metrics_gauge(to, "creel_web_certificate_expiry_timestamp_seconds",
                      "When the TLS certificate of creel-web expires, in seconds since 1970.");
        exposition_sample(to->out, (double)to->view->certificate_expires_ms / 1000, NULL);
    }
    metrics_gauge(to, "creel_web_resident_memory_bytes", "Memory of creel-web.");
    exposition_sample(to->out, (double)process.resident_bytes, NULL);
    metrics_counter(to, "creel_web_cpu_seconds_total", "Processor time of creel-web.");
    exposition_sample(to->out, (double)process.cpu_us / 1e6, NULL);
    metrics_gauge(to, "creel_web_open_fds", "Open files of creel-web, connections among them.");
    exposition_sample(to->out, (double)process.open_files, NULL);
}
