import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { readFileSync, type Stats } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { GIT_ENVIRONMENT } from "@sotto/shell/git"
import { childEnvironment, plainEnvironment, withVariables } from "../../execution/programs/environment.js"
import { findProgram } from "../../execution/programs/find-program.js"
import type { Argv } from "../../execution/programs/launch.js"
import { startPiped } from "../../execution/programs/start.js"
import { helper } from "../../execution/programs/supervise.js"
import { type GitAnswer, GitDialog } from "./git-dialog.js"
import { type IndexedFile, isClean, readGitIndex } from "./git-index.js"
import { statAt } from "./version.js"

/** Attributes with which the bytes in the folder are others than those in the repository. */
const CONVERTS = /\b(filter|ident|working-tree-encoding|eol|crlf|text(?!\s*=\s*auto\b))\b/
const LONGEST_ATTRIBUTES = 1_000_000

/** What git knows of the workspace: which files are ignored, and the bytes of files that were not changed. */
export interface GitFiles {
  /** Gives the object that holds the bytes of a file, if the file is as git has it. `path` is relative to the workspace. */
  objectOf(path: string, found: Stats): string | undefined
  /** True for a file that is in the index, and for a folder of one: git does not ignore it. */
  isTracked(path: string): boolean
  /** Says which of these paths git ignores. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Takes ignore files into account that have changed. */
  forgetIgnored(): void
  /** Reads objects; undefined in the place of one that is not there. */
  objects(names: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>
  close(): void
}

/**
 * Looks for the repository that the workspace is in. Git runs nothing that the repository names, and writes nothing.
 * Undefined outside git, and where there is no git to ask.
 */
export async function findGitFiles(cwd: string): Promise<GitFiles | undefined> {
  const program = findProgram("git", cwd)
  if (program === undefined) return undefined
  const git = (...args: readonly string[]) => run([program, ...args], cwd)
  const found = await git(
    ...["rev-parse", "--show-toplevel", "--show-object-format"],
    ...["--git-path", "index", "--git-path", "info/attributes"],
  )
  const [top = "", format = "", index = "", attributes = ""] = found?.toString().split("\n") ?? []
  if (found === undefined || !top.startsWith("/")) return undefined
  const prefix = relative(top, cwd).split(sep).join("/")
  const inTop = (path: string) => (prefix === "" ? path : `${prefix}/${path}`)
  const indexPath = resolve(cwd, index)
  const written = statAt(indexPath)?.mtimeMs ?? 0
  const bytes = bytesAt(indexPath)
  let files: ReadonlyMap<string, IndexedFile> =
    bytes === undefined ? new Map() : readGitIndex(bytes, format === "sha256" ? 32 : 20)
  const ofAttributes = [...files.keys()]
    .filter((path) => path === ".gitattributes" || path.endsWith("/.gitattributes"))
    .map((path) => join(top, path))
  const config = await git("config", "--get-regexp", "^core\\.(autocrlf|attributesfile)$")
  const isConverted =
    /autocrlf (?!false)/i.test(config?.toString() ?? "") ||
    [...ofAttributes, resolve(cwd, attributes)].some((path) => CONVERTS.test(textAt(path)))
  const tracked = new Set<string>()
  for (const path of files.keys())
    for (
      let end = path.length;
      end > 0 && !tracked.has(path.slice(0, end));
      end = path.lastIndexOf("/", end - 1)
    )
      tracked.add(path.slice(0, end))
  const ignore = new GitDialog(
    () => start([program, "check-ignore", "--stdin", "-z", "--verbose", "--non-matching"], cwd),
    takeVerdict,
  )
  const objects = new GitDialog(() => start([program, "cat-file", "--batch"], cwd), takeObject)
  // Then the bytes in the repository are not those of the folder, and have to be copied.
  if (isConverted) files = new Map()
  return {
    objectOf: (path, stat) => {
      const file = files.get(inTop(path))
      return file !== undefined && isClean(file, stat, written) ? file.object : undefined
    },
    isTracked: (path) => tracked.has(inTop(path)),
    ignored: async (paths) => {
      const answers = await ignore.ask(paths.map((path) => `./${path}\0`))
      return new Set(paths.filter((_, i) => answers[i] === true))
    },
    objects: (names) => objects.ask(names.map((name) => `${name}\n`)),
    forgetIgnored: () => ignore.close(),
    close: () => {
      ignore.close()
      objects.close()
    },
  }
}

/** Cuts one object off what `git cat-file --batch` prints. */
function takeObject(printed: Buffer): GitAnswer<Uint8Array | undefined> | undefined {
  const end = printed.indexOf(10)
  if (end === -1) return undefined
  const [, kind, size = ""] = printed.toString("latin1", 0, end).split(" ")
  if (kind === "missing" || size === "") return { value: undefined, length: end + 1 }
  const length = end + 1 + Number(size) + 1
  if (printed.byteLength < length) return undefined
  return {
    value: kind === "blob" ? Uint8Array.from(printed.subarray(end + 1, length - 1)) : undefined,
    length,
  }
}

/** Cuts the verdict on one path off what `git check-ignore` prints: the file, the line, the pattern, the path. */
function takeVerdict(printed: Buffer): GitAnswer<boolean> | undefined {
  const ends: number[] = []
  for (let at = 0; ends.length < 4; ) {
    const end = printed.indexOf(0, at)
    if (end === -1) return undefined
    ends.push(end)
    at = end + 1
  }
  const [, line = 0, pattern = 0, path = 0] = ends
  const found = printed.toString("utf8", line + 1, pattern)
  return { value: found !== "" && !found.startsWith("!"), length: path + 1 }
}

/** Runs git. Undefined if it fails; finding nothing (code 1) does not count as that. */
async function run(argv: Argv, cwd: string): Promise<Buffer | undefined> {
  const child = await start(argv, cwd)
  const chunks: Buffer[] = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  child.stderr.resume()
  child.stdin.end()
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve)
  })
  return code === 0 || code === 1 ? Buffer.concat(chunks) : undefined
}

async function start(argv: Argv, cwd: string): Promise<ChildProcessWithoutNullStreams> {
  const env = withVariables(plainEnvironment(childEnvironment(process.env)), GIT_ENVIRONMENT)
  return startPiped(await helper(argv, { cwd, env }), { cwd, env })
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function textAt(path: string): string {
  const found = statAt(path)
  return found?.isFile() && found.size <= LONGEST_ATTRIBUTES ? (bytesAt(path)?.toString() ?? "") : ""
}
