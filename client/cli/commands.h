/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - declarations of the functions in the table of commands */
#ifndef CREEL_CLI_COMMANDS_H
#define CREEL_CLI_COMMANDS_H

#include "client/cli/frame/cli.h"

int cmd_submit(struct cli *cli);
int cmd_ps(struct cli *cli);
int cmd_kill(struct cli *cli);
int cmd_logs(struct cli *cli);
int cmd_fetch(struct cli *cli);
int cmd_wait(struct cli *cli);
int cmd_app_list(struct cli *cli);
int cmd_app_show(struct cli *cli);
int cmd_app_containers(struct cli *cli);
int cmd_app_attempts(struct cli *cli);
int cmd_container_list(struct cli *cli);
int cmd_container_show(struct cli *cli);
int cmd_container_stats(struct cli *cli);
int cmd_container_logs(struct cli *cli);
int cmd_container_signal(struct cli *cli);
int cmd_container_resize(struct cli *cli);
int cmd_container_exec(struct cli *cli);
int cmd_node_list(struct cli *cli);
int cmd_node_show(struct cli *cli);
int cmd_node_drain(struct cli *cli);
int cmd_admin_log_level(struct cli *cli);
int cmd_admin_drain_all(struct cli *cli);
int cmd_admin_undrain_all(struct cli *cli);
int cmd_node_undrain(struct cli *cli);
int cmd_node_decommission(struct cli *cli);
int cmd_node_recommission(struct cli *cli);
int cmd_node_resources(struct cli *cli);
int cmd_node_label(struct cli *cli);
int cmd_label_list(struct cli *cli);
int cmd_label_add(struct cli *cli);
int cmd_label_remove(struct cli *cli);
int cmd_label_map(struct cli *cli);
int cmd_token_create(struct cli *cli);
int cmd_token_list(struct cli *cli);
int cmd_token_revoke(struct cli *cli);
int cmd_queue_list(struct cli *cli);
int cmd_queue_show(struct cli *cli);
int cmd_queue_tree(struct cli *cli);
int cmd_queue_explain(struct cli *cli);
int cmd_queue_users(struct cli *cli);
int cmd_queue_access(struct cli *cli);
int cmd_queue_start(struct cli *cli);
int cmd_queue_stop(struct cli *cli);
int cmd_app_why(struct cli *cli);
int cmd_app_move(struct cli *cli);
int cmd_app_priority(struct cli *cli);
int cmd_app_lifetime(struct cli *cli);
int cmd_app_set(struct cli *cli);
int cmd_events(struct cli *cli);
int cmd_history(struct cli *cli);
int cmd_top(struct cli *cli);
int cmd_app_requeue(struct cli *cli);
int cmd_app_rerun(struct cli *cli);
int cmd_history_usage(struct cli *cli);
int cmd_history_efficiency(struct cli *cli);
int cmd_hold(struct cli *cli);
int cmd_release(struct cli *cli);
int cmd_admin_refresh(struct cli *cli);
int cmd_admin_state(struct cli *cli);
int cmd_cluster_info(struct cli *cli);
int cmd_cluster_health(struct cli *cli);
int cmd_conf_show(struct cli *cli);
int cmd_conf_check(struct cli *cli);
int cmd_conf_diff(struct cli *cli);
int cmd_conf_versions(struct cli *cli);
int cmd_conf_convert(struct cli *cli);
int cmd_conf_set(struct cli *cli);
int cmd_conf_rollback(struct cli *cli);
int cmd_conf_apply(struct cli *cli);
int cmd_setup_rm(struct cli *cli);
int cmd_setup_node(struct cli *cli);
int cmd_setup_client(struct cli *cli);
int cmd_keygen_cluster(struct cli *cli);
int cmd_keygen_user(struct cli *cli);
int cmd_keygen_agent(struct cli *cli);
int cmd_dev_up(struct cli *cli);
int cmd_dev_status(struct cli *cli);
int cmd_dev_env(struct cli *cli);
int cmd_dev_down(struct cli *cli);
int cmd_version(struct cli *cli);
int cmd_whoami(struct cli *cli);
int cmd_help(struct cli *cli);

extern const struct option_spec ps_options[], top_options[], app_list_options[], kill_options[],
    logs_options[], fetch_options[], wait_options[], events_options[], history_options[],
    history_usage_options[], history_efficiency_options[], hold_options[], requeue_options[], rerun_options[],
    app_set_options[], container_list_options[], container_signal_options[], container_exec_options[],
    container_resize_options[], node_list_options[], conf_show_options[], keygen_options[],
    keygen_user_options[], keygen_agent_options[], setup_rm_options[], setup_node_options[],
    setup_client_options[], dev_up_options[], dev_options[], version_options[], queue_access_options[],
    queue_label_options[], queue_stop_options[], node_drain_options[], node_resources_options[],
    refresh_options[], admin_state_options[], token_create_options[], token_list_options[],
    token_revoke_options[], conf_set_options[];

/* Help texts that are defined in the files of their commands. */
extern const char fetch_help[], top_help[], cluster_health_help[], conf_versions_help[], conf_rollback_help[],
    conf_diff_help[], conf_apply_help[], conf_convert_help[], conf_set_help[], setup_rm_help[],
    setup_node_help[], setup_client_help[], token_create_help[], token_list_help[], token_revoke_help[],
    drain_all_help[], undrain_all_help[], log_level_help[], whoami_help[];

#endif
