/** "Sott" in ASCII: marks the file as Sotto's. */
export const APPLICATION = 0x536f7474

/** Each takes the schema one version further. What has been released is never edited: add another. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    key      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    cwd      TEXT NOT NULL,
    title    TEXT,
    parent   TEXT,
    agent    TEXT NOT NULL,
    model    TEXT NOT NULL,
    created  INTEGER NOT NULL,
    updated  INTEGER NOT NULL,
    entries  INTEGER NOT NULL,
    messages INTEGER NOT NULL
  );
  CREATE INDEX sessions_by_folder ON sessions (cwd, updated);
  CREATE TABLE entries (
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq     INTEGER NOT NULL,
    body    TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) WITHOUT ROWID;
  CREATE TABLE locks (
    session INTEGER PRIMARY KEY REFERENCES sessions (key),
    token   TEXT NOT NULL,
    pid     INTEGER NOT NULL,
    birth   TEXT NOT NULL,
    place   TEXT NOT NULL,
    beat    INTEGER NOT NULL
  );
  `,
  `
  CREATE TABLE contents (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  );
  `,
  `
  ALTER TABLE sessions ADD COLUMN summary TEXT;
  -- Every entry would have to update it, and nobody has so many sessions that a list needs it.
  DROP INDEX sessions_by_folder;
  `,
  `
  -- Commands for a session that another process has open. Its holder carries them out.
  CREATE TABLE posted (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key),
    id      TEXT NOT NULL,
    body    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    done    INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    UNIQUE (session, id)
  );
  -- The questions that the holder has put to a person, for others who can answer.
  ALTER TABLE locks ADD COLUMN asking TEXT;
  `,
  `
  -- Where the session can be run, and whether its holder was at work when it last said so.
  ALTER TABLE sessions ADD COLUMN workspace TEXT;
  ALTER TABLE sessions ADD COLUMN at_work INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- What people and programs say of it to find it again, as JSON: a list of texts, and an object of texts.
  ALTER TABLE sessions ADD COLUMN labels TEXT;
  ALTER TABLE sessions ADD COLUMN metadata TEXT;
  `,
]
