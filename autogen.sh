#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# autogen.sh - make configure and Makefile.in from configure.ac and Makefile.am
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake libtoolize pkg-config; do
    command -v "$tool" >/dev/null || {
        echo "autogen.sh: $tool is missing: apt-get install autoconf automake libtool pkg-config" >&2
        exit 1
    }
done
tests/make-programs >tests/programs.mk
exec autoreconf --install --force
