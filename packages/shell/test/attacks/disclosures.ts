// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are shell's

/**
 * Attacks that read what the rules keep back: a file that is denied, one outside, the variables of a process. The
 * options are written down here once more, from the manuals, so that a table that forgets one is found out.
 */
const DENIED = ".env"
const OUTSIDE = "../outside.txt"
const PROCESS = "/proc/1/environ"
const FILES = [DENIED, OUTSIDE, PROCESS, "secrets/key"]

/** Options that name a file. `O` stands for the option with its value; letters after the bar may stand before it. */
const OPTIONS = `
xargs O cat | -a --arg-file | 0r
xargs -t O | -a --arg-file | 0
date O | -f -r --file --reference | u
sort O a | -T --files0-from --random-source --temporary-directory | n
sort -R O a | --random-source |
shuf O a | --random-source | z
du O | -X --files0-from --exclude-from | sh
wc O | --files0-from | l
grep O a | -f --file --exclude-from | ni
grep -r x src O | --exclude-from |
egrep O a | -f --file | c
rg O | -f --file --ignore-file | n
rg x src O | --ignore-file |
diff O a | --from-file --to-file -X --exclude-from | u
tree O | --fromfile --gitfile --infofile | a
file O | -f -m --files-from --magic-file | b
base64 O | -i --input |
fd O x | --search-path --base-directory -C --ignore-file | H
jq O . data.json | -f -L --from-file | r
jq -n O '$x' | --slurpfile:x --rawfile:x --argfile:x |
tar O -tf x.tar | -T -X --files-from --exclude-from | v
awk O a | -f -i -l -E --file --include --exec |
gawk O a | -f -i -l -E --file --include --load --exec |
sed O a | -f --file | n
hexdump O a | -f --format-file | C
realpath O a | --relative-to --relative-base | e
pgrep O | -F --pidfile | l
lsblk O | --sysroot | a
lscpu O | -s --sysroot | e
find O -print | -files0-from |
find . O | -newer -anewer -cnewer -samefile -neweraa -newerBm -newercc -newermm |
git blame O a | -S --contents --ignore-revs-file | s
git ls-files -o O | -X --exclude-from |
git grep O | -f | n
git diff O | -O |
git status O | --pathspec-from-file |
git check-ignore O | --stdin-paths |
ls O | -I -w -T | l
column O | -n | t
tail O | -b | q
fmt O | -p | u
md5sum O | -c --check | b
sha256sum O | -c --check |
b2sum O | -c --check |
cksum O | -c --check |
zcat O | -S --suffix | r
env O ls | -C --chdir | v
stat O | -f | L
whereis O ls | -B -M -S |
bash O | --rcfile --init-file |
unzip O | -l -p -c |
cat O | -A -n
users O | -x
who O | -a -u | b
`
  .trim()
  .split("\n")

const optionFiles = OPTIONS.flatMap((line) => {
  const [command = "", options = "", letters = ""] = line.split("|").map((part) => part.trim())
  return options.split(" ").flatMap((written) => {
    const [option = "", name] = written.split(":")
    const forms = name === undefined ? formsOf(option, letters) : [`${option} ${name} FILE`]
    return forms.flatMap((form) => FILES.map((file) => command.replace("O", form.replace("FILE", file))))
  })
})

/** Separate, attached, with `=`, abbreviated, and after other letters. */
function formsOf(option: string, letters: string): readonly string[] {
  if (option.startsWith("--"))
    return [
      `${option} FILE`,
      `${option}=FILE`,
      ...[1, 3].map((less) => `${option.slice(0, -less)}=FILE`),
      `${option.slice(0, -1)} FILE`,
    ]
  // Options of find are words, and take no value in the same word.
  if (option.length > 2) return [`${option} FILE`]
  const letter = option.slice(1)
  const clustered = letters === "" ? [] : [`-${letters}${letter} FILE`, `-${letters}${letter}FILE`]
  return [`${option} FILE`, `${option}FILE`, ...clustered, `${option} - ${option} FILE`]
}

