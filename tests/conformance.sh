#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# conformance.sh - run the folders of cases that pass, for `make check`: TAP. Arguments are further folders
folders=${*:-preemption fair-shares fifo capacity fair differs}
cases=${srcdir:-.}/tests/conformance
set --
for folder in $folders; do set -- "$@" "$cases/$folder"; done
exec "${BUILD:-.}/creel-sim" check "$@"
