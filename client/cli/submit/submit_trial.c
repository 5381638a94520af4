/* SPDX-License-Identifier: Apache-2.0 */
/* submit_trial.c - submit --test-only: a trial submission */
#include "client/cli/submit/submit_trial.h"
#include "client/cli/submit/submit_written.h"

#include "client/cli/frame/listing.h"

static void trial_lines(const void *item, const struct cli *cli)
{
    const struct creel_trial *trial = item;

    (void)cli;
    record_line("Queue", "%s", trial->queue);
    record_line("Nodes", "%u are large enough, %u have room now", trial->nodes_fitting,
                trial->nodes_with_room);
    if (*trial->reason_code)
        record_line("Begins", "later: %s: %s", trial->reason_code, trial->reason);
    else
        record_line("Begins", "at once");
}

static void trial_json(const void *item, struct json_writer *json)
{
    const struct creel_trial *trial = item;

    json_text(json, "queue", trial->queue);
    json_uint(json, "nodesFitting", trial->nodes_fitting);
    json_uint(json, "nodesWithRoom", trial->nodes_with_room);
    json_bool(json, "beginsAtOnce", !*trial->reason_code);
    json_text_if(json, "reasonCode", trial->reason_code);
    json_text_if(json, "reason", trial->reason);
}

static const struct record trial_record = {
    .kind = "SubmissionTestList",
    .lines = trial_lines,
    .json = trial_json,
};

int submit_trial_print(struct cli *cli, const struct creel_job *job)
{
    struct creel_trial *trial;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_submit_test(cli->client, job, &trial, &error) < 0) {
        submit_written_name(&cli->options, &error);
        return cli_fail(&error);
    }
    code = record_print(cli, &trial_record, trial);
    creel_trial_free(trial);
    return code;
}
