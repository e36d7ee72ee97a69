import { ranked } from "../input/completion.js"
import type { Picker, PickerItem } from "./ui.js"

export function picker(
  title: string,
  items: readonly PickerItem[],
  order: Picker["order"] = "best first",
): Picker {
  return { title, items, filter: "", chosen: 0, order }
}

export function moved(picker: Picker, by: number): Picker {
  const last = Math.max(0, picker.items.length - 1)
  return { ...picker, chosen: Math.max(0, Math.min(last, picker.chosen + by)) }
}

export function narrowed(picker: Picker, filter: string, all: readonly PickerItem[]): Picker {
  const items =
    picker.order === "in order"
      ? all.filter(({ label }) => hasWords(label, filter))
      : ranked(filter, all, ({ label }) => label, all.length)
  return { ...picker, filter, chosen: 0, items }
}

function hasWords(label: string, filter: string): boolean {
  const lower = label.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
