# SPDX-License-Identifier: Apache-2.0
include nm-agent/core/local.mk
include nm-agent/linux/local.mk
include nm-agent/net/local.mk
include nm-agent/web/local.mk
