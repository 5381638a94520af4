# SPDX-License-Identifier: Apache-2.0
include web/http/local.mk
include web/model/local.mk
include web/pam/local.mk
include web/page/local.mk
include web/net/local.mk
include web/rest/local.mk
include web/text/local.mk
