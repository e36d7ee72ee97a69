import { operands, type Program, reads, texts, unknown, unless, writes } from "./judgement.js"
import { awk, sed } from "./scripts.js"

const names = (list: string) => list.trim().split(/\s+/)

/** Programs that no argument makes write or run anything. */
const harmless = names(`
  : [ arch b2sum basename cal cat cksum cmp column comm cut df diff dirname du echo egrep expand
  expr false fgrep fmt fold free getconf getent grep groups head hexdump id join jq locale logname ls lsblk lscpu
  md5sum nl nproc numfmt od paste pgrep printenv ps pwd readlink realpath rev seq sha1sum sha224sum sha256sum
  sha384sum sha512sum sleep stat strings sum tac tail tr true tsort tty type uname unexpand uptime users wc
  whereis which who whoami zcat
  break continue dirs exit return shift times`)

/** Programs asked for their version: nothing else of them is known to be harmless. */
const versioned = names(`
  node npm npx yarn pnpm bun deno cargo rustc rustup go python python2 python3 pip pip3 ruby gem perl php java javac
  gcc g++ clang clang++ cc c++ make cmake ninja gradle mvn dotnet swift tsc docker podman kubectl git bash sh tar
  curl wget sed awk gawk find rg fd jq gh uv poetry bwrap`)

const versionOptions = new Set(["--version", "-V", "-v", "-version"])

const find = unless(/^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/)
const fd = unless(/^-[^-]*[xX]|^--exec/, "unknown")

const special: Readonly<Record<string, Program>> = {
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
  find,
  fd,
  fdfind: fd,
  date: unless(/^-(?![Idrf])[^-]*s|^--s|^\d+(\.\d+)?$/),
  file: unless(/^-[^-]*[CzZ]|^--(com|unc)/, "unknown"),
  hostname: unless(/^[^-]|^-[^-]*[Fb]|^--(f|b)/),
  base32: unless(/^-[^-]*o|^--o/),
  base64: unless(/^-[^-]*o|^--o/),
  printf: ([format]) => (format === undefined ? reads : unless(/^-v/, "unknown")([format])),
  rg: unless(/^--pre($|=)|^--hostname-bin|^--search-zip|^-[^-]*z/, "unknown"),
  sort: unless(/^-[^-]*o|^--o|^--co/),
  test: unless(/^-[vR]$/, "unknown"),
  tree: unless(/^-[^-]*[oR]|^--ou/),
  uniq: operands(1, /^-[fsw]$/),
  xxd: operands(1, /^-[lscgon]$/),
  tar: (args) => {
    const known = texts(args)
    if (known === undefined) return unknown
    const [mode = "", ...rest] = known
    if (!/^-?t[tvfzjJ]*$/.test(mode) && mode !== "--list")
      return /^-?[a-z]*[xcruA]/.test(mode) ? writes : unknown
    // A colon is another machine; an option might run a program.
    return rest.every((text) => /^-[tvfzjJ]+$/.test(text) || !/^-|:/.test(text)) ? reads : unknown
  },
  unzip: (args) => {
    const [mode] = texts(args) ?? []
    if (mode === undefined) return unknown
    return /^-[lvtZ1]+$/.test(mode) ? reads : writes
  },
  go: subcommand(names("version env"), /^-(w|u|toolexec|exec|mod|overlay|modfile|C)/),
  cargo: subcommand(names("version locate-project"), /^--config|^-Z/),
  npm: subcommand(
    names("ls list ll la root prefix query explain why version"),
    /^--(script-shell|node-options|prefix)/,
  ),
}

function subcommand(readOnly: readonly string[], danger: RegExp): Program {
  return (args) => {
    const [name, ...rest] = texts(args) ?? []
    if (name === undefined || !readOnly.includes(name)) return unknown
    if (name === "version" && rest.length > 0) return unknown
    return rest.some((text) => danger.test(text)) ? unknown : reads
  }
}

export function reader(name: string): Program | undefined {
  const program = Object.hasOwn(special, name)
    ? special[name]
    : harmless.includes(name)
      ? () => reads
      : undefined
  if (!versioned.includes(name)) return program
  return (args) => {
    const [only, ...more] = texts(args) ?? []
    if (only !== undefined && more.length === 0 && versionOptions.has(only)) return reads
    return program?.(args) ?? unknown
  }
}
