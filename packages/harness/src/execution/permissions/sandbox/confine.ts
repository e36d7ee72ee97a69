import { existsSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import {
  configFolder,
  dataFolder,
  type Environment,
  homeFolder,
} from "../../../platform/workspace/folders.js"
import { isInside } from "../../../platform/workspace/location.js"
import type { Project } from "../../../platform/workspace/project.js"
import { PROGRAMS_OF_GIT, repositoryAround } from "./repositories.js"
import { type Confinement, isVisible, type Reach } from "./sandbox.js"
import { socketPaths } from "./sockets.js"
import { SYSTEM, toolchainPaths } from "./toolchains.js"

/** Where programs keep keys, tokens and private conversations, in a home folder. */
const IN_HOME: readonly string[] = [
  ...[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", "Library/Keychains"],
  ...[".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub"],
  ...[".config/glab-cli", ".gitconfig.local"],
  ...[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".oci",
    ".config/doctl",
    ".config/hcloud",
    ".fly",
    ".s3cfg",
    ".boto",
  ],
  ...[".config/rclone", ".databrickscfg", ".snowsql", ".kube", ".docker", ".config/containers/auth.json"],
  ...[".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".config/op", ".config/sops"],
  ...[".age", ".config/age"],
  ...[".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip", ".pip", ".gem/credentials", ".bundle/config"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml", ".gradle/gradle.properties"],
  ...[".nuget/NuGet/NuGet.Config", ".composer/auth.json", ".config/composer/auth.json", ".config/hatch"],
  ...[
    ".kaggle",
    ".huggingface",
    ".cache/huggingface/token",
    ".config/wandb",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
  ],
  ...[".claude", ".claude.json", ".codex", ".gemini", ".pi", ".config/opencode", ".local/share/opencode"],
  ...[".config/sotto", ".local/share/sotto", ".config/github-copilot", ".config/anthropic", ".config/openai"],
  ...[".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".thunderbird"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
  ...[".mysql_history", ".local/share/fish/fish_history"],
]

/** Readable for root, with or without capabilities. */
const OF_THE_SYSTEM: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssh", "/etc/ssl/private", "/etc/NetworkManager/system-connections", "/etc/wireguard"],
  ...["/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/etc/kubernetes", "/proc/keys"],
]

/** What of the store must not be seen even by an agent that works in its very folder. */
const IN_STORE: readonly string[] = ["sessions.db", "sessions.db-wal", "sessions.db-shm", "output"]

/** Lists where secrets may be. Most of these paths do not exist. */
function secretPaths(env: Environment): readonly string[] {
  const [data, config] = [dataFolder(env), configFolder(env)]
  return [
    ...[data, config],
    ...IN_STORE.map((name) => join(data, name)),
    ...["keys.json", "mcp-logins.json"].map((name) => join(config, name)),
    ...homes(env).flatMap((home) => IN_HOME.map((path) => join(home, path))),
    ...OF_THE_SYSTEM,
  ]
}

/** Lists the home folders: root can read in every user's home. */
function homes(env: Environment): readonly string[] {
  const own = [homeFolder(env), homedir()]
  if (process.getuid?.() !== 0) return [...new Set(own)]
  return [...new Set([...own, "/root", ...foldersIn("/home")])]
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

export interface ConfineOptions {
  readonly reach: Reach
  readonly network: boolean
  /** Files and folders outside the workspace that the rules, or the user, let the command read. */
  readonly outside?: readonly string[]
  /** True if the rules let it read everything outside the workspace. */
  readonly everything?: boolean
  /** More to hide: what the permissions deny, sockets in the workspace. */
  readonly unreadable?: readonly string[]
  /** The repositories in the workspace. They stay read-only. */
  readonly repositories?: readonly string[]
  /** True if the command is nothing but git, and may write the workspace's own repository. */
  readonly commits?: boolean
  /** True if the command is understood, and may look at all files of the repository around the workspace. */
  readonly seesRepository?: boolean
}

/** Other programs' temporary files and sockets: private, so that nothing there is seen, obeyed or left. */
const TEMPORARY = ["/tmp", "/var/tmp", "/run", "/var/run", "/private/tmp", "/private/var/folders"]

/** Files of a workspace from which programs are started later, outside the sandbox. */
const STARTS_PROGRAMS = ["sotto.json", ".sotto", ".mcp.json"]

/** What the kernel tells of processes and devices. A sandbox has its own, and no permission brings in the other. */
const OF_THE_KERNEL = /^\/(proc|dev)(\/|$)/

/** Looks at the machine as it is now. A command is confined anew each time, because files come and go. */
export function confine({ cwd, env }: Project, options: ConfineOptions): Confinement {
  const { reach, network, unreadable = [], commits = false } = options
  const everything = options.everything === true || cwd === "/"
  const home = homeFolder(env)
  const secrets = real(secretPaths(env))
  const outside = real(options.outside ?? []).filter((path) => !OF_THE_KERNEL.test(path))
  const repository = repositoryAround(cwd)
  const git = real(repository?.git ?? []).filter((path) => !secrets.some((secret) => isInside(path, secret)))
  const tools = everything ? [] : [...SYSTEM, ...toolchainPaths(env)]
  const wanted = [...tools, ...(network ? ["/etc/resolv.conf"] : []), ...git]
  const around = repository === undefined ? [] : shownAround(cwd, repository.root, home, options)
  const temporary = real(TEMPORARY)
  const view = {
    cwd,
    reach,
    network,
    everything,
    links: [],
    empty: everything ? [] : real([home]),
    // What lies in the workspace is a part of it.
    temporary: temporary.filter((path) => path !== "/" && !isInside(path, cwd)),
    shown: real([...wanted, ...around, ...outside, cwd]),
    writable: reach === "workspace" ? [cwd, ...(commits ? git : [])] : [],
    kept: reach === "workspace" ? keptIn(cwd, commits ? git : [], options.repositories) : [],
  }
  const own = real([dataFolder(env), configFolder(env)])
  // What the user allowed by its very name is shown, unless it is Sotto's own.
  const isNamed = (path: string) => outside.includes(path) && !own.some((folder) => isInside(path, folder))
  const hidden = [...secrets, ...real([...unreadable, ...socketPaths()])]
  return {
    ...view,
    links: everything ? [] : [...topLinks(), ...linksTo(wanted, (path) => isVisible(path, view))],
    hidden: [...new Set(hidden)].filter((path) => path !== cwd && !isNamed(path) && isVisible(path, view)),
  }
}

/**
 * Lists what of the repository around the workspace is shown beside its git folder: all of it, or what packages need.
 */
function shownAround(
  cwd: string,
  root: string,
  home: string,
  { seesRepository = false }: ConfineOptions,
): readonly string[] {
  // A home folder that is a repository is a home folder first.
  if (isInside(home, root) || !isInside(cwd, root)) return []
  if (seesRepository) return [root]
  const folders: string[] = []
  for (let folder = cwd; folder !== root; folder = dirname(folder)) folders.push(dirname(folder))
  return folders.map((folder) => join(folder, "node_modules"))
}

/** Lists what stays read-only in a workspace that can be written, and in the git folders that a commit writes. */
function keptIn(
  cwd: string,
  git: readonly string[],
  repositories: readonly string[] = [],
): readonly string[] {
  const others = [join(cwd, ".git"), ...repositories].filter((path) => !git.includes(path))
  const parts = git.flatMap((folder) => PROGRAMS_OF_GIT.map((name) => join(folder, name)))
  const starting = STARTS_PROGRAMS.map((name) => join(cwd, name))
  return real([...others, ...parts, ...starting]).filter((path) =>
    [cwd, ...git].some((one) => isInside(path, one)),
  )
}

function real(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    try {
      return [realpathSync.native(path)]
    } catch {
      return [] // Nothing there, or nothing that we can reach ourselves.
    }
  })
  return [...new Set(found)]
}

/** Lists the links at the top of the file system: on most systems /bin leads to usr/bin. */
function topLinks(): Confinement["links"] {
  return readdirSync("/", { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => [`/${name}`, readlinkSync(`/${name}`)] as const)
}

/** Links for wanted paths that really are elsewhere, so that they can be found by their names too. */
function linksTo(wanted: readonly string[], isVisible: (path: string) => boolean): Confinement["links"] {
  return wanted.flatMap((path) => {
    const [target] = dirname(path) === "/" || !existsSync(path) ? [] : real([path])
    return target === undefined || target === path || isVisible(dirname(path))
      ? []
      : [[path, target] as const]
  })
}
