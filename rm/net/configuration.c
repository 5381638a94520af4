/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.c - answers requests for the configuration of the resource manager (reload.h) */
#include "rm/net/conf_report.h"
#include "rm/net/reload.h"

void configuration_answer(const struct daemon_confs *confs, const struct port *port, uint64_t connection,
                          const Creel__Envelope *request)
{
    struct conf_report *report = conf_report_new(confs->started, conf_in_force(confs));
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_CONFIGURATION;
    for (size_t i = 0; reload_access_keys[i] != NULL; i++)
        conf_report_replace(report, reload_access_keys[i], reload_access_conf(confs, reload_access_keys[i]));
    envelope.configuration = conf_report_page(report, request->get_configuration->first);
    (void)channel_server_send(port->server, connection, &envelope);
    conf_report_free(report);
}
