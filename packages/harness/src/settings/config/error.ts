/** Something a user wrote that cannot be used: where it stands, what is wrong with it, what to write instead. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"

  constructor(
    readonly file: string,
    /** From 1. */
    readonly line: number,
    /** As a path: "agents.review.steps"; empty where no single field is meant. */
    readonly field: string,
    readonly what: string,
    readonly remedy: string,
  ) {
    super([`${file}:${line}`, ...(field === "" ? [] : [field]), `${what} ${remedy}`].join(": "))
  }
}
