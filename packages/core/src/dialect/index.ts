/**
 * For a dialect of your own: the encoder that the HTTP dialects share, which encodes each message once and writes the
 * same bytes every time, and what their decoders and validators are made of. See docs/own-dialect.md.
 */
export { cutAtLimit, endedBy } from "../message/reply.js"
export { breakpoints } from "../wire/breakpoints.js"
export type { Dialect } from "../wire/contract.js"
export {
  bareModel,
  callPart,
  type Decoder,
  type Delta,
  type EncodeOptions,
  eventData,
  eventObject,
  field,
  inputObject,
  listField,
  MalformedReply,
  numberField,
  type Problem,
  ProviderError,
  parseInput,
  stringField,
  wireId,
} from "../wire/dialect.js"
export { encoderOf, type Fragment, type Layout } from "../wire/incremental.js"
export { textBlocks } from "../wire/message.js"
export { closing, fragmentOf, opening } from "../wire/openai/write.js"
export { Problems } from "../wire/problems.js"
