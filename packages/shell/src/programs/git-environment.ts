/**
 * Settings that keep git from running programs which a repository's own configuration names. They win over every
 * configuration file, and git hands them on to the submodules it looks at.
 */
const settings: readonly (readonly [name: string, value: string])[] = [
  // A repository that lies inside another one as plain files does not count as one.
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.askPass", "false"],
  ["core.editor", "false"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["core.alternateRefsCommand", "true"],
  ["sequence.editor", "false"],
  ["credential.helper", ""],
  // Looking at differences would write what it learned about the files into the index.
  ["diff.autoRefreshIndex", "false"],
  ["diff.submodule", "short"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["log.showSignature", "false"],
  ["protocol.ext.allow", "never"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
]

/**
 * The environment in which git runs for a command that was judged to read. What the environment cannot switch off
 * (filters, text converters and external diffs of a named driver, included files) is looked for in the repository's
 * configuration instead: see `git-repository.ts`.
 */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_ASKPASS: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
}
