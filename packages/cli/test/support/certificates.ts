import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

/*
 * Certificates for tests, made as they are needed, so that no key is in the repository: just enough of X.509 and its
 * encoding (DER) for an authority and a server.
 */

/** A key and its certificate, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** An authority that signs for these hosts. */
export interface Authority {
  /** What clients have to trust, as PEM. */
  readonly cert: string
  for(...hosts: readonly string[]): Certificate
}

export function newAuthority(): Authority {
  const issuer = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = nameOf("Sotto's test authority")
  // The authority signs its own.
  const cert = certificate(name, name, issuer.publicKey, issuer.privateKey, [
    extension("2.5.29.19", sequence(Buffer.from([1, 1, 0xff])), true),
  ])
  return {
    cert,
    for: (...hosts) => {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const names = hosts.map((host) => tagged(0x82, Buffer.from(host)))
      return {
        key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: certificate(nameOf(hosts[0] ?? ""), name, own.publicKey, issuer.privateKey, [
          extension("2.5.29.17", sequence(...names)),
        ]),
      }
    },
  }
}

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"))
let serial = 1

function certificate(
  subject: Buffer,
  issuer: Buffer,
  publicKey: KeyObject,
  signer: KeyObject,
  extensions: readonly Buffer[],
): string {
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial++])),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(tagged(0x17, Buffer.from("240101000000Z")), tagged(0x17, Buffer.from("490101000000Z"))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", body, signer)])
  const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, signature))
  const lines = der.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`
}

function nameOf(text: string): Buffer {
  return sequence(tagged(0x31, sequence(oid("2.5.4.3"), tagged(0x0c, Buffer.from(text)))))
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [Buffer.from([1, 1, 0xff])] : []), tagged(0x04, value))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number)
  const bytes = rest.flatMap((number) => {
    const digits = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}
