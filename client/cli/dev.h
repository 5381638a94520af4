/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dev.h - a whole cluster on this machine: where it is
 */
#ifndef CREEL_CLI_DEV_H
#define CREEL_CLI_DEV_H

#define DEV_DEFAULT_DIR "/var/lib/creel/dev"

/* The configuration of the cluster in DEV_DEFAULT_DIR if its RM is running now; malloc'ed, else NULL. */
char *dev_running_conf_dir(void);

#endif
