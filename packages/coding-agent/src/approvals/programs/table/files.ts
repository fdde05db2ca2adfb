/** Builtins of the shell, programs that read and print, and programs that work on files. */
export const files = `
true false : test [ [[ exit return set shopt unset wait sleep type hash umask ulimit shift break continue let jobs disown fg bg
    dirs getopts
    times caller suspend logout unalias = prints nothing
cd pushd = enters
popd = leaves
read mapfile readarray (a d i n N p t u O s c C) = sets
export local declare typeset readonly = declares
alias = aliases
trap = scripts 1, prints nothing
echo = echoes
printf = formats
cat bat batcat zcat bzcat xzcat zless (n H p r l) = reads, printsFiles
egrep fgrep head tail tac nl column (n c k t d f s w) = reads, prints lines
cut tr base64 base32 jq rev fold fmt paste join comm expand unexpand pr look hexdump od strings gron jless = prints changed
pgrep pidof ps lsof = prints processes
date whoami nproc id uname seq wc expr uptime cksum md5sum md5 sha1sum sha224sum sha256sum sha512sum shasum b2sum tty sum bc
    = prints 0
pwd = printsFolder
dirname basename = printsPart
ls dir vdir exa eza lsd (I w T) = names
grep rg ack ag zgrep ugrep (e f m A B C g t T include exclude exclude-dir regexp file glob type max-count pre pre-glob)
    = reads, prints lines, scripts --pre
  names 2..: -l|-L|--files-with-matches|--files-without-match
  names: --files
mktemp (p tmpdir suffix t) = makesTemporary
tree (o L P I) = reads, writes -o
stat file du df free which whereis realpath readlink diff cmp colordiff sdiff diff3 cloc tokei scc printenv locale tput cal getent
    getconf groups users who w last apropos whatis factor numfmt yes nm objdump readelf ldd otool size pstree vmstat iostat lscpu
    lsblk
    lsusb lspci lsmod blkid ss netstat top htop history clear reset sw_vers system_profiler glances sensors identify ffprobe xmllint
    iconv = read
  unknown: -K|--kill|-o|--output|--output-file|--html|--filter-cmd
man info help (P pager H html) = scripts -P|--pager|-H|--html
less more most (p P o O k x) = edits
  unknown: -o|-O|--log-file
vi vim nvim view ex vimdiff (c cmd S) = edits, unknown
rm unlink trash = deletes
shred srm wipe rimraf del-cli (n iterations s size random-source) = destroys
rmdir dos2unix unix2dos = writes
touch mkdir mkfifo truncate (m mode d date r reference t s size o) = writes
mknod (m mode) = writes 1
mv (t target-directory S suffix) = writes, writes -t|--target-directory, moves -t|--target-directory
cp ditto (S suffix t target-directory) = copies -t|--target-directory
install (S suffix m mode o owner g group t target-directory) = copies -t|--target-directory
  writes: -d|--directory
ln (t target-directory S suffix) = links -t|--target-directory
split csplit (filter) = writes ., scripts --filter
rename prename = writes 2..
  only read: -n|--nono|--dry-run
chmod chown chgrp setfacl chattr (reference from m M x X s g n set modify remove restore) = writes
  permissions: -R|--recursive, {}
tee = saves
sed gsed (e expression f file l line-length) = sedScript, prints changed
dd = copiesBlocks, prints changed
sort (k t T S parallel o output compress-program) = writes -o|--output, reads, scripts --compress-program, prints changed
uniq (f s w) = reads 1, writes 2, prints changed
xxd (s l c g o) = reads 1, writes 2, prints changed
patch (d directory o output i input p strip r) = writes ., writes 1, writes -d|--directory|-o|--output
  only read: --dry-run
tar gtar bsdtar (f file C directory b T X I use-compress-program to-command checkpoint-action exclude strip-components transform)
    + dashes, scripts -I|--use-compress-program|--to-command|--checkpoint-action
  unpacks -C|--directory: -x|--extract|--get
  only prints changed: -O|--to-stdout
  destroys .: --recursive-unlink
  writes /: -P|--absolute-names
  writes -f|--file: -c|--create|-r|--append|-u|--update|-A
  destroys: --remove-files
  reads -f|--file: -t|--list
unzip (d x P) = unpacks -d
  only reads 1: -l|-t|-p|-Z|-v
zip (x i n b t P unzip-command) = writes 1
  destroys 2..: -m|--move
  scripts --unzip-command: --unzip-command
7z 7za 7zz (o) = unpacks -o
  only read: l|t
gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 brotli pigz (S suffix T threads) = writes, prints changed
  only prints changed: -c|--stdout|--to-stdout|-l|--list|-t|--test
rsync scp (e rsh rsync-path f filter exclude include exclude-from include-from files-from P F i l o S c port B T)
    = transfers, scripts -e|--rsh|--rsync-path|-S, proxies -o
  only read: -n|--dry-run
  destroys last: --del*
  destroys init: --remove-source-files
yq (o output-format p input-format) = read
  writes 2..: -i|--inplace|--in-place
shfmt clang-format gofmt goimports (ln style) = reads
  writes: -w|-i
rustfmt = writes
  only read: --check
convert magick ffmpeg (i c f t ss) = writes last
`;
