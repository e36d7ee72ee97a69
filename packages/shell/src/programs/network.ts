import type { Word } from "../parse/words.js"
import type { NetworkUse } from "../touches.js"
import { gitCall } from "./git.js"
import { texts } from "./judgement.js"

/** Programs that do nothing but talk to other machines. */
const talkers = new Set(
  `curl wget ssh scp sftp ftp lftp telnet nc ncat netcat socat ping ping6 traceroute tracepath mtr dig host nslookup
  whois gh glab aws gcloud az http https xh httpie mosh rclone s3cmd sendmail mail`.split(/\s+/),
)

/** Subcommands that talk to other machines, of programs that also do other things. */
const talking: Readonly<Record<string, RegExp>> = {
  git: /^(push|fetch|pull|clone|ls-remote|send-email|request-pull|svn|p4|archive --remote|submodule (add|update)|remote (update|show|prune))\b/,
  npm: /^(i|install|ci|add|update|up|upgrade|publish|unpublish|view|info|show|search|audit|outdated|login|logout|whoami|ping|dist-tag|deprecate|owner|access|token|exec|x|create|init)\b/,
  pnpm: /^(i|install|add|update|up|publish|audit|outdated|dlx|create|view|info|fetch)\b/,
  yarn: /^(install|add|upgrade|up|publish|npm|dlx|audit|outdated|info|create)?(\s|$)/,
  bun: /^(i|install|add|update|publish|x|create|outdated|audit)\b/,
  pip: /^(install|download|search|index|wheel)\b/,
  pip3: /^(install|download|search|index|wheel)\b/,
  uv: /^(add|sync|lock|publish|pip (install|sync|compile)|tool (install|run)|python install)\b/,
  cargo: /^(install|fetch|update|publish|search|login|owner|yank|add)\b/,
  go: /^(get|install|mod (download|tidy))\b/,
  gem: /^(install|update|push|search|fetch|outdated)\b/,
  bundle: /^(install|update|outdated|add)\b/,
  composer: /^(install|update|require|outdated|search|show)\b/,
  docker: /^(pull|push|login|logout|search|run|build|compose (pull|push|up|build))\b/,
  podman: /^(pull|push|login|logout|search|run|build)\b/,
  kubectl: /./,
  helm: /^(install|upgrade|pull|push|repo|search|uninstall|rollback|status|list)\b/,
  terraform: /^(init|plan|apply|destroy|refresh|import)\b/,
  apt: /^(install|update|upgrade|full-upgrade|download)\b/,
  "apt-get": /^(install|update|upgrade|dist-upgrade|download)\b/,
  brew: /^(install|update|upgrade|fetch|tap)\b/,
}

/** Says whether a program talks to another machine, by its name and words. */
export function networkUse(name: string, args: readonly Word[], part: string): NetworkUse | undefined {
  const rest = (name === "git" ? gitCall(args)?.rest : undefined) ?? args
  const known = rest.map((word) => (word.kind === "static" ? word.text : word.source))
  if (name === "rsync" || name === "rsh") {
    const to = hostIn(known)
    return to === undefined ? undefined : { program: name, to, part }
  }
  const subcommands = Object.hasOwn(talking, name) ? talking[name] : undefined
  const operands = known.filter((text) => !text.startsWith("-"))
  if (!talkers.has(name) && subcommands?.test(operands.join(" ")) !== true) return undefined
  const to = hostIn(known) ?? (name === "git" ? remoteIn(rest) : undefined)
  return { program: name, ...(to !== undefined && { to }), part }
}

/** Finds the host in `https://host/path`, `user@host`, `host:path`, `//host`; the first of them. */
function hostIn(words: readonly string[]): string | undefined {
  for (const word of words) {
    if (word.startsWith("-")) continue
    const host =
      /^[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(word)?.[1] ??
      /^(?:[\w.-]+@)([\w.-]+)/.exec(word)?.[1] ??
      /^([\w.-]+):(?!\d*$)/.exec(word)?.[1] ??
      /^((?:[\w-]+\.)+[a-z]{2,}|localhost|\d+(?:\.\d+){3})(?:[:/]|$)/i.exec(word)?.[1]
    if (host !== undefined) return host
  }
  return undefined
}

/** Finds the remote that a subcommand of git names: `origin` in `git push origin main`. */
function remoteIn(rest: readonly Word[]): string | undefined {
  return texts(rest.slice(1))?.find((text) => !text.startsWith("-"))
}

/** Finds the host in a file name that bash takes for a connection: `/dev/tcp/host/80`. */
export function connection(target: Word, part: string): NetworkUse | undefined {
  const path = target.kind === "static" ? target.text : target.prefix
  const found = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(path)
  if (found === null) return undefined
  return { program: "bash", ...(found[1] && { to: found[1] }), part }
}
