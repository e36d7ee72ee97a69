import { readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment } from "../../../platform/workspace/folders.js"
import { configFolder, dataFolder, homeFolder } from "../../../platform/workspace/folders.js"

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

/** What of the store must not be seen even by somebody who works in its very folder. */
const IN_STORE: readonly string[] = ["sessions.db", "sessions.db-wal", "sessions.db-shm", "output"]

/** Lists where secrets may be. Most of these paths do not exist. */
export function secretPaths(env: Environment): readonly string[] {
  const [data, config] = [dataFolder(env), configFolder(env)]
  return [
    ...[data, config],
    ...IN_STORE.map((name) => join(data, name)),
    join(config, "keys.json"),
    ...homes(env).flatMap((home) => IN_HOME.map((path) => join(home, path))),
    ...OF_THE_SYSTEM,
  ]
}

/** Root can read in everybody's home. */
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
