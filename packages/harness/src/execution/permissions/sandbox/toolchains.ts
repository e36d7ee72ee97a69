import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { redact } from "../../../platform/secrets/redact.js"
import { type Environment, homeFolder } from "../../../platform/workspace/folders.js"
import { isInside } from "../../../platform/workspace/location.js"
import { pathFolders } from "../../programs/find-program.js"

/** The system's own files, as far as programs need them. */
export const SYSTEM: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys"],
  ...["/nix", "/gnu", "/snap", "/System", "/Library", "/run/current-system"],
  ...["dpkg", "rpm", "pacman", "apk"].map((name) => `/var/lib/${name}`),
]

/** What toolchains keep in a home folder: programs, packages, versions. Keys in them are hidden on top. */
const IN_HOME: readonly string[] = [
  ...[
    ".cargo",
    ".rustup",
    ".nvm",
    ".volta",
    ".fnm",
    ".local/share/fnm",
    ".local/share/pnpm",
    ".bun",
    ".deno",
  ],
  ...[
    ".asdf",
    ".local/share/mise",
    ".pyenv",
    ".local/share/uv",
    ".local/pipx",
    ".local/share/pipx",
    ".local/lib",
  ],
  ...[".local/bin", "bin", ".rbenv", ".rvm", ".gem", ".sdkman", ".jenv", ".m2/repository", ".gradle/caches"],
  ...[
    "go",
    ".goenv",
    ".dotnet",
    ".nuget/packages",
    ".ghcup",
    ".cabal",
    ".stack",
    ".opam",
    ".elan",
    ".juliaup",
  ],
  ...[".julia", ".conda", "miniconda3", "anaconda3", "mambaforge", "miniforge3", ".swiftly", ".nix-profile"],
  ...[".editorconfig", ".config/git/ignore", ".config/git/attributes"],
]

/** Settings of git. They may hold a token, and are shown only if they hold none. */
const GIT_SETTINGS = [".gitconfig", ".config/git/config"]

/** Lists what programs need outside the workspace: in the home folder, and where PATH leads. Most of it does not exist. */
export function toolchainPaths(env: Environment): readonly string[] {
  const home = homeFolder(env)
  const inHome = [...IN_HOME, ...GIT_SETTINGS].map((path) => join(home, path))
  const git = GIT_SETTINGS.map((path) => join(home, path))
  return [
    ...inHome.filter((path) => !git.includes(path) || !holdsSecret(path)),
    ...[...pathFolders(env), dirname(process.execPath)].map((folder) => installation(folder, home)),
  ]
}

/** Gives the folder of which `bin` or `.bin` is a part, because programs need their libraries; but never a home folder. */
function installation(folder: string, home: string): string {
  const whole = dirname(folder)
  const isPart = /^(s?bin|\.bin)$/.test(basename(folder)) && dirname(whole) !== whole
  return isPart && !isInside(home, whole) && whole !== join(home, ".local") ? whole : folder
}

function holdsSecret(path: string): boolean {
  try {
    const text = readFileSync(path, "utf8")
    return /extraheader|helper\s*=\s*store/i.test(text) || redact(text) !== text
  } catch {
    return true // Not there, or not ours to read.
  }
}
