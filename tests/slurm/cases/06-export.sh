# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# The forms of --export, and what the shell of a script inherits.
. "$CASE"
export GREETING='hello  world' OTHER=other
greet() { echo "greet $*"; }
export -f greet
script show <<'S'
#!/bin/bash
echo "GREETING=${GREETING-unset} OTHER=${OTHER-unset} NEW=${NEW-unset}"
greet you 2>/dev/null || echo "no function"
S
for form in ALL GREETING ALL,NEW=new NEW=new,GREETING OTHER,NEW NEW= ALL,OTHER=changed; do
    submit --export="$form" -o "export-${form//[^A-Za-z]/-}.txt" show; finished "$id"
done
submit -o default.txt show; finished "$id"
NEW=$'two\nlines' submit -o lines.txt show; finished "$id"
SBATCH_EXPORT=NEW=variable submit -o variable.txt show; finished "$id"
