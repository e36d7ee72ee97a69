/** What kind of store it is, and how it is told of what others post. */
export interface StoreState {
  readonly kind: "sqlite" | "postgres"
  /** Of the schema. */
  readonly version: number
  /** "nothing" while no session is open and no listener wants to hear of posts. */
  readonly hearing: "files" | "notifications" | "polling" | "nothing"
  /** Why it has to poll. */
  readonly why?: string
}
