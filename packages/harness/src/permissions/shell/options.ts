import { type Judgement, type Program, type ReadPath, unknown } from "./judgement.js"
import { mayBeOption, type Word } from "./words.js"

/** The command line of a program that is understood option by option. What is not listed makes it unknown. */
export interface Options {
  /** Options that stand alone, or hold their value. */
  readonly flags: RegExp
  /** Options that are followed by their value. */
  readonly valued?: RegExp
  /** Of those, the ones whose value is a file that is read. */
  readonly files?: RegExp
  /** Options that write. */
  readonly writing?: RegExp
  /** More operands than these are written to. */
  readonly most?: number
  /** Operands before the files: a pattern, a format. */
  readonly before?: number
  /** Options that bring the pattern along, so that all operands are files. */
  readonly instead?: RegExp
  /** Whether operands are folders that are read with everything below: always, or with an option. */
  readonly below?: RegExp | true
  /** Whether links below the operands are followed: always, or with an option. */
  readonly follows?: RegExp | true
  /** Read where there is no operand. */
  readonly otherwise?: string
  /** Operands are no files. */
  readonly noFiles?: true
  /** Unknown words are taken for operands: no option does harm. */
  readonly lenient?: true
}

export interface Parsed {
  readonly options: readonly string[]
  readonly operands: readonly Word[]
  readonly files: readonly Word[]
}

export function parseOptions(args: readonly Word[], spec: Options): Parsed | undefined {
  const options: string[] = []
  const operands: Word[] = []
  const files: Word[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) break
    // Where the next operand would be written to, some versions take no options after the first one: `uniq a -c`.
    if (spec.most !== undefined && operands.length > 0) {
      operands.push(...args.slice(at))
      break
    }
    if (word.kind === "static" && word.text === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (word.kind !== "static") {
      if (mayBeOption(word) && !spec.lenient) return undefined
      operands.push(word)
    } else if (!word.text.startsWith("-") || word.text === "-") operands.push(word)
    else if (spec.valued?.test(word.text)) {
      const value = args[++at]
      if (value === undefined || (!spec.lenient && value.kind === "dynamic" && value.splits)) return undefined
      options.push(word.text)
      if (spec.files?.test(word.text)) files.push(value)
    } else if (spec.flags.test(word.text)) options.push(word.text)
    else return undefined
  }
  return { options, operands, files }
}

export function program(spec: Options): Program {
  return (args) => {
    if (args.some((word) => word.kind === "static" && spec.writing?.test(word.text)))
      return { effect: "write" }
    const parsed = parseOptions(args, spec)
    return parsed === undefined ? unknown : judged(parsed, spec)
  }
}

function judged({ options, operands, files }: Parsed, spec: Options): Judgement {
  if (spec.most !== undefined && operands.length > spec.most) return { effect: "write" }
  // One that becomes several words names a file to write to.
  if (
    spec.most !== undefined &&
    operands.some((word) => word.kind === "pattern" || (word.kind === "dynamic" && word.splits))
  )
    return unknown
  if (spec.noFiles) return { effect: "read", reads: files.map((path) => ({ path })) }
  const skipped = options.some((option) => spec.instead?.test(option)) ? 0 : (spec.before ?? 0)
  // A pattern that is not known may turn out to be an option that names a file.
  const paths = operands.filter((word, at) => at >= skipped || (word.kind !== "static" && mayBeOption(word)))
  const below = applies(spec.below, options)
  const follows = below && applies(spec.follows, options)
  const otherwise: readonly Word[] =
    paths.length === 0 && spec.otherwise !== undefined && (below || spec.below === undefined)
      ? [{ kind: "static", text: spec.otherwise, source: spec.otherwise }]
      : []
  const reads: ReadPath[] = [...paths, ...otherwise].map((path) => ({
    path,
    ...(below && { below }),
    ...(follows && { follows }),
  }))
  return {
    effect: "read",
    reads: [...reads, ...[...files, ...attached(options, spec)].map((path) => ({ path }))],
  }
}

function applies(rule: RegExp | true | undefined, options: readonly string[]): boolean {
  return rule === true || (rule !== undefined && options.some((option) => rule.test(option)))
}

/** `--file=F` and `-fF`. */
function attached(options: readonly string[], spec: Options): readonly Word[] {
  return options.flatMap((option): readonly Word[] => {
    const long = /^--(?:file|exclude-from|files0-from|reference|from-file|ignore-file)=(.+)$/s.exec(
      option,
    )?.[1]
    const text = long ?? (spec.files && !option.startsWith("--") ? /f(.+)$/s.exec(option)?.[1] : undefined)
    return text === undefined ? [] : [{ kind: "static", text, source: text }]
  })
}
