/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - the ZAP domains that stand for the gate's policies (private) */
#ifndef CREEL_IO_GATE_H
#define CREEL_IO_GATE_H

#include "common/io/channel.h"

/* What a server of POLICY calls its ZAP domain. */
const char *gate_domain(enum gate_policy policy);

#endif
