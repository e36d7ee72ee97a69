import { ToolError } from "../tools/tool.js"

/** A PDF that is too long to be shown without saying which pages. */
export class TooManyPages extends ToolError {
  constructor(
    message: string,
    readonly pages: number,
  ) {
    super(message)
  }
}
