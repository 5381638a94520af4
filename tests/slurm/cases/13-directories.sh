# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# --chdir, --input, --open-mode.
. "$CASE"
mkdir elsewhere
echo "of the input" >in.txt
echo before >kept.txt; echo before >cut.txt
submit -D "$PWD/elsewhere" -o out.txt --wrap 'pwd; echo $SLURM_SUBMIT_DIR'; finished "$id"
submit --chdir=elsewhere -o ../relative.txt --wrap 'pwd'; finished "$id"
submit -i in.txt -o input.txt --wrap cat; finished "$id"
submit -o noinput.txt --wrap 'cat; echo $?'; finished "$id"
submit -o kept.txt --open-mode=append --wrap 'echo after'; finished "$id"
submit -o cut.txt --open-mode=truncate --wrap 'echo after'; finished "$id"
submit -o default.txt --wrap 'echo first'; finished "$id"
submit -o default.txt --wrap 'echo second'; finished "$id"
(cd elsewhere && submit --wrap pwd && finished "$id"); finished "$(tail -n 1 "$IDS")"
submit -i no-such-input -o noinput2.txt --wrap cat; finished "$id"; exit_code "$id"
submit -D /no/such/directory -o "$PWD/nodir.txt" --wrap pwd; finished "$id"
