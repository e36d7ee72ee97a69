import type { Word } from "../parse/words.js"
import { type Judgement, type Program, texts, writes } from "./judgement.js"

type Choose = (operands: readonly Word[]) => readonly Word[]

const every: Choose = (operands) => operands
const last: Choose = (operands) => operands.slice(-1)
const butFirst: Choose = (operands) => operands.slice(1)

/**
 * Changes the operands that `choose` picks; `valued` options are followed by a word that does not count as an operand.
 */
function changes(choose: Choose, valued?: RegExp): Program {
  // What is copied or linked can be read where it is afterwards.
  const copies = choose === last
  return (args) => {
    const operands: Word[] = []
    const targets: Word[] = []
    for (const [index, word] of args.entries()) {
      const before = args[index - 1]
      const option = before?.kind === "static" ? before.text : ""
      if (/^(-[a-zA-Z]*t|--target-directory)$/.test(option) && choose === last) targets.push(word)
      else if (word.kind === "static" && word.text.startsWith("--target-directory="))
        targets.push({ ...word, text: word.text.slice("--target-directory=".length) })
      else if (word.kind === "static" && word.text.startsWith("-") && word.text !== "-") continue
      else if (!valued?.test(option)) operands.push(word)
    }
    const changed = targets.length > 0 ? targets : choose(operands)
    const sources = copies ? operands.filter((word) => targets.length > 0 || !changed.includes(word)) : []
    return { effect: "write", targets: changed, reads: sources.map((path) => ({ path, below: true })) }
  }
}

const special: Readonly<Record<string, Program>> = {
  rm: changes(every),
  rmdir: changes(every),
  unlink: changes(every),
  shred: changes(every, /^-[ns]$/),
  mv: (args) => {
    const judgement = changes(every)(args)
    return { ...judgement, reads: (judgement.targets ?? []).map((path) => ({ path, below: true })) }
  },
  cp: changes(last),
  install: changes(last, /^-[mogS]$/),
  ln: changes(last),
  mkdir: changes(every, /^-m$/),
  mkfifo: changes(every, /^-m$/),
  touch: changes(every, /^-[dtr]$/),
  tee: changes(every),
  truncate: changes(every, /^-[sr]$/),
  chmod: changes(butFirst),
  chown: changes(butFirst),
  chgrp: changes(butFirst),
  rsync: changes(last, /^-e$/),
  dd: (args) => ({
    effect: "write",
    targets: args.flatMap((word) =>
      word.kind === "static" && word.text.startsWith("of=") ? [{ ...word, text: word.text.slice(3) }] : [],
    ),
    reads: args.flatMap((word) =>
      word.kind === "static" && word.text.startsWith("if=")
        ? [{ path: { ...word, text: word.text.slice(3) } }]
        : [],
    ),
  }),
}

/** Programs that change something whatever they are given. */
const always = new Set(
  `patch mktemp split csplit zip gzip gunzip bzip2 bunzip2 xz unxz zstd cpio setfacl setfattr chattr mount umount
  mkfs mknod sudo doas su reboot shutdown systemctl apt apt-get dnf yum pacman apk brew snap useradd usermod
  crontab vi vim nano emacs ed ex`
    .trim()
    .split(/\s+/),
)

const subcommands: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: commands(
    "install i in ci add uninstall un remove rm update up upgrade publish link dedupe prune init audit-fix",
  ),
  pnpm: commands("install i add remove rm update up link publish init"),
  yarn: commands("install add remove up upgrade link publish init"),
  bun: commands("install i add remove rm update link publish init"),
  cargo: commands("add remove install uninstall update new init publish fmt fix clean"),
  pip: commands("install uninstall download"),
  pip3: commands("install uninstall download"),
  go: commands("get install mod fmt clean"),
  gem: commands("install uninstall update"),
}

function commands(list: string): ReadonlySet<string> {
  return new Set(list.split(" "))
}

export function writer(name: string, args: readonly Word[]): Judgement | undefined {
  if (Object.hasOwn(special, name)) return special[name]?.(args)
  if (always.has(name)) return writes
  const known = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  const [first] = texts(args.slice(0, 1)) ?? []
  return first !== undefined && known?.has(first) ? writes : undefined
}
