import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { gitPointer } from "./git-pointer.js"
import { follow } from "./location.js"

/**
 * Settings of a repository that run nothing, or that GIT_ENVIRONMENT overrides. Everything else might name a program:
 * filters, text converters, diff drivers, included files, whatever a later git invents.
 */
const harmless =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|hookspath|fsmonitor|untrackedcache|splitindex|sharedrepository|sparsecheckout|sparsecheckoutcone|longpaths|abbrev|pager|editor|preloadindex|protecthfs|protectntfs|compression|commentchar|whitespace|trustctime|checkstat|multipackindex|commitgraph)|remote\..*\.(url|pushurl|fetch|push|mirror|prune|tagopt|skipfetchall|gh-resolved)|branch\..*|branch\.\w+|user\.(name|email|signingkey|useconfigonly)|author\..*|committer\..*|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|writecommitgraph)|init\.defaultbranch|merge\.(conflictstyle|ff|renames|renamelimit)|rebase\.(autostash|autosquash|updaterefs)|rerere\..*|color\..*|column\..*|commit\.(gpgsign|template|verbose)|tag\.(gpgsign|sort)|advice\..*|help\.autocorrect|gc\..*|maintenance\..*|pack\..*|index\.(version|threads|sparse|recordendofindexentries|recordoffsettable)|feature\..*|extensions\.(worktreeconfig|noop)|gui\..*|gitg\..*|lfs\.(repositoryformatversion|.*\.access|.*\.locksverify|locksverify|fetchexclude|fetchinclude)|log\.(date|decorate|abbrevcommit|follow|mailmap)|diff\.(algorithm|colormoved|colormovedws|context|interhunkcontext|mnemonicprefix|noprefix|renames|renamelimit|statgraphwidth|wserrorhighlight|indentheuristic|ignoresubmodules|submodule)|status\..*|blame\.(coloring|blankboundary|showroot|showemail|date)|grep\.(linenumber|column|patterntype|extendedregexp|fullname|threads)|submodule\.(active|.*\.(url|active|branch|update)|fetchjobs)|svn-remote\..*|credential\.(usehttppath|username)|vscode-merge-base|github-pr-.*|transfer\..*|receive\.(denycurrentbranch|denynonfastforwards)|versionsort\..*|stash\..*|worktree\..*|http\.postbuffer)$/

/** Says why git might run a program that a repository names, in any repository that contains one of the folders. */
export function doubtOfRepository(folders: readonly string[]): string | undefined {
  try {
    for (const folder of folders) {
      // Git goes upwards from where the links lead.
      const doubt = doubtOfFolder(follow(folder, "/"))
      if (doubt !== undefined) return doubt
    }
    return undefined
  } catch (error) {
    return `the repository could not be looked at: ${error instanceof Error ? error.message : String(error)}`
  }
}

function doubtOfFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = gitFolder(join(folder, ".git"))
    if (found !== undefined) return doubtOfGitFolder(found) ?? doubtOfSubmodules(folder, found)
    // A repository without a working tree is refused by `safe.bareRepository`, and there is nothing else to find.
    if (dirname(folder) === folder) return undefined
  }
}

/** Finds where a `.git` leads: a folder, or a file that names one. Throws where git might read the file otherwise. */
function gitFolder(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isDirectory()) return path
  const target = gitPointer(textOf(path) ?? "")
  if (target === undefined) throw new Error(`${path} does not name one folder`)
  return follow(target, dirname(path))
}

function doubtOfGitFolder(folder: string, isSubmodule = false): string | undefined {
  const common = textOf(join(folder, "commondir"))
  const named = common === undefined ? "." : /^([^\n\r\0]+)\n?$/.exec(common)?.[1]
  if (named === undefined) return `${join(folder, "commondir")} does not name one folder`
  const shared = follow(named, folder)
  if (!isRepository(folder, shared)) return `${folder} is not whole, and git would go on to look above it`
  for (const path of [join(shared, "config"), join(folder, "config.worktree")]) {
    const text = textOf(path)
    if (text === undefined) continue
    for (const name of settingsIn(text)) {
      const fine = name !== undefined && (harmless.test(name) || (isSubmodule && name === "core.worktree"))
      if (!fine) return `${path} sets ${name ?? "something that is hard to read"}`
    }
  }
  return undefined
}