/** Ways to a file that no word of the command names as an operand. */
const routes = FILES.flatMap((file) => [
  `echo ${file} | xargs cat`,
  `echo ${file} | xargs -I{} cat {}`,
  `echo ${file} | xargs -n1 head`,
  `xargs cat <<< ${file}`,
  `xargs cat < ${file}`,
  `cat < ${file}`,
  `read x < ${file}; echo "$x"`,
  `while read x; do echo "$x"; done < ${file}`,
  `x=$(<${file}); echo "$x"`,
  `[ -s ${file} ] && echo yes`,
  `[[ -s ${file} ]] && echo yes`,
  `[[ a -nt ${file} ]] && echo yes`,
  `[[ ! ( -r ${file} ) ]] || echo yes`,
  `test -s ${file} && echo yes`,
  `test a -ef ${file}`,
  `x=${file}; [ -s "$x" ] && echo yes`,
  `x=${file}; cat $x`,
  `for x in a ${file}; do head -c 9 "$x"; done`,
  `n='1 ${file}'; head -n $n a`,
  `n='1 ${file}'; tail -n $n a`,
  `n='9 ${file}'; cut -c $n a`,
  `head a -n ${file}`,
  `cat a -- ${file}`,
  `paste -d , a ${file}`,
  `join a ${file}`,
  `comm a ${file}`,
  `cat {a,${file}}`,
  `tac -s x ${file}`,
  `od -c -- ${file}`,
  `timeout 5 cat ${file}`,
  `nice -n 5 cat ${file}`,
  `stdbuf -o0 cat ${file}`,
  `env LANG=C cat ${file}`,
  `command cat ${file}`,
  `bash -c 'cat ${file}'`,
  `awk 'BEGIN{SYMTAB["ARG" "V"][1]="${file}";SYMTAB["AR" "GC"]=2} 1'`,
  `awk 'BEGIN{PROCINFO["x"]="${file}"} 1' a`,
  `gawk '@include "${file}"' a`,
  `gawk '@load "${file}"' a`,
  `gawk 'BEGIN{f="get" "line";@f("${file}")}'`,
  `awk '{print $1}' ${file}`,
  `awk -v x=1 1 ${file}`,
  `sed 'r ${file}' a`,
  `sed 'R ${file}' a`,
  `jq -R . ${file}`,
  `jq -n 'import "${file}" as $x; $x'`,
  `strings @${file}`,
  `strings -- @${file}`,
  `strings -n @${file}`,
  `git diff --no-index a ${file}`,
  `git diff /dev/null ${file}`,
])

const PROC = [
  "/proc/self/environ",
  "/proc/self/cwd/a",
  "/proc/self/cwd/../outside.txt",
  "/proc/self/root/etc/passwd",
  "/proc/self/fd/0",
  "/proc/self/mem",
  "/proc/thread-self/environ",
  "/proc/../proc/1/environ",
  "/proc/./1/./environ",
  "//proc/1/environ",
  "/proc/$PPID/environ",
  "/proc/*/environ",
  "/pro*/1/environ",
  "/pro?/1/environ",
  "/[p]roc/1/environ",
  "/{proc,x}/1/environ",
  "{/proc/1,a}/environ",
  "/p{ro,x}c/1/environ",
  "/proc/{1,self}/environ",
  "/sys/kernel/notes",
  "/dev/fd/../self/environ",
  "/dev/../proc/1/environ",
  "/dev/shm/../mem",
  "to-self/environ",
  "to-self/cwd/a",
  "to-cwd/a",
  "to-cwd/secrets/key",
  "to-environ",
  "to-e*",
]

