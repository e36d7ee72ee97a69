import { ranked } from "../input/completion.js"
import type { Picker, PickerItem } from "./ui.js"

export function picker(title: string, items: readonly PickerItem[]): Picker {
  return { title, items, filter: "", chosen: 0 }
}

export function moved(picker: Picker, by: number): Picker {
  const last = Math.max(0, picker.items.length - 1)
  return { ...picker, chosen: Math.max(0, Math.min(last, picker.chosen + by)) }
}

export function narrowed(picker: Picker, filter: string, all: readonly PickerItem[]): Picker {
  return { ...picker, filter, chosen: 0, items: ranked(filter, all, ({ label }) => label, all.length) }
}
