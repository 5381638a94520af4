# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# --wrap, here-documents, scripts of a pipe, arguments of a script.
. "$CASE"
submit --wrap 'echo "$0" | sed "s,.*/,,"; echo $SLURM_JOB_NAME; for i in 1 2; do echo "two words  $i"; done' -o wrap.txt; finished "$id"
submit -o here.txt <<'S'
#!/bin/bash
#SBATCH -J here
echo "$SLURM_JOB_NAME: $# arguments"
S
finished "$id"
printf '#!/bin/sh\necho "from a pipe: $SLURM_JOB_NAME"\n' >piped
submit -o pipe.txt <piped; finished "$id"
script arguments <<'S'
#!/bin/bash
for word; do echo "<$word>"; done
S
submit -o arguments.txt arguments one 'two words' '' '*' '$HOME' --flag -x; finished "$id"
script python <<'S'
#!/usr/bin/env python3
#SBATCH -o python.txt
import os, sys
print(os.environ["SLURM_JOB_NAME"], sys.argv[1:])
S
submit python a b; finished "$id"
printf 'echo no interpreter\n' >plain
sbatch plain; echo "status $?"
sbatch no-such-file; echo "status $?"
: >empty
sbatch empty; echo "status $?"
