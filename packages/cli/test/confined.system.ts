import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findSandbox } from "@sotto/harness"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { attempt, KEY } from "./confined-support.js"
import { type Bench, benchWith } from "./support/sotto.js"

const SECRET = "secret-of-the-user"

beforeAll(async () => {
  if ((await findSandbox()) === undefined)
    throw new Error("bubblewrap is not installed or does not work here.")
})

/** A repository with a commit, and files beside it that are the user's own. */
function project(files: Readonly<Record<string, string>> = {}): Bench {
  const bench = benchWith({ a: "before\n", ...files })
  mkdirSync(bench.home, { recursive: true })
  for (const path of ["notes", ".config/tool/token"]) {
    mkdirSync(join(bench.home, path, ".."), { recursive: true })
    writeFileSync(join(bench.home, path), SECRET)
  }
  writeFileSync(bench.path("../outside"), SECRET)
  git(bench, "init", "-q")
  git(bench, "config", "user.name", "T")
  git(bench, "config", "user.email", "t@example.org")
  git(bench, "add", ".")
  git(bench, "commit", "-qm", "first")
  return bench
}

function git(bench: Bench, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: bench.cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}

describe.concurrent("the provider's key", () => {
  const readings = [
    "xargs -0 -a /proc/$PPID/environ",
    "cat /proc/$PPID/environ /proc/1/environ",
    "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
    "tr '\\0' '\\n' < /proc/$PPID/environ",
    "for p in /proc/[0-9]*; do cat $p/environ; done; env; export -p",
    "perl -e 'for (glob \"/proc/*/environ\") { open F, $_ or next; print <F> }'",
    'node -e \'for (const p of require("fs").readdirSync("/proc")) try { console.log(require("fs").readFileSync("/proc/" + p + "/environ", "latin1")) } catch {}\'',
    "ps eww -A; ps auxe",
    "grep -a canary /proc/*/environ /proc/*/task/*/environ",
    "strings -n 8 /proc/*/mem; gdb -p 1 -batch -ex 'info proc'",
  ]
  it.each(["build", "plan"] as const)("is not there to be read unasked in %s", async (agent) => {
    const { outputs, sent } = await attempt(project(), readings, { agent })
    expect(outputs).toHaveLength(readings.length)
    expect(sent).not.toContain(KEY)
  })

  it.each(["build", "plan"] as const)("is not there to be read with --yes in %s", async (agent) => {
    const { outputs, sent } = await attempt(project(), readings, { agent, yes: true })
    expect(outputs).toHaveLength(readings.length)
    expect(sent).not.toContain(KEY)
  })

  it.each(["build", "plan"] as const)(
    "is not there by the exact name of a file that --yes allows in %s",
    async (agent) => {
      const victim = spawn("sleep", ["600"], { env: { KEY }, stdio: "ignore" })
      onTestFinished(() => void victim.kill())
      const proc = `/proc/${victim.pid}`
      const names = ["environ", "cmdline", "root/etc/hostname", "cwd"].map((name) => `cat ${proc}/${name}`)
      const rule = { permission: { outside: { "/proc/*": "allow" } } }
      for (const config of [{}, rule]) {
        const { sent } = await attempt(project(), [...names, `ls -la ${proc}/fd`], {
          agent,
          yes: true,
          config,
        })
        expect(sent).not.toContain(KEY)
        expect(sent).not.toContain("sleep\\u0000600")
      }
    },
  )

  it("is not there for hooks and servers, nor for what they start", async () => {
    const bench = project()
    const dump = (name: string) =>
      `cat /proc/[0-9]*/environ > ${bench.path(`../${name}`)}; env >> ${bench.path(`../${name}`)}`
    await attempt(bench, ["true"], {
      config: {
        hooks: { session_start: [{ command: dump("hook") }] },
        mcp: { spy: { command: "sh", args: ["-c", dump("mcp")] } },
      },
    })
    for (const name of ["hook", "mcp"])
      expect(execFileSync("cat", [bench.path(`../${name}`)], { encoding: "latin1" }), name).not.toContain(KEY)
  })
})

describe.concurrent("files outside the workspace", () => {
  const paths = ["../home/notes", "../home/.config/tool/token", "../outside"]
  const readings = paths.flatMap((path) => [
    `perl -e 'open F, join("", "${path.slice(0, 5)}", "${path.slice(5)}"); print <F>'`,
    `node -e 'try { console.log(require("fs").readFileSync(["${path.slice(0, 4)}", "${path.slice(4)}"].join(""), "utf8")) } catch (e) { console.log(e.code) }'`,
    `p='${path.slice(0, 6)}'; cat "$p${path.slice(6)}"`,
    `find . -newer ${path} -files0-from ${path}`,
    `sort --files0-from=${path}`,
    `wc --files0-from=${path}`,
    `date -f ${path}`,
    `xargs -a ${path} echo`,
    `for i in 1; do cd ..; done; cat ${path.replace("../", "")}`,
    `for i in 1; do cd ..; cat ${path.replace("../", "")}; done`,
  ])
  it("are out of sight of every command of plan", async () => {
    const { sent } = await attempt(project(), readings, { agent: "plan" })
    expect(sent).not.toContain(SECRET)
  })

  it("are out of sight of what runs unasked in build", async () => {
    const { sent } = await attempt(project(), readings)
    expect(sent).not.toContain(SECRET)
  })

  it("are seen by a command that the user allowed, and where a rule allows them", async () => {
    expect((await attempt(project(), ["cat ../outside"], { yes: true })).sent).toContain(SECRET)
    const bench = project()
    const rule = { permission: { outside: { [bench.path("../outside")]: "allow" } } }
    for (const agent of ["build", "plan"] as const) {
      const { sent, asked } = await attempt(bench, ["cat ../outside"], { agent, config: rule })
      expect([asked, sent.includes(SECRET)]).toEqual([0, true])
    }
  })
})

