import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  addressesOf,
  type Bench,
  benchWith,
  finished,
  serverWith,
  sotto,
  type Variables,
} from "./support/sotto.js"
import { KEYS, openTerminal } from "./tui/support/terminal.js"

const KEY = "sk-correct-horse-battery-staple"
const WRONG = "sk-wrong-horse-battery-staple"

const keysOf = (bench: Bench) => join(bench.home, "keys.json")
const serverTaking = () => serverWith([{ text: "Hello back." }, { text: "Again." }], { keys: [KEY] })

async function stored(
  bench: Bench,
  provider: string,
  key: string,
  env: Variables,
  ...more: readonly string[]
) {
  const run = sotto(bench, ["login", provider, ...more], env)
  run.write(`${key}\n`)
  return run.end()
}

describe.concurrent("sotto login in a terminal", () => {
  it("asks whose key it is, takes it unseen, tries it, keeps it for its owner only, and uses it", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    const env = addressesOf(server.url)
    const terminal = openTerminal(bench, { args: ["login"], env, columns: 120 })
    await terminal.see("Number or name:")
    terminal.type(`1${KEYS.enter}`)
    await terminal.see("Key for anthropic (it is not shown):")
    terminal.type(`${WRONG.slice(0, 4)}\u0015${KEY}x${KEYS.backspace}${KEYS.enter}`)
    const done = await terminal.see("`sotto` uses anthropic/claude-opus-5-5")
    expect(done).toContain(`The key works: ${server.url} takes it.`)
    expect(done.replaceAll("\n", "")).toContain(`kept in ${keysOf(bench)}`)
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw).not.toContain("horse")
    expect(statSync(keysOf(bench)).mode & 0o777).toBe(0o600)

    const talking = openTerminal(bench, { env })
    await talking.see("say what to do")
    talking.type(`Hello.${KEYS.enter}`)
    await talking.see("Hello back.")
    expect(talking.raw).not.toContain("horse")
  })

  it("keeps nothing of a key that the provider refuses, and does not show it", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    const terminal = openTerminal(bench, {
      args: ["login", "google"],
      env: addressesOf(server.url),
      columns: 120,
    })
    await terminal.see("Key for google")
    terminal.paste(WRONG)
    terminal.type(KEYS.enter)
    const said = await terminal.see("Nothing has changed.")
    expect(said).toContain(`${server.url} refuses the key: it answered 400: API key not valid.`)
    expect(await terminal.exited).toBe(1)
    expect(terminal.raw).not.toContain("horse")
    expect(existsSync(keysOf(bench))).toBe(false)
  })

  it("is left with Ctrl+C, and changes nothing", async () => {
    const bench = benchWith()
    const terminal = openTerminal(bench, { args: ["login", "openai"] })
    await terminal.see("Key for openai")
    terminal.type(`${KEY}${KEYS.ctrlC}`)
    expect(await terminal.exited).toBe(130)
    expect(existsSync(keysOf(bench))).toBe(false)
  })
})

