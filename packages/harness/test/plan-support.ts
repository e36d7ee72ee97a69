import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { linkSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ScriptedCall, ScriptStep } from "@sotto/rehearsal"
import { onTestFinished } from "vitest"
import { type HarnessEvent, OpenQuestions, openConversation, openProjectRuntime } from "../src/index.js"
import { environment, rehearsalFor } from "./models-support.js"

type Input = NonNullable<ScriptedCall["input"]>
export type Attempt = readonly [what: string, name: string, input: Input]

const bash = (what: string, command: string): Attempt => [what, "bash", { command }]

/** Every way to change something that we could think of. `../` of the repository is watched too. */
export const ATTEMPTS: readonly Attempt[] = [
  ["edit", "edit", { path: "a.txt", old: "first", new: "x" }],
  ["write over a file", "write", { path: "a.txt", content: "x" }],
  ["write a new file", "write", { path: "new.txt", content: "x" }],
  ["write into git", "write", { path: ".git/hooks/pre-commit", content: "x" }],
  ["write its own configuration", "write", { path: "sotto.json", content: "{}" }],
  ["write an agent", "write", { path: ".sotto/agents/plan.md", content: "---\npermission: {}\n---\n" }],
  ["write out of the plans", "write", { path: ".sotto/plans/../../new.txt", content: "x" }],
  ["write out of the repository", "write", { path: "../outside/new.txt", content: "x" }],
  ["write over what is outside", "edit", { path: "../outside/b.txt", old: "outside", new: "x" }],
  ["write to an absolute path", "write", { path: "/tmp/sotto-plan-was-here", content: "x" }],
  ["write through a linked file", "write", { path: ".sotto/plans/link.md", content: "x" }],
  ["edit through a linked file", "edit", { path: ".sotto/plans/link.md", old: "first", new: "x" }],
  ["write through a linked folder", "write", { path: ".sotto/plans/folder/new.txt", content: "x" }],
  ["write through a link to nothing", "write", { path: ".sotto/plans/dangling.md", content: "x" }],
  ["read a hard link", "read", { path: ".sotto/plans/hard.md" }],
  ["write through a hard link", "write", { path: ".sotto/plans/hard.md", content: "x" }],
  ["write a name that only looks like a plan", "write", { path: ".sotto/plans-of-mine", content: "x" }],
  bash("redirection", "echo x > a.txt"),
  bash("appending redirection", "echo x >> a.txt"),
  bash("redirection of errors", "ls nothing 2> a.txt"),
  bash("redirection of both", "ls &> a.txt"),
  bash("redirection past noclobber", "echo x >| a.txt"),
  bash("reading and writing redirection", "cat <> new.txt"),
  bash("redirection alone", "> a.txt"),
  bash("redirection to a link", "echo x > .sotto/plans/link.md"),
  bash("redirection by variable", "f=a.txt; echo x > $f"),
  bash("redirection by glob", "echo x > a.tx*"),
  bash("redirection by exec", "exec 3> a.txt; echo x >&3"),
  bash("tee", "echo x | tee a.txt"),
  bash("sed -i", "sed -i s/first/x/ a.txt"),
  bash("sed -i.bak", "sed -n -i.bak p a.txt"),
  bash("sed w", "sed -n 'w new.txt' a.txt"),
  bash("sed e", "sed '1e touch new.txt' a.txt"),
  bash("git commit", "git commit --allow-empty -m x"),
  bash("git commit of everything", "git commit -am x"),
  bash("git add", "git add -A"),
  bash("git checkout", "git checkout -b x"),
  bash("git stash", "git stash"),
  bash("git config", "git config user.name x"),
  bash("git diff --output", "git diff --output=new.txt HEAD"),
  bash("git log --output", "git log --output=new.txt"),
  bash("git with a pager", "git -c core.pager='touch new.txt' -p log"),
  bash("git with an alias", "git -c alias.x='!touch new.txt' x"),
  bash("git with an external diff", "GIT_EXTERNAL_DIFF='touch new.txt' git diff --ext-diff"),
  bash("git with the work elsewhere", "git -C . --work-tree=. checkout HEAD~0 -- a.txt"),
  bash("git grep with a pager", "git grep --open-files-in-pager='touch new.txt' first"),
  bash("git archive", "git archive -o new.tar HEAD"),
  bash("subshell", "(echo x > a.txt)"),
  bash("group", "{ echo x; } > a.txt"),
  bash("list", "ls && touch new.txt"),
  bash("alternative", "false || touch new.txt"),
  bash("negation", "! touch new.txt"),
  bash("condition", "if touch new.txt; then ls; fi"),
  bash("loop", "for f in a.txt; do rm $f; done"),
  bash("loop with redirection", "while read -r l; do echo $l; done < a.txt > new.txt"),
  bash("case", "case x in x) touch new.txt;; esac"),
  bash("pipeline", "ls | xargs touch new.txt"),
  bash("xargs", "echo a.txt | xargs rm"),
  bash("xargs sh", "echo new.txt | xargs -I{} sh -c 'echo x > {}'"),
  bash("find -exec", "find . -name a.txt -exec rm {} \\;"),
  bash("find -execdir", "find . -name a.txt -execdir sh -c 'echo x > a.txt' \\;"),
  bash("find -delete", "find . -name a.txt -delete"),
  bash("find -fprint", "find . -fprint new.txt"),
  bash("command substitution", "echo $(touch new.txt)"),
  bash("backticks", "echo `touch new.txt`"),
  bash("substitution in quotes", 'echo "$(echo x > a.txt)"'),
  bash("substitution in arithmetic", "echo $(( $(touch new.txt; echo 1) + 1 ))"),
  bash("substitution in a default", `echo \${x:-$(touch new.txt)}`),
  bash("prompt expansion", `x='$(touch new.txt)'; echo \${x@P}`),
  bash("arithmetic subscript", "x='a[$(touch new.txt)]'; echo $((x))"),
  bash("heredoc", "cat > new.txt <<END\nx\nEND"),
  bash("heredoc with substitution", "cat <<END\n$(touch new.txt)\nEND"),
  bash("heredoc to a shell", "sh <<END\ntouch new.txt\nEND"),
  bash("herestring to a shell", "bash <<< 'touch new.txt'"),
  bash("pipe to a shell", "echo touch new.txt | sh"),
  bash("process substitution", "ls > >(cat > new.txt)"),
  bash("process substitution of a command", "cat <(touch new.txt)"),
  bash("eval", "eval 'echo x > a.txt'"),
  bash("bash -c", "bash -c 'echo x > a.txt'"),
  bash("sh -c with arguments", "sh -c '\"$@\"' sh touch new.txt"),
  bash("source", "source <(echo touch new.txt)"),
  bash("python -c", 'python3 -c \'open("new.txt", "w")\''),
  bash("node -e", 'node -e \'require("fs").writeFileSync("new.txt", "x")\''),
  bash("perl -pi", "perl -pi -e s/first/x/ a.txt"),
  bash("perl -e", "perl -e 'open F, q(>new.txt)'"),
  bash("awk print", "awk '{ print > \"new.txt\" }' a.txt"),
  bash("awk system", "awk 'BEGIN { system(\"touch new.txt\") }'"),
  bash("sort -o", "sort -o a.txt a.txt"),
  bash("sort with a program", "sort --compress-program='touch new.txt' -S 1 a.txt"),
  bash("uniq", "uniq a.txt new.txt"),
  bash("env", "env touch new.txt"),
  bash("env -S", "env -S 'touch new.txt'"),
  bash("command", "command touch new.txt"),
  bash("builtin", "builtin eval 'touch new.txt'"),
  bash("exec", "exec touch new.txt"),
  bash("nohup", "nohup touch new.txt"),
  bash("timeout", "timeout 5 touch new.txt"),
  bash("a function", "ls() { touch new.txt; }; ls"),
  bash("a function by keyword", "function cat { command touch new.txt; }; cat"),
  bash("an alias", "shopt -s expand_aliases\nalias ls='touch new.txt'\nls"),
  bash("a trap", "trap 'touch new.txt' EXIT"),
  bash("another PATH", "PATH=./bin:$PATH ls"),
  bash("a program of the repository", "./bin/ls"),
  bash("a library before the program", "LD_PRELOAD=./x.so ls"),
  bash("a file for bash to begin with", "BASH_ENV=./bin/ls bash -c :"),
  bash("rg with a program", "rg --pre ./bin/ls first"),
  bash("mkdir", "mkdir -p new"),
  bash("touch", "touch a.txt"),
  bash("chmod", "chmod 777 a.txt"),
  bash("ln", "ln -s /etc new"),
  bash("ln into the plans", "ln -sf ../../a.txt .sotto/plans/mine.md"),
  bash("cp", "cp a.txt new.txt"),
  bash("mv", "mv a.txt new.txt"),
  bash("rm", "rm -rf a.txt .git"),
  bash("dd", "dd if=a.txt of=new.txt"),
  bash("truncate", "truncate -s 0 a.txt"),
  bash("install", "install a.txt new.txt"),
  bash("tar", "tar cf new.tar a.txt"),
  bash("curl", "curl -o new.txt file:///etc/hostname"),
  bash("a test runner", "npm test"),
  bash("outside", "echo x > ../outside/b.txt"),
  bash("outside after cd", "cd ../outside && rm b.txt"),
  ["in the background", "bash", { command: "touch new.txt", background: true }],
  [
    "in the background, unjudged",
    "bash",
    { command: 'python3 -c \'open("new.txt","w")\'', background: true },
  ],
  ["to be let go", "plan_exit", {}],
  ["a tool that is not there", "mcp__files__write", { path: "a.txt" }],
]

