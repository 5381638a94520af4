# SPDX-License-Identifier: Apache-2.0
include rm/sched/local.mk
include rm/schedconf/local.mk
include rm/master/local.mk
include rm/jobs/local.mk
include rm/store/local.mk
include rm/net/local.mk
