import type { PostgresServer } from "../../../harness/test/postgres-server.js"

/** A lease that was granted or given back, by the database's clock, in the order of the database. */
export interface LeaseChange {
  readonly session: string
  readonly fence: number
  readonly is: "granted" | "released"
  /** The life of the worker that changed it. */
  readonly by: string
  readonly at: number
  /** When the lease before it ended, at the moment of the grant; undefined for the first. */
  readonly before: number | undefined
}

export interface Append {
  readonly session: string
  readonly seq: number
  readonly by: string
  readonly at: number
  /** Whose lease it was in the same transaction. */
  readonly holder: string
}

/**
 * Has the database itself write down every change of a lease and every append, with the connection that made it: each
 * worker's life connects under a name of its own.
 */
export async function watchHistory(database: PostgresServer, schema: string): Promise<void> {
  await database.query(`
    CREATE TABLE ${schema}.fleet_leases (n bigserial PRIMARY KEY, session bigint, fence bigint, is_granted boolean,
      by text, at timestamptz, before timestamptz);
    CREATE TABLE ${schema}.fleet_appends (n bigserial PRIMARY KEY, session bigint, seq integer, by text, at timestamptz,
      holder text);
    CREATE FUNCTION ${schema}.fleet_lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        INSERT INTO ${schema}.fleet_leases (session, fence, is_granted, by, at) VALUES
          (NEW.session, NEW.fence, true, current_setting('application_name'), clock_timestamp());
      ELSIF NEW.fence <> OLD.fence THEN
        INSERT INTO ${schema}.fleet_leases (session, fence, is_granted, by, at, before) VALUES
          (NEW.session, NEW.fence, true, current_setting('application_name'), clock_timestamp(), OLD.until);
      ELSIF NEW.until = '-infinity' AND OLD.until <> '-infinity' THEN
        INSERT INTO ${schema}.fleet_leases (session, fence, is_granted, by, at) VALUES
          (NEW.session, NEW.fence, false, current_setting('application_name'), clock_timestamp());
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER fleet AFTER INSERT OR UPDATE ON ${schema}.leases FOR EACH ROW EXECUTE FUNCTION ${schema}.fleet_lease();
    CREATE FUNCTION ${schema}.fleet_append() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO ${schema}.fleet_appends (session, seq, by, at, holder) VALUES (NEW.session, NEW.seq,
        current_setting('application_name'), clock_timestamp(),
        (SELECT by FROM ${schema}.fleet_leases l WHERE l.session = NEW.session AND is_granted ORDER BY n DESC LIMIT 1));
      RETURN NULL;
    END $$;
    CREATE TRIGGER fleet AFTER INSERT ON ${schema}.entries FOR EACH ROW EXECUTE FUNCTION ${schema}.fleet_append();
  `)
}

export async function leaseChanges(
  database: PostgresServer,
  schema: string,
): Promise<readonly LeaseChange[]> {
  const rows = await database.query(
    `SELECT s.id, l.fence, l.is_granted, l.by, extract(epoch FROM l.at) * 1000 AS at,
       CASE WHEN l.before = '-infinity' THEN 0 ELSE extract(epoch FROM l.before) * 1000 END AS before
       FROM ${schema}.fleet_leases l JOIN ${schema}.sessions s ON s.key = l.session ORDER BY l.n`,
  )
  return rows.map((row) => ({
    session: String(row.id),
    fence: Number(row.fence),
    is: row.is_granted === true ? "granted" : "released",
    by: String(row.by),
    at: Number(row.at),
    before: row.before === null ? undefined : Number(row.before),
  }))
}

export async function appends(database: PostgresServer, schema: string): Promise<readonly Append[]> {
  const rows = await database.query(
    `SELECT s.id, a.seq, a.by, extract(epoch FROM a.at) * 1000 AS at, a.holder
       FROM ${schema}.fleet_appends a JOIN ${schema}.sessions s ON s.key = a.session ORDER BY a.n`,
  )
  return rows.map((row) => ({
    session: String(row.id),
    seq: Number(row.seq),
    by: String(row.by),
    at: Number(row.at),
    holder: String(row.holder),
  }))
}
