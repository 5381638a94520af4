#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Directories of --file and archives of --archive: packed here, unpacked in the scratch directory of the job.
. "$(dirname "$0")/lib.sh"
mkdir "$T/nobody"
cat >"$T/nobody/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/nobody"
creel keygen user nobody >/dev/null 2>&1
cd "$T" || exit 1
lines_of() { creel run "$@" 2>/dev/null | sed 's/.*] //' | sort | xargs; }

# --- a directory ---------------------------------------------------------------------
mkdir -p "data/a directory/empty"
echo word >"data/a directory/a file"
printf '#!/bin/sh\necho "tool $1 $(cat "a directory/a file")"\n' >data/tool
chmod 0755 data/tool
ln -s "a directory/a file" data/link
touch -d 2001-02-03T04:05:06Z data/tool
is "a directory is there, with its files" word "$(creel run -f data -- cat "data/a directory/a file" 2>/dev/null)"
is "with empty directories" yes "$(creel run -f data -- sh -c '[ -d "data/a directory/empty" ] && echo yes' 2>/dev/null)"
is "and links" "a directory/a file" "$(creel run -f data -- readlink data/link 2>/dev/null)"
is "and times" 981173106 "$(creel run -f data -- stat -c %Y data/tool 2>/dev/null)"
is "and executable bits: a command inside runs there" "tool it word" "$(creel run -f data -- sh -c 'cd data && ./tool it' 2>/dev/null)"
is "a command may be a path into the directory" 0 "$(creel run --quiet -f data -- data/tool >/dev/null 2>&1; echo $?)"
is "it has the name that was given" word "$(creel run -f data/#other -- cat "other/link" 2>/dev/null)"
is "and the archive is gone" "data tmp" "$(creel run -f data -- ls 2>/dev/null | grep -v creel-token | xargs)"
is "each task has it" "word word word" "$(lines_of -N 3 -m 16M -f data -- cat data/link)"
is "and each step of a job" "word word" "$(creel run -m 128M -f data -- creel run --quiet -N 2 -m 16M -- cat data/link 2>/dev/null | sed 's/.*] //' | xargs)"
exits "a step sends no archives of its own" 2 creel run -m 128M -f data -- creel run -a "$T/dev/rm/log#x" -- true
like "and its message has what to do" 'inside a job no more files can be sent' "$OUTPUT"
is "nothing of it counts as left" "" "$(creel run --quiet -f data -- true 2>&1 | grep -i left)"
is "it belongs to the user of the job" "nobody 755" \
    "$(creel --as nobody run -f data -- stat -c '%U %a' data/tool 2>/dev/null)"
first=$(creel submit --dry-run -f data -- true | jq -c '.items[0].files[0]')
is "--dry-run shows it" '{"name":"data","source":"data","unpack":true}' "$(jq -c '{name, source, unpack}' <<<"$first")"
is "the same directory has the same content for the cluster" "$(jq -r .blake2b256 <<<"$first")" \
    "$(creel submit --dry-run -f "$T/data" -- true | jq -r '.items[0].files[0].blake2b256')"
is "and a file is a file" '{"name":"tool","unpack":false}' "$(creel submit --dry-run -f data/tool -- true | jq -c '.items[0].files[0] | {name, unpack}')"

# --- what is not packed --------------------------------------------------------------
mkdir odd
mkfifo odd/pipe
before=$(count app list)
exits "a directory with a FIFO is refused" 1 creel submit -f odd -- true
like "with its name" 'directory odd: pipe is a FIFO; only files, directories and links' "$OUTPUT"
exits "a directory is no archive" 2 creel submit -a data -- true
like "with what to do" 'archive data: is a directory; send it with --file' "$OUTPUT"
exits "an archive that does not exist is refused" 1 creel submit -a gone.tar -- true
is "with its name" "creel: archive gone.tar: No such file or directory" "$OUTPUT"
exits "so is an array in the words of Slurm" 1 creel submit -a 1-10 -- true
like "with what to do" "Slurm's -a, --array is --array here" "$OUTPUT"
exits "a directory needs a name" 2 creel submit -f . -- true
like "with how" 'expected SRC or SRC#NAME' "$OUTPUT"
is "nothing was submitted" "$before" "$(count app list)"

# --- archives ------------------------------------------------------------------------
tar -czf packed.tar.gz -C data .
tar -cf packed.tar -C data .
is "a compressed archive is unpacked, without its suffix" word "$(creel run -a packed.tar.gz -- cat packed/link 2>/dev/null)"
is "under the name that was given" word "$(creel run -a packed.tar#here -- cat here/link 2>/dev/null)"
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("x/y", "zipped\n")' files.zip
is "so is a zip file" zipped "$(creel run -a files.zip -- cat files/x/y 2>/dev/null)"
is "as directories with blanks in their names" word "$(creel run -a packed.tar -- sh -c 'cd "packed/a directory" && cat "a file"' 2>/dev/null)"
is "two of them" "word zipped" "$(creel run -a packed.tar -a files.zip -- sh -c 'cat packed/link files/x/y' 2>/dev/null | xargs)"
exits "two of one name are refused" 2 creel submit -a packed.tar -a packed.tar.gz -- true
like "with what to do" 'both would be named packed; give one another name' "$OUTPUT"

# --- hostile archives: nothing is written outside, the command does not run ----------------------
hostile() {
    python3 - "$1" "$T" <<'P'
import io, sys, tarfile
kind, T = sys.argv[1:]
tar = tarfile.open("hostile.tar", "w")
def add(name, data=b"bad\n", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    tar.addfile(info, io.BytesIO(data))
add("good", b"good\n")
if kind == "up":
    add("../escaped")
elif kind == "absolute":
    add(T + "/out/escaped")
elif kind == "link":
    add("to", b"", type=tarfile.SYMTYPE, linkname=T + "/out")
    add("to/escaped")
elif kind == "hard":
    add("to", b"", type=tarfile.LNKTYPE, linkname=T + "/data/tool")
elif kind == "device":
    add("null", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3)
elif kind == "many":
    for i in range(100001):
        add("a", b"")
tar.close()
if kind == "cut":
    data = open("packed.tar", "rb").read()
    open("hostile.tar", "wb").write(data[:len(data) // 3 // 512 * 512 + 100])
elif kind == "none":
    open("hostile.tar", "wb").write(b"this is no archive\n" * 40)
P
}
refused() { # KIND REGEX
    hostile "$1"
    exits "an archive that is hostile ($1) ends the job" 126 creel run -m 1G -a hostile.tar#bad -- touch "$T/out/ran"
    like "with the reason" "could not be started: archive bad: $2" "$OUTPUT"
}
refused up 'entry "\.\./escaped" has "\.\." in its path'
refused absolute "entry \"$T/out/escaped\" has an absolute path"
refused link 'entry "to/escaped" cannot be written: .*symlink'
refused hard 'entry "to" is a hard link to a file outside of the archive'
refused device 'entry "null" is a device'
refused many 'has more than 100000 entries, the limit'
refused cut 'cannot be read after [0-9]+ entries'
refused none 'cannot be read after 0 entries: Unrecognized archive format'
is "nothing was written outside" "" "$(ls "$T/out")"
id=$(creel submit --id -a hostile.tar#bad -- true)
creel wait "$id" --timeout 60 >/dev/null 2>&1
like "the status has the reason" 'archive bad: cannot be read' "$(creel status "$id")"
is "the node is not avoided for it" 2 "$(creel node list --json | jq '[.items[] | select(.state == "RUNNING")] | length')"
finish
