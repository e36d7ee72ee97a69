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
  decoderOf,
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
export { closing, encoderOf, type Fragment, fragmentOf, type Layout, opening } from "../wire/incremental.js"
export { textBlocks } from "../wire/message.js"
export { Problems } from "../wire/problems.js"
