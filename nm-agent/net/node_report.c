/* SPDX-License-Identifier: Apache-2.0 */
/* node_report.c - the problems of the node, for the resource manager and the pages of the agent */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_print.h"
#include "nm-agent/net/daemon.h"

#define DEATH_SHOWN_MS 300000 /* time for which the end of a gateway is reported */

bool node_health_report(const struct daemon *daemon, char *report, size_t size)
{
    scoped_free char *shortage = agent_shortage(daemon->agent, daemon_now());
    struct gateway_deaths deaths = gateway_pool_deaths(daemon->gateways);
    bool healthy = runtime_healthy(daemon->runtime, report, size);
    const char *problem = own_key_problem(daemon->own_key_files);
    int64_t begins_ms = daemon->certificate_begins_ms;
    char at[TEXT_SIZE_MAX];

    if (problem != NULL)
        text_print_more(report, size,
                        "the next start of creel-nm will fail, or be without its REST interface: %s",
                        problem);
    if (begins_ms > loop_now_ms())
        text_print_more(report, size, "the certificate of the REST interface is not valid before %s",
                        text_format_utc(begins_ms, at));
    if (daemon->settings.log_warning[0] != '\0')
        text_print_more(report, size, "%s", daemon->settings.log_warning);
    if (shortage != NULL)
        text_print_more(report, size, "%s", shortage);
    if (deaths.count > 0 && loop_now_ms() - deaths.last_ms <= DEATH_SHOWN_MS)
        text_print_more(
            report, size,
            "its gateway, to which masters and clients connect, has ended %llu time%s, the last at "
            "%s: journalctl -u creel-nm names the reason",
            (unsigned long long)deaths.count, deaths.count == 1 ? "" : "s",
            text_format_utc(deaths.last_ms, at));
    return healthy;
}
