/** A step from one version of the schema to the next. What has been released is never edited: add another. */
export interface Migration {
  /** The oldest version of the schema that a program must know to work on the result. */
  readonly minReader: number
  readonly sql: (schema: string) => string
}

/**
 * Steps only add: tables, columns that may be absent, indexes on small tables. Workers that know an older version then
 * go on while a newer one migrates. A step after which they could not sets `minReader` to its own number: they lose
 * their sessions then, and take no more. A step holds its tables until its end, so it must not read all of `entries`.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    minReader: 1,
    // An append updates the rows of a session and of its lease: room on the page keeps the indexes out of it.
    sql: (schema) => `
  CREATE TABLE ${schema}.sessions (
    key       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        text NOT NULL UNIQUE,
    cwd       text NOT NULL,
    title     text,
    summary   text,
    parent    text,
    workspace text,
    agent     text NOT NULL,
    model     text NOT NULL,
    created   double precision NOT NULL,
    updated   double precision NOT NULL,
    entries   integer NOT NULL,
    messages  integer NOT NULL,
    at_work   boolean NOT NULL DEFAULT false
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_at_work ON ${schema}.sessions (key) WHERE at_work;
  CREATE INDEX sessions_of_parent ON ${schema}.sessions (parent) WHERE parent IS NOT NULL;
  CREATE INDEX sessions_of_folder ON ${schema}.sessions (cwd);
  -- The body is text and not jsonb: the exact line must come back, and jsonb refuses an escaped NUL.
  CREATE TABLE ${schema}.entries (
    session bigint NOT NULL REFERENCES ${schema}.sessions (key),
    seq     integer NOT NULL,
    body    text NOT NULL,
    PRIMARY KEY (session, seq)
  );
  -- Texts of files may hold a NUL, which a text may not.
  CREATE TABLE ${schema}.contents (
    hash  text PRIMARY KEY,
    bytes bytea NOT NULL
  );
  CREATE TABLE ${schema}.posted (
    number  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session bigint NOT NULL REFERENCES ${schema}.sessions (key),
    id      text NOT NULL,
    body    text NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    done    boolean NOT NULL DEFAULT false,
    outcome text,
    UNIQUE (session, id)
  );
  CREATE INDEX posted_waiting ON ${schema}.posted (session, number) WHERE NOT done;
  CREATE INDEX posted_done ON ${schema}.posted (at) WHERE done;
  -- The row stays when a lease is given back: its fence must never go back.
  CREATE TABLE ${schema}.leases (
    session bigint PRIMARY KEY REFERENCES ${schema}.sessions (key),
    fence   bigint NOT NULL,
    token   text NOT NULL,
    worker  text NOT NULL,
    pid     integer NOT NULL,
    host    text NOT NULL,
    until   timestamptz NOT NULL,
    asking  text
  ) WITH (fillfactor = 50);
  `,
  },
  {
    minReader: 1,
    // What people and programs say of a session to find it again, as JSON: a list of texts, and an object of texts.
    sql: (schema) => `
  ALTER TABLE ${schema}.sessions ADD COLUMN labels text;
  ALTER TABLE ${schema}.sessions ADD COLUMN metadata text;
  `,
  },
]

/** What a worker may do with each table, beside reading it. It neither changes what is in a log nor migrates. */
export const RIGHTS = {
  sessions: ["INSERT", "UPDATE", "DELETE"],
  entries: ["INSERT", "DELETE"],
  contents: ["INSERT", "DELETE"],
  posted: ["INSERT", "UPDATE", "DELETE"],
  leases: ["INSERT", "UPDATE", "DELETE"],
  migrations: [],
} as const