describe.concurrent('with "sandbox": "workspace", git runs nothing later', () => {
  const ran = "echo ran >> $RAN"
  const setting = `[core]\\n\\tfsmonitor = "touch ../ran; false"\\n`
  const bare = (folder: string) =>
    `mkdir -p ${folder}/objects ${folder}/refs && echo 'ref: refs/heads/main' > ${folder}/HEAD && printf '${setting}' > ${folder}/config`
  it.each([
    ["commondir", `mkdir evil; ${bare("evil")}; echo ../evil > .git/commondir`],
    [
      "a nested repository",
      `mkdir sub; git init -q sub; printf '${setting}' >> sub/.git/config; git add sub`,
    ],
    ["a nested repository as a file", `mkdir sub; ${bare("evil")}; echo 'gitdir: ../evil' > sub/.git`],
    ["a bare repository in a folder", bare("sub")],
    ["a repository by capitals", `mkdir -p sub/.GIT; ${bare("sub/.GIT")}`],
    ["a moved repository", `mv .git old; mkdir .git; ${bare(".git")}`],
    ["a worktree", `mkdir -p .git/worktrees/x; echo .. > .git/worktrees/x/commondir; git worktree add ../x`],
    ["alternates", "mkdir -p .git/objects/info; echo /tmp > .git/objects/info/alternates"],
    ["attributes and a filter", `echo '* filter=x' > .gitattributes; git config filter.x.clean '${ran}'`],
    ["a hook", `echo '${ran}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`],
    ["hooks elsewhere", "mkdir h; git config core.hooksPath h"],
    [
      "a repository in the background",
      `(sleep 0.2; mkdir sub; git init -q sub; printf '${setting}' >> sub/.git/config) & wait`,
    ],
  ])("%s", async (_, command) => {
    const bench = project()
    mkdirSync(bench.path("sub"), { recursive: true })
    await attempt(bench, [command], { yes: true, config: { sandbox: "workspace" } })
    for (const folder of [".", "sub"])
      try {
        execFileSync("git", ["status"], {
          cwd: bench.path(folder),
          env: { ...process.env, RAN: bench.path("../ran") },
          stdio: "ignore",
        })
      } catch {
        // A repository that was taken apart is no repository: git says so and runs nothing.
      }
    expect(existsSync(bench.path("../ran")) || existsSync(bench.path("ran"))).toBe(false)
  })

  it("a repository where there was none", async () => {
    const bench = benchWith({ a: "x\n" })
    mkdirSync(bench.home, { recursive: true })
    const { outputs } = await attempt(bench, [`git init -q; printf '${setting}' >> .git/config`], {
      yes: true,
      config: { sandbox: "workspace" },
    })
    expect(outputs[0]).toContain(".git → .git.made-in-sandbox")
    expect(readdirSync(bench.cwd)).toContain(".git.made-in-sandbox")
    expect(existsSync(bench.path(".git"))).toBe(false)
  })

  it("and a plain commit works, also in a linked worktree", async () => {
    const bench = project()
    const { outputs } = await attempt(
      bench,
      ["echo more >> a", "git add a && git commit -qm second", "git log --format=%s"],
      {
        yes: true,
        config: { sandbox: "workspace" },
      },
    )
    expect(outputs[2]).toBe("second\nfirst")
    git(bench, "worktree", "add", "-q", "../tree")
    const tree: Bench = {
      ...bench,
      cwd: bench.path("../tree"),
      path: (name) => join(bench.path("../tree"), name),
    }
    const { outputs: inTree } = await attempt(
      { ...tree, path: bench.path },
      ["git commit -qm third --allow-empty", "git log -1 --format=%s"],
      { yes: true, config: { sandbox: "workspace" } },
    )
    expect(inTree[1]).toBe("third")
  })
})

