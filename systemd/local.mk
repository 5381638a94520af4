# SPDX-License-Identifier: Apache-2.0
dist_systemdsystemunit_DATA = systemd/creel-rm.service systemd/creel-nm.service
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
EXTRA_DIST += systemd/creel.sysusers systemd/creel.tmpfiles

install-data-hook:
	$(MKDIR_P) $(DESTDIR)$(sysusersdir) $(DESTDIR)$(tmpfilesdir)
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.sysusers $(DESTDIR)$(sysusersdir)/creel.conf
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.tmpfiles $(DESTDIR)$(tmpfilesdir)/creel.conf

uninstall-hook:
	rm -f $(DESTDIR)$(sysusersdir)/creel.conf $(DESTDIR)$(tmpfilesdir)/creel.conf
