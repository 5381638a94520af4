/* SPDX-License-Identifier: Apache-2.0 */
/* help_texts.h - longer help of commands, for the table in commands.c */
#ifndef CREEL_CLI_HELP_TEXTS_H
#define CREEL_CLI_HELP_TEXTS_H

extern const char help_events[], help_history[], help_history_usage[], help_history_efficiency[],
    help_refresh[], help_state[], help_node_drain[], help_node_undrain[], help_node_decommission[],
    help_node_recommission[], help_rerun[], help_keygen_cluster[];

#endif
