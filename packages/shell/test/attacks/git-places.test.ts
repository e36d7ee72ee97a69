import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { judge } from "../../src/index.js"
import { git, PAYLOAD, type Scratch, scratchFolder } from "./scratch.js"

const HOSTILE = `[filter "x"]\n\tclean = "${PAYLOAD};cat"\n`

let place: Scratch | undefined
afterEach(() => place?.close())

const isRead = async (script: string, folder: string) =>
  (await judge(script, { cwd: folder })).runs.every(({ effect }) => effect === "read")

function repository(folder: string, home: string): void {
  mkdirSync(folder, { recursive: true })
  git(folder, home, "init", "-q", "--template=")
}

/** The scripts that are judged to read in a folder so prepared. */
async function readOnes(
  scripts: readonly string[],
  prepare: (folder: string) => void,
): Promise<readonly string[]> {
  place = await scratchFolder(prepare)
  const found: string[] = []
  for (const script of scripts) if (await isRead(script, place.folder)) found.push(script)
  return found
}

describe("the repository that git finds is the one that is looked at", () => {
  const linked = (config: string) => (folder: string) => {
    const hostile = join(folder, "n", "h")
    repository(hostile, folder)
    mkdirSync(join(hostile, "d"))
    appendFileSync(join(hostile, ".git", "config"), config)
    symlinkSync("n/h/d", join(folder, "door"))
  }
  const through = [
    "cd door && git status",
    "git -C door status",
    "git -C door/.. status",
    "git -C door -C .. status",
    "cd -P door/.. && git status",
    "cd -P door && cd .. && git status",
    "cd door && git -C .. status",
  ]

  it("is looked at behind links", async () => {
    expect(await readOnes(through, linked(HOSTILE))).toEqual([])
  })

  it("may be behind links where it is harmless", async () => {
    expect(await readOnes(through, linked("[user]\n\tname = x\n"))).toEqual(through)
  })

  it.each<readonly [string, (git: string) => void]>([
    ["an empty folder", () => {}],
    ["a HEAD alone", (path) => writeFileSync(join(path, "HEAD"), "ref: refs/heads/main\n")],
    [
      "a HEAD that is none",
      (path) => {
        mkdirSync(join(path, "objects"))
        mkdirSync(join(path, "refs"))
        writeFileSync(join(path, "HEAD"), "nothing\n")
      },
    ],
  ])("is above a .git that is %s", async (_, fill) => {
    const found = await readOnes(["cd sub && git status", "git -C sub status"], (folder) => {
      appendFileSync(join(folder, ".git", "config"), HOSTILE)
      mkdirSync(join(folder, "sub", ".git"), { recursive: true })
      fill(join(folder, "sub", ".git"))
    })
    expect(found).toEqual([])
  })

  it.each(["gitdir: g\nh", "gitdir: g \n", "x\ngitdir: g\n", "gitdir: g\r\n"])(
    "is what the whole .git file names: %j",
    async (text) => {
      const found = await readOnes(["git -C sub status"], (folder) => {
        repository(join(folder, "good"), folder)
        mkdirSync(join(folder, "sub"))
        for (const name of ["g", "g\nh", "g "]) {
          git(folder, folder, "init", "-q", "--bare", "--template=", join(folder, "sub", name))
          rmSync(join(folder, "sub", name, "config"))
          if (name !== "g") writeFileSync(join(folder, "sub", name, "config"), HOSTILE)
        }
        writeFileSync(join(folder, "sub", ".git"), text)
      })
      expect(found).toEqual([])
    },
  )
})

describe("an index", () => {
  const extension = (name: string, data = Buffer.alloc(4)) => {
    const head = Buffer.alloc(8)
    head.write(name, "latin1")
    head.writeUInt32BE(data.length, 4)
    return Buffer.concat([head, data])
  }
  const extended = (extensions: readonly Buffer[]) => (folder: string) => {
    const path = join(folder, ".git", "index")
    const index = readFileSync(path)
    const end = index.length - 20
    writeFileSync(path, Buffer.concat([index.subarray(0, end), ...extensions, index.subarray(end)]))
  }

  it.each(["link", "sdir", "IEOT"])("that keeps entries elsewhere is not trusted: %s", async (name) => {
    for (const extensions of [[extension(name)], [extension("ABCD"), extension(name)]])
      expect(await readOnes(["git status"], extended(extensions))).toEqual([])
  })

  it("may have other extensions, and nothing that is none", async () => {
    expect(await readOnes(["git status"], extended([extension("ABCD")]))).toEqual(["git status"])
    expect(await readOnes(["git status"], extended([Buffer.from("link")]))).toEqual([])
  })

  it("whose entries give a wrong length of a name is not trusted", async () => {
    const found = await readOnes(["git status"], (folder) => {
      const path = join(folder, ".git", "index")
      const index = readFileSync(path)
      index.writeUInt16BE(index.readUInt16BE(12 + 60) + 8, 12 + 60)
      writeFileSync(path, index)
    })
    expect(found).toEqual([])
  })
})