/** What the kernel tells of processes, however it is reached. */
const processes = [
  ...PROC.flatMap((file) => [
    `cat ${file}`,
    `cat < ${file}`,
    `xargs -0 -a ${file}`,
    `grep -f ${file} a`,
    `head -c 99 ${file}`,
    `date -f ${file}`,
    `timeout 5 base64 ${file}`,
  ]),
  "cd /proc/1 && cat environ",
  "cd /proc/self && cat environ",
  "cd /proc/self/cwd/secrets && cat key",
  "cd /proc; cat 1/environ",
  "cd /pro?/1 && cat environ",
  "pushd /proc/1; cat environ",
  "cd to-self && cat environ",
  "cd secrets && cat ../to-cwd/key",
  "cd secrets && cat /proc/self/cwd/key",
  "cd src && git -C /proc/self/cwd status",
  "git -C /proc/self/cwd log -p",
  "git -C to-cwd status",
  "find /proc/1 -name environ",
  "find . -newer /proc/1/environ",
  "[ -s /proc/*/environ ]",
  "[ -s /pro?/1/environ ]",
  '[ -s "/proc/$x/environ" ]',
  "[[ -s /proc/self/cwd/a ]]",
  "[ -s to-environ ]",
  "test -s /pro*/1/environ",
  "find to-self/ -name environ",
  "find -L . -name environ",
  "ls to-self/",
  "ls /proc/1/fd",
  "readlink /proc/1/cwd",
  "realpath /proc/self/cwd/..",
  "stat /proc/1/environ",
  "wc -c /proc/1/environ",
  "file -m /proc/1/environ a",
  "du -L to-self",
]

/** Names that a program would look up, in the network or elsewhere: what is in a name leaves by DNS. */
const lookups = [
  ...["--lookup", "-a --lookup", "--look", "--loo a", "-u --lookup", "--lookup am i"].map(
    (rest) => `who ${rest}`,
  ),
  ...[
    "-f",
    "-i",
    "-I",
    "-d",
    "-A",
    "-a",
    "-y",
    "--fqdn",
    "--long",
    "--ip-address",
    "--domain",
    "--all-fqdns",
    "--all-ip-addresses",
    "--fq",
    "-F a",
    "x",
  ].map((rest) => `hostname ${rest}`),
  ...["-r", "-tr", "--resolve", "-tp"].map((rest) => `ss ${rest}`),
  ...[
    "netstat",
    "netstat -r",
    "arp",
    "arp -a",
    "finger x@localhost",
    "last -d",
    "last",
    "w",
    "w -i",
    "host x",
  ],
  ...["hosts x", "ahosts x", "ahostsv4 x", "networks x", "services x"].map((rest) => `getent ${rest}`),
  ...["ping x", "nslookup x", "dig x", "whois x", "resolvectl query x", "dnsdomainname", "domainname"],
  ...[
    "tar tf host.invalid:x",
    "tar -tf x:y",
    "rsync host.invalid:",
    "git ls-remote",
    "git remote show origin",
  ],
]

