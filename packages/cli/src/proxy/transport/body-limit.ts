/**
 * Bytes of one body, as it passes and unpacked, that the proxy reads into memory to analyse, record or mend it. More than
 * providers take. A larger body passes like any other.
 */
export const LARGEST_BODY = 128 * 1024 * 1024

/** Bytes of requests that are read at once to be mended. What comes while there are so many passes unmended. */
export const LARGEST_READING = 384 * 1024 * 1024

/** Completes "the request is …". */
export const TOO_LARGE = `larger than ${LARGEST_BODY / 1024 / 1024} MB, which is as much as the proxy reads`
