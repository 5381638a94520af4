#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rest.sh - check that replies of creel's REST interface have the structure of YARN's (tests/rest/replay.py)
exec "${srcdir:-$(dirname "$0")/..}/tests/rest/replay.py" ./tests/rest/cluster
