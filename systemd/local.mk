# SPDX-License-Identifier: Apache-2.0
# The units name the programs where they are installed.
nodist_systemdsystemunit_DATA = systemd/creel-rm.service systemd/creel-nm.service
CLEANFILES += $(nodist_systemdsystemunit_DATA)
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
EXTRA_DIST += systemd/creel-rm.service.in systemd/creel-nm.service.in \
    systemd/creel.sysusers systemd/creel.tmpfiles

systemd/creel-rm.service: systemd/creel-rm.service.in Makefile
systemd/creel-nm.service: systemd/creel-nm.service.in Makefile
systemd/creel-rm.service systemd/creel-nm.service:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@sbindir[@]|$(sbindir)|' $(top_srcdir)/$@.in >$@

install-data-hook:
	$(MKDIR_P) $(DESTDIR)$(sysusersdir) $(DESTDIR)$(tmpfilesdir)
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.sysusers $(DESTDIR)$(sysusersdir)/creel.conf
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.tmpfiles $(DESTDIR)$(tmpfilesdir)/creel.conf

uninstall-hook:
	rm -f $(DESTDIR)$(sysusersdir)/creel.conf $(DESTDIR)$(tmpfilesdir)/creel.conf
