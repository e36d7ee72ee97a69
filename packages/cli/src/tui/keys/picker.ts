import type { KeyEvent } from "../input/keys.js"
import { moved, narrowed } from "../state/picker.js"
import type { Picker, PickerItem } from "../state/ui.js"
import { graphemesOf } from "../text/width.js"
import type { Actions } from "./actions.js"

const PAGE = 8

/** Keys while there is a list to choose from. */
export function pickerKey(event: KeyEvent, all: readonly PickerItem[], actions: Actions): void {
  const { picker } = actions.ui()
  if (picker === undefined) return
  const change = (edit: (picker: Picker) => Picker) =>
    actions.update((ui) => (ui.picker ? { ...ui, picker: edit(ui.picker) } : ui))
  if (event.type === "text" || event.type === "paste")
    change((one) => narrowed(one, one.filter + event.text.replaceAll("\n", " "), all))
  if (event.type !== "key") return
  const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE, tab: 1 }
  const by = steps[event.name]
  if (by !== undefined) change((one) => moved(one, event.shift ? -by : by))
  else if (event.name === "enter") actions.picked(picker.items[picker.chosen]?.value)
  else if (event.name === "escape") actions.picked(undefined)
  else if (event.name === "backspace")
    change((one) => narrowed(one, graphemesOf(one.filter).slice(0, -1).join(""), all))
}
