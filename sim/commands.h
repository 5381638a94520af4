/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - the subcommands of creel-sim
 *
 * Each command gets its own argc and argv (argv[0] is its name) and returns the exit status.
 */
#ifndef CREEL_SIM_COMMANDS_H
#define CREEL_SIM_COMMANDS_H

int command_bench(int argc, char **argv);
int command_chaos(int argc, char **argv);
int command_check(int argc, char **argv);
int command_storm(int argc, char **argv);

#endif
