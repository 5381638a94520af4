/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.c - answers requests for the configuration of the resource manager (daemon.h) */
#include "rm/net/conf_report.h"
#include "rm/net/daemon.h"

void configuration_answer(const struct port *port, uint64_t connection, const Creel__Envelope *request)
{
    const struct daemon *daemon = port->daemon;
    struct conf_report *report =
        conf_report_new(daemon->conf, daemon->confs.queues != NULL ? daemon->confs.queues : daemon->conf);
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_CONFIGURATION;
    for (size_t i = 0; reload_access_keys[i] != NULL; i++)
        conf_report_replace(report, reload_access_keys[i], reload_access_conf(daemon, reload_access_keys[i]));
    envelope.configuration = conf_report_page(report, request->get_configuration->first);
    (void)channel_server_send(port->server, connection, &envelope);
    conf_report_free(report);
}
