#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# conformance.sh - the cases that hold, from `make check`: TAP; more folders as arguments
folders=${*:-preemption fair-shares fifo capacity fair differs}
cases=${srcdir:-.}/tests/conformance
set --
for folder in $folders; do set -- "$@" "$cases/$folder"; done
exec "${BUILD:-.}/creel-sim" check "$@"
