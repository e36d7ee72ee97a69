/**
 * Settings that keep git from running programs which a repository's own configuration names. They win over every
 * configuration file, and git hands them on to the submodules it looks at.
 */
const settings: readonly (readonly [name: string, value: string])[] = [
  // A repository that lies inside another one as plain files is none.
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.alternateRefsCommand", "true"],
  // Looking at differences would write what it learned about the files into the index.
  ["diff.autoRefreshIndex", "false"],
  ["diff.submodule", "short"],
  ["log.showSignature", "false"],
  ["protocol.ext.allow", "never"],
  ["status.submoduleSummary", "false"],
]

/**
 * The environment in which git runs in every command. It leaves alone what a command needs that the user approved, such
 * as `git push` or a signed commit: access by SSH, credentials, signatures. What the environment cannot switch off
 * (filters, text converters and external diffs of a named driver, included files) is looked for in the repository's
 * configuration instead: see `git-repository.ts`.
 */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
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
