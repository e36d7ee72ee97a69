import { join } from "node:path"
import ts from "typescript"

const root = join(import.meta.dirname, "../../../..")

/** A program of these texts by their paths, compiled as tests are. Paths need not exist on disk. */
export function programOf(texts: ReadonlyMap<string, string>): ts.Program {
  const config = ts.readConfigFile(join(root, "tsconfig.test.json"), ts.sys.readFile)
  const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(
    config.config,
    ts.sys,
    root,
  ).options
  const host = ts.createCompilerHost(options)
  const [read, exists, getSource] = [host.readFile, host.fileExists, host.getSourceFile]
  host.readFile = (path) => texts.get(path) ?? read(path)
  host.fileExists = (path) => texts.has(path) || exists(path)
  // Folders may be in memory only.
  host.directoryExists = () => true
  host.getSourceFile = (path, version) => {
    const text = texts.get(path)
    return text === undefined ? getSource(path, version) : ts.createSourceFile(path, text, version)
  }
  return ts.createProgram([...texts.keys()], { ...options, incremental: false }, host)
}
