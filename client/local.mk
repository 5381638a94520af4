# SPDX-License-Identifier: Apache-2.0
include client/libcreel/local.mk
include client/script/local.mk
include client/master/local.mk
include client/cli/local.mk
include client/yarn/local.mk