/** Reading, and a plan that happens to share its bytes with a file until it is replaced. */
export const HARMLESS: readonly string[] = ["read a hard link", "write through a hard link"]

/** What a subagent tries: the same things, without asking whether it may. */
const OF_CHILDREN: readonly string[] = [
  ...[
    "edit",
    "write over a file",
    "write a new file",
    "redirection",
    "tee",
    "git commit",
    "bash -c",
    "node -e",
  ],
  ...["python -c", "xargs", "find -exec", "in the background", "in the background, unjudged"],
]

export const DELEGATED: readonly Attempt[] = ["general", "explore", "scout"].flatMap((agent): Attempt[] => [
  [`by ${agent}`, "task", { agent, prompt: "Change something." }],
  [`by ${agent} in the background`, "task", { agent, prompt: "Change something.", background: true }],
])

const readFirst: ScriptStep = { calls: [{ name: "read", input: { path: "a.txt" } }] }
const childScript: readonly ScriptStep[] = [
  readFirst,
  ...ATTEMPTS.filter(([what]) => OF_CHILDREN.includes(what)).map(stepOf),
  { text: "I tried." },
]

function stepOf([, name, input]: Attempt): ScriptStep {
  return { calls: [{ name, input }] }
}

/** Rules that would allow everything, were it not for planning. */
const EVERYTHING = { "*": "allow", edit: "allow", bash: "allow", mcp: "allow", outside: "allow" }

