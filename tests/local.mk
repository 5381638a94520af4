# SPDX-License-Identifier: Apache-2.0
# Unit tests and fuzz targets are one line each in tests/programs.list; the rest is in
# the fragments below.
include tests/unit.mk
include tests/fuzz.mk
include tests/programs.mk
include tests/e2e.mk

$(srcdir)/tests/programs.mk: $(srcdir)/tests/programs.list $(srcdir)/tests/make-programs
	$(AM_V_GEN)$(srcdir)/tests/make-programs >$@.new && mv $@.new $@
