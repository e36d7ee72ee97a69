/** Says what was thrown, in words. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder.",
  EACCES: "you have no permission. Check its owner and its mode, and those of its folder.",
  EPERM: "you have no permission. Check its owner and its mode, and those of its folder.",
  EROFS: "the disk is read-only.",
  ENOSPC: "the disk is full.",
  EDQUOT: "your quota on the disk is used up.",
  EISDIR: "it is a folder.",
  ENOTDIR: "a part of its path is a file and not a folder.",
}

/** Says why a file cannot be read or written, in a sentence for people instead of the system's code. */
export function fileReason(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : ""
  return FILE_REASONS[code] ?? reasonOf(thrown)
}

/** A call that cannot be carried out, in words for the model: what was wrong and what to do instead. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
