/** A number as people read it: "8,388". */
export function figure(count: number): string {
  return Math.round(count).toLocaleString("en-US")
}
