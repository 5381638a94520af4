# SPDX-License-Identifier: Apache-2.0
include client/libcreel/local.mk
include client/script/local.mk
include client/am/local.mk
include client/archive/local.mk
include client/cli/local.mk
include client/slurm/local.mk
include client/slurm-client/local.mk
include client/yarn/local.mk
