# SPDX-License-Identifier: Apache-2.0
# common/daemon: start and options, common to both daemons. Links libcreelconf and IO_LIBS.
noinst_LIBRARIES += libcreelprogram.a

libcreelprogram_a_SOURCES = common/daemon/gateway_settings.h common/daemon/program.c common/daemon/program.h
