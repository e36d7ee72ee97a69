import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, test, vi } from "vitest"
import { childEnvironment, withheldFrom } from "../src/execution/programs/environment.js"
import { KEY_VARIABLES, PROVIDERS } from "../src/models/providers.js"
import { call, play } from "./scene-support.js"

const PATIENT = { timeout: 10_000, interval: 20 }

describe("the environment of a child", () => {
  it("has none of the variables that a provider's key is read from", () => {
    const keys = Object.values(PROVIDERS).flatMap(({ keys }): readonly string[] => keys)
    for (const name of keys) {
      expect(KEY_VARIABLES.has(name)).toBe(true)
      expect(childEnvironment({ [name]: "k", [name.toLowerCase()]: "k", A: "1" })).toEqual({ A: "1" })
    }
  })

  it("has no variable that looks like a secret, unless the user names it", () => {
    const secrets = {
      OPENAI_API_KEY: "o",
      GITHUB_TOKEN: "t",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
      PGPASSWORD: "hunter2",
      MYSQL_PWD: "hunter2",
      npm_config__authToken: "x-1",
      DATABASE_URL: "postgres://me:hunter2@db/x",
      DOCKER_AUTH_CONFIG: '{"auths":{}}',
      SECRET_KEY_BASE: "abcdef",
      SOTTO_TOKEN: "token-of-the-server",
      HARMLESS_NAME: `ghp_${"a1".repeat(18)}`,
    }
    const plain = {
      PATH: "/usr/bin",
      PWD: "/home/me",
      SSH_AUTH_SOCK: "/tmp/ssh/agent",
      MAX_TOKENS: "4096",
      TOKENIZERS_PARALLELISM: "false",
      GIT_AUTHOR_NAME: "Me",
      AWS_PROFILE: "work",
      MONKEY: "banana",
      PUBLIC_KEY: "ssh-ed25519 AAAA",
      GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json",
      OAUTH_TOKEN_URL: "https://example.org/token",
    }
    expect(childEnvironment({ ...secrets, ...plain })).toEqual(plain)
    const pass = ["OPENAI_API_KEY", "PGPASSWORD", "SOTTO_TOKEN"]
    const { OPENAI_API_KEY, PGPASSWORD } = secrets
    expect(childEnvironment({ ...secrets, ...plain }, { pass })).toEqual({
      ...plain,
      OPENAI_API_KEY,
      PGPASSWORD,
    })
    expect(withheldFrom({ ...secrets, ...plain }, { pass })).toEqual(
      Object.keys(secrets)
        .filter((name) => !pass.includes(name))
        .sort(),
    )
  })
})

test("no module but execution/programs/start.ts starts processes", () => {
  const packages = join(import.meta.dirname, "..", "..")
  const importing = ["harness", "cli"].flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(ts|tsx|mts|cts|js)$/.test(path))
      .filter((path) => {
        const text = readFileSync(join(packages, name, "src", path), "utf8")
        const values = text.replace(/import type [^;]*? from "[^"]*"/g, "")
        return /["'](?:node:)?(?:child_process|cluster)["']/.test(values)
      })
      .map((path) => `${name}/${path}`),
  )
  expect(importing).toEqual(["harness/execution/programs/start.ts"])
})

describe("started by a session", () => {
  const tokens = { GITHUB_TOKEN: "token-of-github", AWS_SECRET_ACCESS_KEY: "secret-of-aws" }
  const printing = (file: string) => `env > "$OUT/${file}.new"; mv "$OUT/${file}.new" "$OUT/${file}"`

  /** Has a command, a hook, an MCP server and a language server print what they were given. */
  async function environments(config: object = {}): Promise<Readonly<Record<string, string>>> {
    const given = { OUT: "../home" }
    const { root } = await play({
      yes: true,
      env: { ...tokens, OUT: "../home" },
      files: { "work/b.fake": "x\n" },
      config: {
        hooks: { session_start: [{ command: printing("hook"), env: { NAMED_HERE: "for-the-hook" } }] },
        mcp: {
          fake: { command: "sh", args: ["-c", printing("mcp")], env: { ...given, NAMED_HERE: "for-mcp" } },
        },
        lsp: {
          fake: {
            command: ["sh", "-c", printing("lsp")],
            extensions: [".fake"],
            env: { NAMED_HERE: "for-lsp" },
          },
        },
        ...config,
      },
      steps: [
        call("bash", { command: printing("bash") }),
        call("bash", { command: `sleep 0; ${printing("background")}`, background: true }),
        call("read", { path: "b.fake" }),
        { text: "Done." },
      ],
    })
    const kinds = ["bash", "background", "hook", "mcp", "lsp"]
    const printed = await vi.waitFor(
      () => kinds.map((kind) => [kind, readFileSync(join(root, "home", kind), "utf8")]),
      PATIENT,
    )
    return Object.fromEntries(printed)
  }

  it("no child sees a key or a token, but what the configuration gives it", async () => {
    const { mcp = "", ...others } = await environments()
    for (const [kind, printed] of Object.entries({ mcp, ...others }))
      expect(printed, kind).not.toMatch(/key-[aog]/)
    for (const printed of Object.values(others)) expect(printed).not.toMatch(/token-of-github|secret-of-aws/)
    expect(others.hook).toContain("NAMED_HERE=for-the-hook")
    expect(others.lsp).toContain("NAMED_HERE=for-lsp")
    expect(mcp).toContain("NAMED_HERE=for-mcp")
  })

  it("every child sees a key that the user names, and no other", async () => {
    for (const names of [{ env: { pass: ["OPENAI_API_KEY"] } }, { environment: ["OPENAI_API_KEY"] }])
      for (const printed of Object.values(await environments(names))) {
        expect(printed).toContain("OPENAI_API_KEY=key-o")
        expect(printed).not.toMatch(/key-[ag]|token-of-github/)
      }
  })
})

describe("git", () => {
  const evil = "work/.git/config"
  const config = "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ../ran; false\n"
  const repository = { [evil]: config, "work/.git/HEAD": "ref: refs/heads/main\n" }
  const folders = { "work/.git/objects/x": "", "work/.git/refs/x": "" }
  const script = 'git config --get core.fsmonitor; echo "count=$GIT_CONFIG_COUNT"'

  it("runs nothing that a repository names, in a command that runs because it only reads", async () => {
    const { results, root } = await play({
      files: { ...repository, ...folders },
      steps: [call("bash", { command: "git status" }), { text: "Done." }],
    })
    expect(results()).toHaveLength(1)
    expect(readdirSync(root)).not.toContain("ran")
  })

  it("is the user's own in a command that the user allowed", async () => {
    const { results } = await play({
      yes: true,
      files: { ...repository, ...folders },
      steps: [call("bash", { command: `touch x; ${script}` }), { text: "Done." }],
    })
    expect(results()[0]).toContain("touch ../ran")
    expect(results()[0]).toMatch(/count=$/)
  })
})
