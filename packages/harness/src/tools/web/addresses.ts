import { type LookupAddress, type LookupOptions, lookup } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

/*
 * Which addresses are not of the public internet: this machine, the network that it is in, and what a cloud tells its
 * machines (169.254.169.254). A page must not make the agent reach these.
 */

/** IPv4: this network, private use, carriers', loopback, link-local, protocols, examples, benchmarks, multicast, reserved. */
const NOT_PUBLIC: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]

/** The part of IPv6 that is public, and what of it is not: examples, and tunnels (Teredo) whose end is not known. */
const PUBLIC_6 = ["2000::", 3] as const
const NOT_PUBLIC_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
] as const
/** Prefixes that an IPv4 address follows, and how long they are: mapped, translated (NAT64), and 6to4. */
const WRAPPED = [
  ["::ffff:", 96],
  ["64:ff9b::", 96],
  ["2002:", 16],
] as const

const privateOnes = new BlockList()
const publicOnes = new BlockList()
const wrapped = new BlockList()
for (const [start, bits] of NOT_PUBLIC) {
  privateOnes.addSubnet(start, bits, "ipv4")
  for (const [prefix, length] of WRAPPED) {
    const hex = hexOf(start)
    const whole = prefix === "2002:" ? `${prefix}${hex}::` : `${prefix}${hex}`
    privateOnes.addSubnet(whole, length + bits, "ipv6")
  }
}
for (const [start, bits] of NOT_PUBLIC_6) privateOnes.addSubnet(start, bits, "ipv6")
publicOnes.addSubnet(PUBLIC_6[0], PUBLIC_6[1], "ipv6")
for (const [prefix, length] of WRAPPED.slice(0, 2)) wrapped.addSubnet(`${prefix}0:0`, length, "ipv6")

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** True for an IP address that is not of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "")
  if (isIP(plain) === 4) return privateOnes.check(plain, "ipv4")
  if (isIP(plain) !== 6) return true
  if (privateOnes.check(plain, "ipv6")) return true
  return !publicOnes.check(plain, "ipv6") && !wrapped.check(plain, "ipv6")
}

/**
 * True for a host that is private by its name, without asking anybody: a private address, this machine, a name without a
 * dot, or one that only a local network knows.
 */
export function isPrivateName(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase()
  if (isIP(name) !== 0) return isPrivateAddress(name)
  return !name.includes(".") || /\.(localhost|local|internal|intranet|lan|home\.arpa)$/.test(name)
}

/** Thrown when a host's name leads to nothing but private addresses. */
export class PrivateAddress extends Error {
  override readonly name = "PrivateAddress"
}

type Resolved = Parameters<LookupFunction>[2]

/**
 * Looks a name up for a connection, and hands over the public addresses only. The connection goes to just these, so
 * that no second answer of the name server can lead it elsewhere.
 */
export function publicLookup(host: string, options: LookupOptions, resolved: Resolved): void {
  lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return resolved(error, "")
    const open = found.filter(({ address }) => !isPrivateAddress(address))
    const [first] = open
    if (first === undefined) return resolved(new PrivateAddress(`${host} leads to a private address`), "")
    if (options.all) resolved(null, open)
    else resolved(null, first.address, first.family)
  })
}
