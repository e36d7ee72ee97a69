/**
 * Lists the options of programs that only read, in every version that is in use: GNU coreutils 9, util-linux, BusyBox, macOS.
 * `options.ts` says how a table is written. Where one version takes the value of an option for an operand, the value
 * counts as a file. Options that are left out on purpose: those that check files which a file names (`md5sum -c`), and
 * those that look elsewhere for names (`whereis -B`).
 */
const TABLES = `
: words
arch text
b2sum -bt -l: -z -- binary text tag zero length:
base32 -d -i< -w: -- decode ignore-garbage wrap:
base64 -dD -i< -o> -w: -- decode ignore-garbage wrap: input< output> break:
basename text -az -s: -- multiple suffix: zero
break text -#
cal text -#SsmjyYwhVNeC -ABdHMn: -- one three sunday monday julian year week? color? months: twelve
cat -AbeEnstTuvl -- show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting
cksum -al: -z -- algorithm: base64 raw tag untagged length: zero debug
cmp -bclsxzh -in: -- print-bytes print-chars ignore-initial: verbose bytes: quiet silent
column -txdeJLmhV -n< -socNRHEOWTClrip: -- table separator: output-separator: output-width: fillrows json keep-empty-lines table-columns: table-name: table-right: table-hide: table-noextreme: table-order: table-truncate: table-wrap: table-header-repeat table-noheadings table-columns-limit: tree: tree-id: tree-parent:
comm -#iz -- check-order nocheck-order output-delimiter: total zero-terminated
continue text -#
cut -nszw -bcdf: -- bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated
df -abghHiIklmnPTvY -Btx: -- all block-size: human-readable si inodes local no-sync output? portability print-type type: exclude-type: total
dirname text -z -- zero
dirs text -#lpv
du -0abcDghHklLmnPrsSx -dBtI: -X@ -- all apparent-size bytes total count-links dereference dereference-args no-dereference human-readable inodes si one-file-system separate-dirs summarize null max-depth: block-size: threshold: exclude: time? time-style: files0-from@ exclude-from@
echo words
exit text -#
expand -i -# -t: -- initial tabs:
expr words
false words
fmt -cstu -# -p< -wg: -- crown-margin tagged-paragraph split-only uniform-spacing prefix: width: goal:
fold -bcs -# -w: -- bytes characters spaces width:
free none -bkmghtlwLvV -sc: -- bytes kilo mega giga tera peta kibi mebi gibi tebi pebi human si total wide lohi line committed seconds: count:
groups text
head -qvz -# -cn: -- bytes: lines: quiet silent verbose zero-terminated
hexdump -bcCdovxXV -# -ns: -e: -f@ -- canonical one-byte-octal one-byte-char two-bytes-decimal two-bytes-octal two-bytes-hex length: skip: format: format-file@ no-squeezing color?
hostname none -s -fiIdAaby! -F! -- short fqdn! long! ip-address! all-ip-addresses! all-fqdns! domain! alias! nis! yp! file! boot!
id text -agGnruzZpPFA -- context group groups name real user zero
join -iz -ajeotv12: -- check-order nocheck-order header ignore-case zero-terminated
locale text -akcmv -- all-locales charmaps category-name keyword-name verbose
logname text
ls -#aAbBcCdDeEfFgGhHikLlmnNoOpPqQrRsStuUvWxXyZ@,% -ITw< -- all almost-all author escape block-size: ignore-backups color? directory dired classify? file-type format: full-time group-directories-first no-group human-readable si dereference-command-line dereference-command-line-symlink-to-dir dereference hide: hyperlink? indicator-style: inode ignore: kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style: reverse recursive size sort: time: time-style: tabsize: width: context zero
lsblk -abDdfhiJlMmNnOpPrSstTvyzAVH -eEIowxQ: -- all ascii bytes dedup: discard exclude: fs help include: inverse json list list-columns merge nodeps noheadings nvme output: output-all pairs paths perms raw scsi shell sort: sysroot< topology tree? virtio width: zoned
lscpu none -abBCcepJxyr -s< -- all online bytes caches? offline json extended? parse? hex physical sysroot< output-all raw hierarchic?
md5sum -btz -- binary text tag zero
nl -p -bdfhilnsvw: -- body-numbering: section-delimiter: footer-numbering: header-numbering: line-increment: join-blank-lines: number-format: no-renumber number-separator: starting-line-number: number-width:
nproc none -- all ignore:
numfmt text -z -d: -- debug delimiter: field: format: from: from-unit: grouping header? invalid: padding: round: suffix: to: to-unit: unit-separator: zero-terminated
od -aBbcdDefFhHiIlLoOsvxX -AjNtS: -w? -- address-radix: skip-bytes: read-bytes: strings? format: output-duplicates width? traditional endian:
paste -sz -d: -- delimiters: serial zero-terminated
pgrep text -acfilnoqvwxLAV -dgGOPrstuU: -F@ -- list-name list-full count delimiter: full inverse lightweight ignore-case newest oldest older: parent: pgroup: session: terminal: euid: uid: group: exact pidfile@ logpidfile runstates: ns: nslist:
printenv text -0 -- null
pwd text -LPW -- logical physical
readlink -femnqsvz -- canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero
realpath -emLPqsz -- canonicalize canonicalize-existing canonicalize-missing logical physical quiet relative-to< relative-base< strip no-symlinks zero
return text -#
rev -0 -- zero
seq text -#w -fst: -- format: separator: equal-width
sha1sum -btz -- binary text tag zero
sha224sum -btz -- binary text tag zero
sha256sum -btz -- binary text tag zero
sha384sum -btz -- binary text tag zero
sha512sum -btz -- binary text tag zero
shift text -#
shuf -erz -in: -o> -- echo input-range: head-count: output> random-source< repeat zero-terminated
sleep text
sort -bdfghiMnRruVzcCms -kSt: -o> -T! -- ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort numeric-sort month-sort random-sort version-sort reverse unique zero-terminated check? merge stable debug key: field-separator: sort: parallel: buffer-size: batch-size: random-source< files0-from! temporary-directory! output> compress-program>
stat -LfFlnqrstx -c: -- dereference file-system cached: format: printf: terse
strings at-files -afdowVv -# -neTtsU: -- all data print-file-name bytes: radix: include-all-whitespace encoding: output-separator: target: unicode:
sum -rs -- sysv
tac -br -s: -- before regex separator:
tail -fFqvzr -# -cns: -b< -- bytes: lines: follow? retry pid: quiet silent verbose sleep-interval: max-unchanged-stats: zero-terminated
times text
tr text -cCdstu -- complement delete squeeze-repeats truncate-set1
true words
tsort -w
tty text -s -- silent quiet
type text -afpPt
uname text -asnrvmpio -- all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system
unexpand -a -# -t: -- all first-only tabs:
uptime none -psrchV -- pretty since raw container
users
wc -cmlLw -- bytes chars lines words max-line-length total: files0-from@
whereis text -bmsulgh -BMSf!
which text -as -- all skip-dot skip-tilde show-dot show-tilde tty-only
who -abdHlmpqrstTuw -- all boot dead heading login lookup! process count runlevel short time users mesg message writable
whoami text
zcat`

export const tables: Readonly<Record<string, string>> = Object.fromEntries(
  TABLES.trim()
    .split("\n")
    .map((line) => [line.split(" ", 1)[0] ?? "", line.replace(/^\S+/, "")]),
)
