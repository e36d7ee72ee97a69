/**
 * For a dialect of your own: the encoder that the HTTP dialects share, which encodes each message once and writes the
 * same bytes every time, and what their decoders and validators are made of. See docs/own-dialect.md.
 */

export { breakpoints } from "./dialects/breakpoints.js"
export type { Dialect } from "./dialects/contract.js"
export {
  callPart,
  type Decoder,
  type Delta,
  decoderOf,
  type EncodeOptions,
  eventData,
  eventObject,
  MalformedReply,
  type Problem,
  ProviderError,
} from "./dialects/dialect.js"
export {
  closing,
  encoderOf,
  type Fragment,
  fragmentOf,
  type Layout,
  opening,
} from "./dialects/incremental.js"
export { isMarker, Problems, withoutMarkers } from "./dialects/problems.js"
export {
  bareModel,
  field,
  inputObject,
  jsonIn,
  listField,
  numberField,
  parseInput,
  stringField,
  wireId,
} from "./vocabulary/fields.js"
export { cutAtLimit, endedBy } from "./vocabulary/reply.js"
export { textBlocks } from "./vocabulary/wire-message.js"
