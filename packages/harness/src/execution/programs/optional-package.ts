/**
 * Loads a package that is installed only by users who want it. Returns undefined if it is not there. The name is a value
 * and not a literal, so that no bundler takes the package in.
 */
export async function optionalPackage<Package>(name: string): Promise<Package | undefined> {
  try {
    return (await import(/* @vite-ignore */ name)) as Package
  } catch (error) {
    if (isMissing(error, name)) return undefined
    throw error
  }
}

/** True if the package itself was not found, and not something that it imports. */
function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return code === "ERR_MODULE_NOT_FOUND" && String(error).includes(`'${name}'`)
}