describe.concurrent("a command that the sandbox hinders", () => {
  const out = { name: "bash", input: { command: "touch ../home/out", unconfined: true } }

  it("is told so, and leaves it only if somebody says so", async () => {
    const bench = project()
    const { outputs } = await attempt(bench, ["npm run", "touch /usr/in", out], {
      yes: true,
      config: { sandbox: "workspace" },
    })
    expect(outputs[1]).toMatch(/Read-only file system.*unconfined: true: the user is asked/s)
    expect(outputs[2]).toContain("needs permission, and nobody is there to give it")
    expect(existsSync(bench.path("../home/out"))).toBe(false)
    const allowed = { sandbox: "workspace", permission: { unconfined: { "touch *": "allow" } } }
    await attempt(bench, [out], { yes: true, config: allowed })
    expect(existsSync(bench.path("../home/out"))).toBe(true)
  })

  it("never leaves it in plan", async () => {
    const bench = project()
    const { outputs } = await attempt(bench, [out], {
      agent: "plan",
      yes: true,
      config: { permission: { "*": "allow" } },
    })
    expect(outputs[0]).toContain("was not run outside the sandbox")
    expect(existsSync(bench.path("../home/out"))).toBe(false)
  })
})

describe.concurrent("sockets of another network namespace", () => {
  it.each(["read-only", "workspace"])(
    "in the workspace are out of reach of a sandbox that is %s",
    async (reach) => {
      const bench = project()
      const listen =
        'const n = require("net"); n.createServer((s) => { require("fs").appendFileSync("../reached", "x"); s.destroy() }).listen("s.sock", () => console.log("listening"))'
      const server = spawn("unshare", ["-n", process.execPath, "-e", listen], {
        cwd: bench.cwd,
        stdio: ["ignore", "pipe", "inherit"],
      })
      onTestFinished(() => void server.kill())
      await once(server.stdout, "data")
      const connect = `node -e 'require("net").connect("s.sock").on("error", (e) => console.log(e.code)).on("connect", () => console.log("CONNECTED"))'`
      const config = reach === "workspace" ? { sandbox: "workspace" } : {}
      const agent = reach === "workspace" ? "build" : "plan"
      const { outputs } = await attempt(bench, [connect], { yes: true, agent, config })
      expect(outputs[0]).not.toContain("CONNECTED")
      expect(existsSync(bench.path("../reached"))).toBe(false)
    },
  )
})

describe.concurrent("programs that a workspace brings along", () => {
  it("take the place of none that Sotto starts", async () => {
    const bench = project()
    mkdirSync(bench.path("bin"))
    for (const name of ["bash", "sh", "git", "rg", "bwrap", "setpriv", "cat", "ls"]) {
      writeFileSync(
        bench.path(`bin/${name}`),
        `#!/bin/sh\necho ${name} >> ${bench.path("../hijacked")}\nexec /usr/bin/${name} "$@"\n`,
      )
      chmodSync(bench.path(`bin/${name}`), 0o755)
    }
    const env = { PATH: `${bench.path("bin")}:${process.env.PATH}` }
    const { outputs } = await attempt(
      bench,
      [
        "ls",
        "git status --short",
        { name: "glob", input: { pattern: "*" } },
        { name: "grep", input: { pattern: "before" } },
      ],
      { env },
    )
    expect(outputs[3]).toContain("a\n1: before")
    // What a command starts by name may be the workspace's, but then it is confined and cannot write there.
    expect(existsSync(bench.path("../hijacked"))).toBe(false)
  })
})

describe.concurrent("a confined command keeps to limits of", () => {
  it.each([
    ["memory", "perl -e 'syscall(9, 0, 1 << 40, 3, 0x4022, -1, 0) > 0 and print \"GOT IT\"'"],
    ["the size of a file", "truncate -s 20G /tmp/x && echo GOT IT"],
    ["its temporary folders", "head -c 3G /dev/zero > /tmp/x && echo GOT IT"],
  ])("%s", async (_, command) => {
    const { outputs } = await attempt(project(), [command], { agent: "plan" })
    expect(outputs[0]).not.toContain("GOT IT")
  })
})

describe.concurrent("searches in a hostile clone", () => {
  const calls = [
    { name: "glob", input: { pattern: "**" } },
    { name: "grep", input: { pattern: "before" } },
  ]
  it.each([
    ["a device as an ignore file", (bench: Bench) => symlinkSync("/dev/zero", bench.path(".ignore"))],
    ["a pipe as an ignore file", (bench: Bench) => execFileSync("mkfifo", [bench.path(".gitignore")])],
    [
      "a device further down",
      (bench: Bench) => {
        mkdirSync(bench.path("deep/down"), { recursive: true })
        symlinkSync("/dev/zero", bench.path("deep/down/.rgignore"))
      },
    ],
    [
      "a pipe further down",
      (bench: Bench) => {
        mkdirSync(bench.path("deep/down"), { recursive: true })
        execFileSync("mkfifo", [bench.path("deep/down/.gitignore")])
      },
    ],
  ])("end, with %s", async (_, plant) => {
    const bench = project()
    plant(bench)
    const { outputs, run } = await attempt(bench, calls)
    expect(outputs[0]).toMatch(/^a$/m)
    expect(outputs[1]).toContain("a\n1: before")
    expect(execFileSync("ps", ["-A", "-o", "ppid,args"], { encoding: "utf8" })).not.toContain(`${run.pid} rg`)
  })
})
