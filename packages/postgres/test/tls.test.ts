import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type PostgresServer, startPostgres } from "../../harness/test/postgres-server.js"
import { newAddress, storeAt, usePostgres } from "../../harness/test/store-kinds.js"
import { failing, temporary } from "../../harness/test/store-support.js"

const COMMAND = fileURLToPath(new URL("../../cli/bin/sotto.js", import.meta.url))

const plain = usePostgres()
const folder = mkdtempSync(join(tmpdir(), "sotto-tls-"))
const certificates = makeCertificates()
let server: PostgresServer
beforeAll(async () => {
  const { cert, key, ca } = certificates
  server = await startPostgres({
    ...{ cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8"), ca: readFileSync(ca, "utf8") },
  })
}, 120_000)
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** An authority, a server that it vouches for under the name localhost alone, a client, and a stranger. */
function makeCertificates() {
  const path = (name: string) => join(folder, name)
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" })
  const authority = (name: string) =>
    openssl(
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.crt`],
    )
  const signed = (name: string, extension: string) => {
    writeFileSync(path(`${name}.ext`), extension)
    openssl(
      ...["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`],
    )
    openssl(
      ...["x509", "-req", "-in", `${name}.csr`, "-CA", "authority.crt", "-CAkey", "authority.key"],
      ...["-CAcreateserial", "-days", "2", "-extfile", `${name}.ext`, "-out", `${name}.crt`],
    )
  }
  authority("authority")
  authority("stranger")
  signed("server", "subjectAltName=DNS:localhost")
  signed("client", "extendedKeyUsage=clientAuth")
  return {
    ...{ cert: path("server.crt"), key: path("server.key"), ca: path("authority.crt") },
    ...{ stranger: path("stranger.crt"), clientCert: path("client.crt"), clientKey: path("client.key") },
  }
}

/** An address of a store with these options for TLS. */
function addressWith(options: Readonly<Record<string, string>>, host = "127.0.0.1", of = server): string {
  const url = new URL(newAddress(of))
  url.hostname = host
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value)
  url.searchParams.set("listen", "none")
  return url.href
}

/** Opens the store, and says what the server knows of how it is connected. */
async function connection(address: string, of = server) {
  const application = `tls ${Math.random()}`
  const url = new URL(address)
  url.searchParams.set("application_name", application)
  await storeAt(url.href)
  const [row] = await of.query(
    "SELECT ssl, client_dn FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1",
    [application],
  )
  return row
}

describe("a store of a server that has TLS", () => {
  it.each([
    { options: {}, ssl: true },
    { options: { sslmode: "prefer" }, ssl: true },
    { options: { sslmode: "require" }, ssl: true },
    { options: { sslmode: "disable" }, ssl: false },
  ])("is encrypted by $options: $ssl, whoever signed the certificate", async ({ options, ssl }) => {
    expect(await connection(addressWith(options))).toMatchObject({ ssl })
  })

  it("is checked as verify-ca, verify-full, and require with an authority say", async () => {
    const sslrootcert = certificates.ca
    for (const sslmode of ["require", "verify-ca"]) {
      expect(await connection(addressWith({ sslmode, sslrootcert }))).toMatchObject({ ssl: true })
      const wrong = addressWith({ sslmode, sslrootcert: certificates.stranger })
      expect(await failing(() => storeAt(wrong))).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(/is not trusted: .*sslrootcert=FILE/),
      })
    }
    const full = { sslmode: "verify-full", sslrootcert }
    expect(await connection(addressWith(full, "localhost"))).toMatchObject({ ssl: true })
    const otherName = await failing(() => storeAt(addressWith(full)))
    expect(otherName.message).toMatch(/not trusted: .*127\.0\.0\.1/)
    const noAuthority = await failing(() => storeAt(addressWith({ sslmode: "verify-full" }, "localhost")))
    expect(noAuthority.message).toMatch(/not trusted/)
    const ofTheSystem = { sslmode: "verify-ca", sslrootcert: "system" }
    expect((await failing(() => storeAt(addressWith(ofTheSystem)))).message).toMatch(/not trusted/)
  })

  it("takes the variables of libpq, and the address counts more", async () => {
    vi.stubEnv("PGSSLMODE", "verify-ca")
    vi.stubEnv("PGSSLROOTCERT", certificates.stranger)
    try {
      expect((await failing(() => storeAt(addressWith({})))).message).toMatch(/not trusted/)
      expect(await connection(addressWith({ sslrootcert: certificates.ca }))).toMatchObject({ ssl: true })
      expect(await connection(addressWith({ sslmode: "disable" }))).toMatchObject({ ssl: false })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it("is shown the certificate of the client", async () => {
    const { clientCert: sslcert, clientKey: sslkey } = certificates
    expect(await connection(addressWith({ sslmode: "require", sslcert, sslkey }))).toMatchObject({
      client_dn: "/CN=client",
    })
  })

  it("is opened by sslmode=require without a warning", () => {
    const address = addressWith({ sslmode: "require" })
    const env = { PATH: process.env.PATH ?? "", HOME: temporary(), SOTTO_STORE: address }
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, "store", "migrate"], {
      ...{ env, encoding: "utf8" },
    })
    expect([status, stderr]).toEqual([0, ""])
  })
})

describe("a store of a server without TLS", () => {
  it("is used unencrypted if that is allowed, and refused if not", async () => {
    for (const options of [{}, { sslmode: "prefer" }, { sslmode: "disable" }])
      expect(await connection(addressWith(options, "127.0.0.1", plain()), plain())).toMatchObject({
        ssl: false,
      })
    const refused = await failing(() => storeAt(addressWith({ sslmode: "require" }, "127.0.0.1", plain())))
    expect(refused.message).toMatch(/cannot be reached: The server does not support SSL/)
  })
})

it.each([
  [{ sslmode: "sometimes" }, /sslmode=sometimes.*verify-full/],
  [{ sslcrl: "revoked.pem" }, /sslcrl of the store's address is not known/],
  [
    { sslmode: "verify-ca", sslrootcert: "/none.crt" },
    /\/none\.crt cannot be read \(ENOENT\).*PGSSLROOTCERT/,
  ],
] as const)("an address with %o is refused with what is wrong", async (options, message) => {
  expect((await failing(() => storeAt(addressWith(options)))).message).toMatch(message)
})