/** Planners of the user's own, and where each is defined. */
export const OWN_PLANNERS: Readonly<Record<string, (home: string, cwd: string) => Promise<void>>> = {
  "sotto.json": (home) =>
    writeConfig(home, { designer: { planning: true, permission: EVERYTHING, options: { sandbox: "off" } } }),
  "the built-in plan, loosened": (home) =>
    writeConfig(home, { plan: { permission: EVERYTHING, options: { sandbox: "off" } } }),
  "a Markdown file": async (_, cwd) => {
    await mkdir(join(cwd, ".sotto", "agents"), { recursive: true })
    const rules = Object.entries(EVERYTHING).map(([name, action]) => `  "${name}": ${action}`)
    const text = ["---", "planning: true", "permission:", ...rules, "---", "You design.", ""].join("\n")
    await writeFile(join(cwd, ".sotto", "agents", "designer.md"), text)
  },
}

/** A git repository with something beside it, and a plan agent in it that nobody watches and everybody trusts. */
export async function planner(attempts: readonly Attempt[], own?: keyof typeof OWN_PLANNERS) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "sotto-plan-")))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const cwd = await repository(root)
  const parent = await rehearsalFor({
    script: [
      readFirst,
      { calls: [{ name: "read", input: { path: ".sotto/plans/link.md" } }] },
      ...attempts.map(stepOf),
      PLAN,
      { text: "Done." },
    ],
  })
  const child = await rehearsalFor({ script: childScript })
  const folder = await home()
  if (own !== undefined) await OWN_PLANNERS[own]?.(folder, cwd)
  const env = {
    ...environment(parent.url),
    OPENAI_BASE_URL: `${child.url}/v1`,
    SOTTO_HOME: folder,
    PATH: process.env.PATH,
    HOME: process.env.HOME,
  }
  const events: HarnessEvent[] = []
  const workplace = await openProjectRuntime({ cwd, env, trust: true })
  onTestFinished(() => workplace.close())
  return {
    cwd,
    parent,
    child,
    snapshot: () => snapshotOf(root),
    /** What each attempt was answered. */
    async run(): Promise<ReadonlyMap<string, { readonly output: string; readonly error?: true }>> {
      const questions = new OpenQuestions(
        () => {},
        () => false,
      )
      const emit = (event: HarnessEvent) => void events.push(event)
      const opened = await openConversation({
        workplace,
        questions,
        emit,
        yes: () => true,
        agent: workplace.agents.some(({ name }) => name === "designer") ? "designer" : "plan",
        model: "anthropic/claude-opus-5-5",
      })
      opened.conversation.setAuto(true)
      opened.conversation.say("Change something, however you can.")
      await opened.settled(new AbortController().signal)
      await opened.close()
      const results = events.flatMap((event) => (event.type === "tool-result" ? [event] : []))
      return new Map(
        [...attempts.map(([what]) => what), "the plan"].map((what, i) => {
          const result = results[i + 2]
          if (result === undefined)
            throw new Error(`${what} was not answered: ${JSON.stringify(events.at(-1))}`)
          return [what, result]
        }),
      )
    },
  }
}