describe.concurrent("a stored key", () => {
  it("comes from standard input, is listed without being shown, and is removed", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    const env = addressesOf(server.url)
    for (const provider of ["anthropic", "openai", "google"]) {
      const { code, out, err } = await stored(bench, provider, KEY, env)
      expect([code, err]).toEqual([0, ""])
      expect(out).not.toContain("horse")
    }
    const list = await finished(bench, ["login", "--list"], { ...env, OPENAI_API_KEY: "another-key" })
    expect(list.out).toMatch(/^anthropic +a stored key$/m)
    expect(list.out).toMatch(
      /^openai +the key in OPENAI_API_KEY; a stored key, which does not count meanwhile$/m,
    )
    expect(list.out).not.toMatch(/horse|another-key/)
    const gone = await finished(bench, ["login", "--remove", "anthropic"], env)
    expect(gone.code).toBe(0)
    expect(readFileSync(keysOf(bench), "utf8")).not.toContain("ANTHROPIC")
    const again = await finished(bench, ["login", "--remove", "anthropic"], env)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("no key for anthropic is stored")])
  })

  it("is counted after the environment's, is not handed to commands, and is redacted where it appears", async () => {
    const reply = { text: `It was ${KEY}.` }
    const calls = [{ name: "bash", input: { command: 'echo "[$ANTHROPIC_API_KEY]"' } }]
    const server = await serverWith([{ calls }, reply], { keys: [KEY] })
    const bench = benchWith()
    const env = addressesOf(server.url)
    await stored(bench, "anthropic", KEY, env)
    const model = ["--model", "anthropic/claude-sonnet-4-5"]
    const run = await finished(bench, ["run", "--yes", ...model, "--output", "jsonl", "Go."], env)
    expect(run.code).toBe(0)
    expect(run.out).toContain('"output":"[]')
    const id = /"type":"session","id":"([^"]+)"/.exec(run.out)?.[1] ?? ""
    const shared = await finished(bench, ["export", id, "--redact"], env)
    expect(shared.out).toContain("It was [redacted-1].")
    expect(shared.out).not.toContain("horse")

    const refused = await finished(bench, ["run", ...model, "Go."], { ...env, ANTHROPIC_API_KEY: WRONG })
    expect(refused.code).toBe(1)
    expect(refused.out + refused.err).toContain("Check the key in ANTHROPIC_API_KEY.")
  })

  it("is read by no tool and no command that is known to read it, also where everything is allowed", async () => {
    const bench = benchWith({ "sotto.json": '{"permission":{"*":"allow"}}' })
    const file = keysOf(bench)
    const calls = [
      { name: "read", input: { path: file } },
      { name: "bash", input: { command: `cat ${file}` } },
      { name: "bash", input: { command: "cat ../home/keys.json" } },
      { name: "grep", input: { pattern: "horse", path: bench.home } },
    ]
    const server = await serverWith([{ calls }, { text: "Done." }], { keys: [KEY] })
    const env = addressesOf(server.url)
    await stored(bench, "anthropic", KEY, env)
    const args = ["run", "--yes", "--model", "anthropic/claude-sonnet-4-5", "--output", "jsonl", "Go."]
    const run = await finished(bench, args, env)
    expect(run.code).toBe(0)
    expect(run.out.match(/was not (read|touched|run)/g)).toHaveLength(3)
    expect(run.out).not.toContain(KEY)
  })

  it("that the provider refuses later is named as the stored one", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    await stored(bench, "anthropic", WRONG, addressesOf(server.url), "--no-check")
    const { code, out, err } = await finished(bench, ["run", "Go."], addressesOf(server.url))
    expect(code).toBe(1)
    expect(out + err).toContain("Check the key that `sotto login` has stored. `sotto login` stores another.")
  })

  it("is not stored where the provider cannot be reached, unless that is asked for", async () => {
    const bench = benchWith()
    const env = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" }
    const { code, err } = await stored(bench, "anthropic", KEY, env)
    expect(code).toBe(1)
    expect(err).toContain("could not be tried at http://127.0.0.1:1")
    expect(err).toContain("--no-check")
    expect(existsSync(keysOf(bench))).toBe(false)
    expect((await stored(bench, "anthropic", KEY, env, "--no-check")).code).toBe(0)
    const odd = await stored(bench, "anthropic", "two words", env)
    expect(odd.err).toContain("characters that no key has")
  })

  it("in a damaged file stops nobody who has another, and the file is left as it is", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(keysOf(bench), `{"ANTHROPIC_API_KEY": "${WRONG}`)
    const env = { ...addressesOf(server.url), ANTHROPIC_API_KEY: KEY }
    const run = await finished(bench, ["run", "--model", "anthropic/claude-sonnet-4-5", "Go."], env)
    expect(run.code).toBe(0)
    expect(run.err).toContain("keys.json cannot be used: it is not JSON.")
    const login = await stored(bench, "anthropic", KEY, env)
    expect(login.code).toBe(2)
    expect(login.err).not.toContain("horse")
    expect(readFileSync(keysOf(bench), "utf8")).toContain(WRONG)
  })

  it.each([
    [["login", "mistral"], 'There is no provider "mistral". Use anthropic, openai, google.'],
    [["login"], "Which provider? For example: sotto login anthropic"],
    [["login", "openai", "sk-x"], "no key on the command line"],
  ])("%j is refused", async (args, why) => {
    const { code, err } = await finished(benchWith(), args)
    expect(code).toBe(2)
    expect(err).toContain(why)
  })
})

describe.concurrent("sotto doctor", () => {
  it("tries the key, and says where it comes from and what to do", async () => {
    const server = await serverTaking()
    const bench = benchWith()
    const env = addressesOf(server.url)
    await stored(bench, "openai", KEY, env)
    const good = await finished(bench, ["doctor"], env)
    expect(good.out).toContain(
      `openai/gpt-5.6: ${server.url}/v1 takes the key that \`sotto login\` has stored`,
    )
    expect(good.code).toBe(0)
    const bad = await finished(bench, ["doctor"], { ...env, OPENAI_API_KEY: WRONG })
    expect(bad.out).toMatch(
      /FAILED +model +openai\/gpt-5\.6: .* refuses the key in OPENAI_API_KEY: it answered 401/,
    )
    expect(bad.code).toBe(1)
    expect(bad.out).not.toContain("horse")
    const lost = await finished(bench, ["doctor"], { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })
    expect(lost.out).toMatch(/FAILED +model +.*127\.0\.0\.1:1.*Check the connection/)
  })
})
