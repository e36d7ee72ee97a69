/**
 * Makes a release: `npm run release -- patch|minor|major|X.Y.Z [--dry-run] [--quick]`.
 *
 * It versions all packages, moves what is unreleased in the changelog under the new version, builds, packs and tests the
 * packs, publishes them, and leaves a commit and a tag. Everything happens in a clone, so that a failure on the way leaves
 * this folder as it was. The commit and the tag are brought over only when the packs have passed their tests.
 *
 *   --dry-run  ends there: prints what would be published, changes nothing, publishes nothing
 *   --quick    tests the packs with npm only, without pnpm and other runtimes
 */
import { execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { inOrder, isPublic, ReleaseError, readRelease, writeRelease } from "./release-plan.mjs"

const exec = promisify(execFile)

try {
  await release(process.cwd(), options(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = error.code
}

function options(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { "dry-run": { type: "boolean" }, quick: { type: "boolean" } },
    })
    if (positionals.length !== 1) throw new Error("Name one version.")
    return { wanted: positionals[0], isDry: values["dry-run"] === true, isQuick: values.quick === true }
  } catch (error) {
    const usage = "Usage: npm run release -- patch|minor|major|X.Y.Z [--dry-run] [--quick]"
    throw new ReleaseError(`${error.message}\n${usage}`, 2)
  }
}

async function release(root, { wanted, isDry, isQuick }) {
  const git = async (...args) => (await exec("git", args, { cwd: root })).stdout.trim()
  const changed = await git("status", "--porcelain")
  if (changed !== "" && !isDry)
    throw new ReleaseError(
      `There are changes that are not committed:\n${changed}\nCommit them or put them away.`,
    )
  const origin = await git("remote", "get-url", "origin").catch(() => "")
  // A clone of a folder, as in CI, can try a release as well.
  const remote = isDry && !isPublic(origin) ? "" : origin
  if (remote === "" && !isDry)
    throw new ReleaseError(
      "There is no remote `origin`, so the packages cannot say where their sources are. Add it with `git remote add origin URL`.",
    )
  const plan = readRelease(root, { wanted, remote, today: new Date() })
  if ((await git("tag", "--list", plan.tag)) !== "")
    throw new ReleaseError(`The tag ${plan.tag} exists already. Choose a newer version.`)
  console.log(
    `${plan.before} → ${plan.version}, ${plan.packages.length} packages${isDry ? " (dry run)" : ""}`,
  )
  if (changed !== "") console.log("Changes that are not committed are left out.")
  if (remote === "")
    console.log("No remote `origin` that others can open: the packages would have no `repository`.")
  console.log(`\n${plan.notes}\n`)

  const work = mkdtempSync(join(tmpdir(), "sotto-release-"))
  const clone = join(work, "clone")
  const packs = join(work, "packs")
  mkdirSync(packs)
  try {
    await exec("git", ["clone", "--quiet", "--no-hardlinks", root, clone])
    writeRelease(clone, plan)
    await step(clone, "npm", [
      "install",
      "--package-lock-only",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
    ])
    await step(clone, "npm", ["ci", "--include=dev", "--no-audit", "--no-fund"])
    await step(clone, "npm", ["run", "build"])
    await step(clone, "npm", [
      "run",
      "test:packages",
      "--",
      "--packs",
      packs,
      ...(isQuick ? ["--quick"] : []),
    ])
    const files = inOrder(plan, readdirSync(packs))
    if (isDry) {
      console.log("\nWould publish, in this order:")
      for (const file of files)
        console.log(`  ${file} (${Math.ceil(statSync(join(packs, file)).size / 1000)} kB)`)
      console.log(`Would commit "Release ${plan.version}" and tag it ${plan.tag}.`)
      return
    }
    const identity = await Promise.all(
      ["user.name", "user.email"].map(async (key) => [key, await git("config", key)]),
    )
    const inClone = (...args) =>
      step(clone, "git", [...identity.flatMap(([key, value]) => ["-c", `${key}=${value}`]), ...args])
    await inClone("commit", "--quiet", "--all", "--message", `Release ${plan.version}`)
    await inClone("tag", "--annotate", plan.tag, "--message", `Release ${plan.version}`)
    await step(root, "git", ["pull", "--quiet", "--ff-only", "--tags", clone, "HEAD"])
    for (const file of files) await publish(root, join(packs, file), plan)
    console.log(`\nPublished ${plan.version}. Next: git push --follow-tags`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A version that the registry has already is one that an earlier try published: publishing can be repeated. */
async function publish(root, pack, { version }) {
  const provenance = process.env.ACTIONS_ID_TOKEN_REQUEST_URL === undefined ? [] : ["--provenance"]
  const { code, output } = await run(root, "npm", ["publish", pack, "--access", "public", ...provenance])
  if (code === 0) return
  if (/E409|EPUBLISHCONFLICT|previously published/i.test(output)) {
    console.log(`${pack} is published already.`)
    return
  }
  throw new ReleaseError(
    `npm publish failed for ${pack}.\nThe commit and the tag are made. Mend the cause, then publish the rest: git checkout v${version}, npm run test:packages -- --packs FOLDER, npm publish each pack.`,
  )
}

async function step(cwd, command, args) {
  console.log(`$ ${[command, ...args].join(" ")}`)
  const { code } = await run(cwd, command, args)
  if (code !== 0)
    throw new ReleaseError(`\`${[command, ...args].join(" ")}\` failed. Nothing was published or changed.`)
}

/** Shows what a command prints, and keeps it. */
function run(cwd, command, args) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    from.setEncoding("utf8").on("data", (text) => {
      output += text
      to.write(text)
    })
  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })
}