const PLAN: ScriptStep = {
  calls: [{ name: "write", input: { path: ".sotto/plans/x.md", content: "The plan.\n" } }],
}

/** Subagents speak another API, so that another rehearsal can play them. */
async function home(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-home-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeConfig(folder, {})
  return folder
}

function writeConfig(folder: string, own: Readonly<Record<string, object>>): Promise<void> {
  const names = ["general", "explore", "scout"]
  const agents = { ...Object.fromEntries(names.map((name) => [name, { model: "openai/gpt-5.6" }])), ...own }
  return writeFile(join(folder, "sotto.json"), JSON.stringify({ agents }))
}

async function repository(root: string): Promise<string> {
  const cwd = join(root, "work")
  await mkdir(join(cwd, ".sotto", "plans"), { recursive: true })
  await mkdir(join(cwd, "bin"))
  await mkdir(join(root, "outside"))
  await writeFile(join(root, "outside", "b.txt"), "outside\n")
  await writeFile(join(cwd, "a.txt"), "first\nsecond\n")
  await writeFile(join(cwd, "bin", "ls"), "#!/bin/sh\ntouch new.txt\n", { mode: 0o755 })
  await writeFile(join(cwd, "package.json"), JSON.stringify({ scripts: { test: "touch new.txt" } }))
  await symlink("../../a.txt", join(cwd, ".sotto", "plans", "link.md"))
  await symlink("../../bin", join(cwd, ".sotto", "plans", "folder"))
  await symlink("../../new.txt", join(cwd, ".sotto", "plans", "dangling.md"))
  linkSync(join(cwd, "a.txt"), join(cwd, ".sotto", "plans", "hard.md"))
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], {
      cwd,
      stdio: "pipe",
    })
  git("init", "-q")
  git("config", "user.name", "T")
  git("config", "user.email", "t@example.org")
  git("add", "a.txt", "bin")
  git("commit", "-q", "-m", "first")
  await writeFile(join(cwd, "staged.txt"), "staged\n")
  git("add", "staged.txt")
  return cwd
}

/** Everything below, with its kind, mode and content: git's HEAD, index and objects are files like any other. */
function snapshotOf(root: string): Readonly<Record<string, string>> {
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).sort()
  return Object.fromEntries(
    found
      .filter((path) => !path.startsWith("work/.sotto/plans/"))
      .map((path) => {
        const full = join(root, path)
        const stat = lstatSync(full)
        const about = `${stat.mode.toString(8)} ${stat.isDirectory() ? "" : stat.ino}`
        if (stat.isSymbolicLink()) return [path, `${about} -> ${readlinkSync(full)}`]
        return [path, stat.isFile() ? `${about} ${digest(readFileSync(full))}` : about]
      }),
  )
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64").slice(0, 12)
}
