-- Semel 001: keys, parked messages, workers, books.
-- Every name is qualified; ${schema} is the schema that the owner chose.

CREATE SCHEMA IF NOT EXISTS ${schema};

CREATE TABLE ${schema}.schema_version (
  version     int         PRIMARY KEY,
  checksum    text        NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  applied_by  text        NOT NULL DEFAULT session_user
);

-- One row: which database this is. A dump restored elsewhere keeps the id but meets another system
-- identifier or database oid, and workers then refuse to run.
CREATE TABLE ${schema}.installation (
  only_row           boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  id                 uuid        NOT NULL,
  system_identifier  bigint      NOT NULL,
  database_oid       oid         NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO ${schema}.installation (id, system_identifier, database_oid)
SELECT pg_catalog.gen_random_uuid(), c.system_identifier, d.oid
  FROM pg_catalog.pg_control_system() c, pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database();

-- Keys of applied messages. Three plain tables take turns (see slots), so that old keys leave by
-- TRUNCATE of a table that no claim touches.
CREATE TABLE ${schema}.processed_messages_0 (
  consumer      text COLLATE "C" NOT NULL,
  message_id    text COLLATE "C" NOT NULL,
  fingerprint   bytea            NOT NULL,
  processed_at  timestamptz      NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (consumer, message_id)
);
CREATE TABLE ${schema}.processed_messages_1 (LIKE ${schema}.processed_messages_0 INCLUDING ALL);
CREATE TABLE ${schema}.processed_messages_2 (LIKE ${schema}.processed_messages_0 INCLUDING ALL);

-- One row. Current slot = turn mod 3, previous = (turn + 2) mod 3. ends[n + 1] is when slot n stopped
-- being current. A message older than dropped_before cannot be proved new.
CREATE TABLE ${schema}.slots (
  only_row        boolean       PRIMARY KEY DEFAULT true CHECK (only_row),
  turn            bigint        NOT NULL,
  since           timestamptz   NOT NULL,
  ends            timestamptz[] NOT NULL CHECK (pg_catalog.array_length(ends, 1) = 3),
  dropped_before  timestamptz   NOT NULL
);

INSERT INTO ${schema}.slots (turn, since, ends, dropped_before)
VALUES (0, clock_timestamp(), ARRAY['-infinity', '-infinity', '-infinity']::timestamptz[], '-infinity');

-- For people: the keys that are known now.
CREATE VIEW ${schema}.processed_messages AS
SELECT p.consumer, p.message_id, p.fingerprint, p.processed_at
  FROM ${schema}.processed_messages_0 p, ${schema}.slots s WHERE s.turn % 3 IN (0, 1)
UNION ALL
SELECT p.consumer, p.message_id, p.fingerprint, p.processed_at
  FROM ${schema}.processed_messages_1 p, ${schema}.slots s WHERE s.turn % 3 IN (1, 2)
UNION ALL
SELECT p.consumer, p.message_id, p.fingerprint, p.processed_at
  FROM ${schema}.processed_messages_2 p, ${schema}.slots s WHERE s.turn % 3 IN (2, 0);

-- The guard: a transaction that the engine began (semel.guard) cannot commit a key unless the engine
-- has verified this very transaction as its last act. A COMMIT that a handler sends as text fails here.
CREATE FUNCTION ${schema}.refuse_unverified_commit() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF pg_catalog.current_setting('semel.verified', true)
     IS DISTINCT FROM pg_catalog.pg_current_xact_id()::text THEN
    RAISE EXCEPTION 'semel: the handler must not end the transaction'
      USING ERRCODE = 'SE001',
            HINT = 'COMMIT, SET CONSTRAINTS ALL IMMEDIATE and the like are refused in a handler.';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER guard AFTER INSERT ON ${schema}.processed_messages_0
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (pg_catalog.current_setting('semel.guard', true) = 'on')
  EXECUTE FUNCTION ${schema}.refuse_unverified_commit();
CREATE CONSTRAINT TRIGGER guard AFTER INSERT ON ${schema}.processed_messages_1
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (pg_catalog.current_setting('semel.guard', true) = 'on')
  EXECUTE FUNCTION ${schema}.refuse_unverified_commit();
CREATE CONSTRAINT TRIGGER guard AFTER INSERT ON ${schema}.processed_messages_2
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (pg_catalog.current_setting('semel.guard', true) = 'on')
  EXECUTE FUNCTION ${schema}.refuse_unverified_commit();

-- Messages that could not be applied, with their bytes. message_id is NULL where there is no usable
-- key: such rows are nobody's copy.
CREATE TABLE ${schema}.parked_messages (
  id               uuid             PRIMARY KEY,
  consumer         text COLLATE "C" NOT NULL,
  message_id       text COLLATE "C",
  fingerprint      bytea            NOT NULL,
  ordering_key     text COLLATE "C",
  priority         int              NOT NULL DEFAULT 0,
  state            text             NOT NULL CHECK (state IN ('waiting', 'dead')),
  reason           text             NOT NULL,
  attempts         int              NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  deaths           int              NOT NULL DEFAULT 0 CHECK (deaths >= 0),
  copies           int              NOT NULL DEFAULT 0 CHECK (copies >= 0),
  next_attempt_at  timestamptz,
  not_after        timestamptz,
  error_class      text,
  error_message    text,
  error_sqlstate   text,
  first_seen       timestamptz      NOT NULL DEFAULT clock_timestamp(),
  last_seen        timestamptz      NOT NULL DEFAULT clock_timestamp(),
  proved           boolean          NOT NULL,
  lease_token      uuid,
  lease_until      timestamptz,
  properties       json             NOT NULL,
  headers          json             NOT NULL,
  body             bytea            NOT NULL,
  CHECK (state = 'dead' OR next_attempt_at IS NOT NULL),
  CHECK ((lease_token IS NULL) = (lease_until IS NULL))
);
CREATE UNIQUE INDEX parked_messages_key ON ${schema}.parked_messages (consumer, message_id, fingerprint);

-- A consumer's name is the scope of its keys: on another source it would take that source's messages
-- for copies.
CREATE TABLE ${schema}.consumers (
  name           text COLLATE "C" PRIMARY KEY,
  source         text             NOT NULL,
  registered_at  timestamptz      NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE ${schema}.workers (
  id          uuid        PRIMARY KEY,
  host        text        NOT NULL,
  version     text        NOT NULL,
  roles       text[]      NOT NULL,
  lanes       int         NOT NULL,
  batch       int         NOT NULL,
  locks       int         NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at    timestamptz,
  ending      text        CHECK (ending IN ('clean', 'lost')),
  CHECK ((ended_at IS NULL) = (ending IS NULL))
);
CREATE INDEX workers_alive ON ${schema}.workers (seen_at) WHERE ending IS NULL;

CREATE TABLE ${schema}.audit (
  id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  who     text        NOT NULL,
  verb    text        NOT NULL,
  target  text        NOT NULL,
  reason  text        NOT NULL,
  detail  text
);
