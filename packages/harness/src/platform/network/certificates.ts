const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/

/** True for the error of a connection whose certificate no known authority has signed. */
export function isUntrustedCertificate(error: unknown): boolean {
  return error instanceof Error && "code" in error && UNTRUSTED.test(String(error.code))
}

/** What helps where a network signs certificates of its own. */
export const OWN_CERTIFICATES =
  "If your network has certificates of its own, set NODE_EXTRA_CA_CERTS to the file that holds them (PEM) and start Sotto again."