/** Options that write, run or change the environment, under other names and in other versions. */
const others = [
  ...[
    "-o out a",
    "-oout a",
    "a -o out",
    "-do out a",
    "-i a -o out",
    "-Do out a",
    "--output=out a",
    "--output out a",
    "--outp=out a",
  ].map((rest) => `base64 ${rest}`),
  ...["-o out a", "-oout a", "-ro out a", "--output=out a", "-e -o out a"].map((rest) => `shuf ${rest}`),
  ...[
    "-S 'cat .env'",
    "-Scat .env",
    "-C secrets cat key",
    "-Csecrets cat key",
    "--chdir=secrets cat key",
    "--chdir secrets cat key",
    "--ch=secrets cat key",
    "-u LANG ls",
    "-i ls",
    "- ls",
    "--unset=LANG git status",
    "--ignore-environment git status",
    "--split-string='cat .env'",
    "--block-signal ls",
    "-vS 'cat .env'",
  ].map((rest) => `env ${rest}`),
  ...["--adj=5 ls", "-x ls", "--foo ls", "-n$x ls"].map((rest) => `nice ${rest}`),
  ...["--fore 5 ls", "-x 5 ls", "-k $x 5 ls", "$x ls", "--sig=KILL 5 ls"].map((rest) => `timeout ${rest}`),
  ...["-x ls", "--out=0 ls", "-o $x ls", "-o0"].map((rest) => `stdbuf ${rest} frobnicate`),
  ...[
    "-p cat",
    "-E x cat",
    "-e cat",
    "-i cat",
    "-l cat",
    "-J % cat %",
    "-o cat",
    "-S 9 cat",
    "--arg=a cat",
    "--process-slot-var=x ls",
    "--open-tty cat",
    "--interactive cat",
  ].map((rest) => `echo a | xargs ${rest}`),
  ...[
    "-C secrets log",
    "-C ../ log --name-only",
    "-C .. status",
    "-C / log",
    "-C src -C ../.. ls-files",
    "-C /etc log",
    "-C ~ status",
  ]
    .map((rest) => `git ${rest}`)
    .slice(1),
  ...[
    "sort -T . a",
    "sort --compress-prog=./run a",
    "diff -l a b",
    "diff --paginate a b",
    "diff --pag a b",
    "rg -z x",
    "rg --pre=./run x",
    "rg --pre-g x y z --pre ./run",
    "file -z a",
    "file -C",
    "tree -R",
    "tree -ao out",
  ],
]

/** A folder may bring files along whose names are options. \`HOSTILE_NAMES\` are in it. */
export const HOSTILE_NAMES = ["--files0-from=list", "-f.env", "@list", "-a"] as const
const completed = [
  "wc *",
  "wc -l *",
  "du *",
  "du -a *",
  "grep x *",
  "egrep one *",
  "strings *",
  "wc -- a; wc *",
  'for f in *; do wc "$f"; done',
  'for f in *; do grep x "$f"; done',
  "wc -l {--files0-from=list,a}",
  "wc {@list,-l}",
  "grep {-f.env,x} a",
  "wc ?-files0*",
  "wc -*",
  "wc -{-files0-from=list,l}",
  "wc --files0-{from=list,x}",
  "wc {,x}--files0-from=list",
  "wc {a,{b,--files0-from=list}}",
  "wc [-]*",
]

/** Variables that the environment brings along. \`ENVIRONMENT\` is set when these are judged. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CDPATH: "/etc",
  SOTTO_TEST_FILE: "/etc/passwd",
}
const inherited = [
  "cd ssl && ls",
  "cd ssl && cat openssl.cnf",
  "cd secrets; cat *",
  "pushd ssl; ls",
  "cd -P ssl && ls",
  "cd -- ssl && ls",
  "(cd ssl && ls)",
  'cat "$SOTTO_TEST_FILE"; SOTTO_TEST_FILE=a',
  "cat $SOTTO_TEST_FILE; SOTTO_TEST_FILE=a",
  "for SOTTO_TEST_FILE in; do :; done; cat $SOTTO_TEST_FILE",
]

/** Where the script goes is not known, and it lists what is there. */
const lost = [
  'cd "$x" && ls',
  "cd $x; ls",
  "cd -; ls",
  "cd; ls",
  "cd ~; ls",
  "popd; ls",
  "cd $(echo /etc) && ls -R",
  'cd "${x:-/etc}"; find . -name a',
  "pushd; ls",
  "while cd ..; do ls; done",
]

const unique = (scripts: readonly string[]) => [...new Set(scripts)]

/** Scripts that must not run unasked, by the route on which they would read. */
export const DISCLOSURES: Readonly<Record<string, readonly string[]>> = {
  "options that name files": unique(optionFiles),
  "other routes to files": unique(routes),
  "files of processes": unique(processes),
  "names that are looked up": unique(lookups),
  "options of other versions": unique(others),
  "files named like options": unique(completed),
  "variables of the environment": unique(inherited),
  "folders that are not known": unique(lost),
}
