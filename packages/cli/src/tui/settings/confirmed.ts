import { existsSync } from "node:fs"
import { join } from "node:path"
import { appendPrivate, privateFolder } from "@sotto/harness"

/** What a user is asked about once: whether they know what they turn on. */
type Matter = "auto"

export function isConfirmed(folder: string, matter: Matter): boolean {
  return existsSync(fileOf(folder, matter))
}

export function confirmed(folder: string, matter: Matter): void {
  privateFolder(folder)
  appendPrivate(fileOf(folder, matter), "")
}

function fileOf(folder: string, matter: Matter): string {
  return join(folder, `confirmed-${matter}`)
}
