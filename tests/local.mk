# SPDX-License-Identifier: Apache-2.0
# One fragment for each part of the tree.
include tests/base.mk
include tests/conf.mk
include tests/io.mk
include tests/linux.mk
include tests/agent.mk
include tests/sched.mk
include tests/fair.mk
include tests/preempt.mk
include tests/conformance.mk
include tests/capconf.mk
include tests/placement.mk
include tests/master.mk
include tests/store.mk
include tests/client.mk
include tests/job.mk
include tests/sim.mk
include tests/e2e.mk
