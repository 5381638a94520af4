/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h - creates, runs and frees all parts of creel-hadoop */
#ifndef CREEL_HADOOP_NET_DAEMON_H
#define CREEL_HADOOP_NET_DAEMON_H

#include "common/conf/conf.h"

/* Runs creel-hadoop until a signal arrives. Returns as run of struct program (common/daemon/program.h). */
int hadoop_daemon_run(const struct conf *conf, struct err *err);

#endif
