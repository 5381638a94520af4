# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Files of output: the default name, patterns, one file for both streams.
. "$CASE"
script hello <<'S'
#!/bin/bash
echo out
echo error >&2
S
submit hello; finished "$id"
submit -J name -o '%x-%j.%u.out' -e '%x-%j.err' hello; finished "$id"
submit -o both.txt -e both.txt hello; finished "$id"
submit -o 'batch-%J-%N-%n-%t-%s-%%-%5j.txt' hello; finished "$id"
submit -e only.err hello; finished "$id"
submit -o /dev/null hello; finished "$id"
submit -o no/such/directory/out hello; finished "$id"; exit_code "$id"
