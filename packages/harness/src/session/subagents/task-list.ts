import { ToolError } from "../../platform/text/errors.js"
export interface SharedTask {
  readonly id: string
  readonly content: string
  readonly status: string
  readonly owner?: string
}

type Change = Partial<Omit<SharedTask, "id">>

const MOST = 100
const MARKS: Readonly<Record<string, string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" }

/** The list that a team shares. All members see each change, whichever of them made it. */
export class TaskList {
  #items: readonly SharedTask[]
  readonly #changed: (items: readonly SharedTask[]) => void

  constructor(items: readonly SharedTask[], changed: (items: readonly SharedTask[]) => void) {
    this.#items = items
    this.#changed = changed
  }

  get items(): readonly SharedTask[] {
    return this.#items
  }

  create(content: string, owner?: string): SharedTask {
    checkContent(content)
    const id = String(Math.max(0, ...this.#items.map((item) => Number(item.id))) + 1)
    const item = { id, content, status: "pending", ...(owner !== undefined && { owner }) }
    this.#set([...this.#withRoom(), item])
    return item
  }

  update(id: string, change: Change): void {
    if (change.content !== undefined) checkContent(change.content)
    const wanted = id.replace(/^#/, "")
    if (!this.#items.some((item) => item.id === wanted))
      throw new ToolError(`There is no task ${JSON.stringify(id)} in the list.\n${this.shown()}`)
    this.#set(this.#items.map((item) => (item.id === wanted ? { ...item, ...change } : item)))
  }

  shown(): string {
    if (this.#items.length === 0) return "The list is empty."
    return this.#items.map(line).join("\n")
  }

  /** Makes room by removing what is done, the oldest first. */
  #withRoom(): readonly SharedTask[] {
    if (this.#items.length < MOST) return this.#items
    const done = this.#items.find(({ status }) => status === "completed")
    if (done === undefined)
      throw new ToolError(`The list has ${MOST} tasks, and none is completed. Complete some first.`)
    return this.#items.filter((item) => item !== done)
  }

  #set(items: readonly SharedTask[]): void {
    this.#items = items
    this.#changed(items)
  }
}

function line({ id, content, status, owner }: SharedTask): string {
  return `${MARKS[status] ?? `[${status}]`} #${id} ${content}${owner === undefined ? "" : ` (${owner})`}`
}

function checkContent(content: string): void {
  if (content.trim() === "") throw new ToolError("`content` is empty. Say what is to be done.")
}