/** True for what git takes for a repository. Git passes over any other `.git`. */
function isRepository(folder: string, shared: string): boolean {
  const head = /^(ref:[ \t]*refs\/[^\n]+|[\da-f]{40})\n?$/.test(textOf(join(folder, "HEAD")) ?? "")
  return head && isFolder(join(shared, "objects")) && isFolder(join(shared, "refs"))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Looks also at a repository inside this one that is a part of it: `git status` looks into it. */
function doubtOfSubmodules(root: string, folder: string): string | undefined {
  const index = bytesOf(join(folder, "index"))
  const paths = index === undefined ? [] : submodulesIn(index)
  if (paths === undefined) return "the index could not be read"
  for (const path of paths) {
    const inner = gitFolder(join(root, path, ".git"))
    const doubt =
      inner === undefined
        ? undefined
        : (doubtOfGitFolder(inner, true) ?? doubtOfSubmodules(join(root, path), inner))
    if (doubt !== undefined) return doubt
  }
  return undefined
}

const submoduleMode = 0o160000
/** What an entry gives as the length of its name, where the name is as long or longer. */
const longName = 0xfff
const checksumLength = 20

/** Paths in an index that are other repositories. Undefined for an index that is made otherwise. */
function submodulesIn(index: Buffer): readonly string[] | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  const found: string[] = []
  let at = 12
  let before = ""
  for (let entry = 0; entry < count; entry++) {
    if (at + 62 > index.length) return undefined
    const mode = index.readUInt32BE(at + 24)
    const extended = version >= 3 && (index.readUInt16BE(at + 60) & 0x4000) !== 0
    let from = at + 62 + (extended ? 2 : 0)
    const length = index.readUInt16BE(at + 60) & longName
    if (version === 4) {
      let [strip, byte] = [0, index[from++] ?? 0]
      strip = byte & 0x7f
      while (byte & 0x80) {
        byte = index[from++] ?? 0
        strip = ((strip + 1) << 7) | (byte & 0x7f)
      }
      const end = index.indexOf(0, from)
      if (end < 0) return undefined
      before = before.slice(0, before.length - strip) + index.toString("latin1", from, end)
      at = end + 1
      if (length !== Math.min(before.length, longName)) return undefined
    } else if (version === 2 || version === 3) {
      const end = index.indexOf(0, from)
      if (end < 0 || length !== Math.min(end - from, longName)) return undefined
      if (mode === submoduleMode) before = index.toString("latin1", from, end)
      at += Math.ceil((end + 1 - at) / 8) * 8
    } else return undefined
    if (mode === submoduleMode) found.push(Buffer.from(before, "latin1").toString("utf8"))
  }
  return isComplete(index, at) ? found : undefined
}

/**
 * True if the entries up to `at` are all there are. A split index (`link`) and a sparse one (`sdir`) keep entries
 * elsewhere; a table of offsets (`IEOT`) says where entries are, and git may believe it.
 */
function isComplete(index: Buffer, at: number): boolean {
  const end = index.length - checksumLength
  let next = at
  while (next + 8 <= end) {
    if (/^(link|sdir|IEOT)$/.test(index.toString("latin1", next, next + 4))) return false
    next += 8 + index.readUInt32BE(next + 4)
  }
  return next === end
}

/** Names of settings in lower case, with their section; undefined for a line that is not understood. */
function settingsIn(text: string): readonly (string | undefined)[] {
  let section = ""
  const names: (string | undefined)[] = []
  for (const line of text.split("\n")) {
    const rest = line.trim()
    if (rest === "" || /^[#;]/.test(rest)) continue
    const header = /^\[([\w.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]$/.exec(rest)
    const setting = /^([A-Za-z][\w-]*)\s*(?:=[^\\]*)?$/.exec(rest)?.[1]
    if (header)
      section =
        header[2] === undefined ? (header[1] ?? "").toLowerCase() : `${header[1]?.toLowerCase()}.${header[2]}`
    else names.push(setting === undefined ? undefined : `${section}.${setting.toLowerCase()}`)
  }
  return names
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined
  } catch {
    return undefined // Nothing there, or nothing that git could read either.
  }
}

function textOf(path: string): string | undefined {
  return bytesOf(path)?.toString("utf8")
}
