#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rest-metrics.sh - /metrics is well formed, and has what contrib/ names (tests/rest/metrics.py)
exec "${srcdir:-$(dirname "$0")/..}/tests/rest/metrics.py" ./tests/rest/cluster
