/** A PDF that is too long to be shown without saying which pages. */
import { ToolError } from "../../platform/text/errors.js"
export class TooManyPages extends ToolError {
  constructor(
    message: string,
    readonly pages: number,
  ) {
    super(message)
  }
}
