-- Semel 002: parking. Runs that died leave a trace, parked messages run again, books are kept.
-- Every name is qualified; ${schema} is the schema that the owner chose.

-- The order of parking, which is the order in which the messages of one ordering key run. A message
-- that is replayed goes to the end.
CREATE SEQUENCE ${schema}.parked_messages_seq;
ALTER TABLE ${schema}.parked_messages
  ADD COLUMN seq           bigint  NOT NULL DEFAULT pg_catalog.nextval('${schema}.parked_messages_seq'),
  -- How often an operator had the message run again though its key was processed.
  ADD COLUMN generation    int     NOT NULL DEFAULT 0 CHECK (generation >= 0),
  -- It was in a run that died: it runs while its process holds nothing else.
  ADD COLUMN alone         boolean NOT NULL DEFAULT false,
  ADD COLUMN lease_worker  uuid;

-- Those that never failed run in batches, the others one by one.
CREATE INDEX parked_messages_due
  ON ${schema}.parked_messages (consumer, alone, (attempts = 0), next_attempt_at)
  WHERE state = 'waiting' AND ordering_key IS NULL AND lease_token IS NULL;
CREATE INDEX parked_messages_order ON ${schema}.parked_messages (consumer, ordering_key, seq)
  WHERE state = 'waiting' AND ordering_key IS NOT NULL;
CREATE INDEX parked_messages_next ON ${schema}.parked_messages (consumer, next_attempt_at)
  WHERE state = 'waiting' AND lease_token IS NULL;
CREATE INDEX parked_messages_alone ON ${schema}.parked_messages (consumer, next_attempt_at)
  WHERE state = 'waiting' AND alone;
CREATE INDEX parked_messages_leased ON ${schema}.parked_messages (consumer, lease_until)
  WHERE lease_token IS NOT NULL;
CREATE INDEX parked_messages_list ON ${schema}.parked_messages (consumer, state, seq);
CREATE INDEX parked_messages_by_seq ON ${schema}.parked_messages (seq);

-- What a lane is about to run while messages in it may have killed a process before. Emptied by the
-- run's own transaction; a key in it that can be locked was in a run that died.
CREATE TABLE ${schema}.started (
  worker    uuid             NOT NULL,
  consumer  text COLLATE "C" NOT NULL,
  lane      int              NOT NULL,
  keys      text[]           NOT NULL,
  since     timestamptz      NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (consumer, worker, lane)
);
-- Rewritten with each batch of suspects: kept in the row, so that no TOAST is left behind.
ALTER TABLE ${schema}.started ALTER COLUMN keys SET STORAGE MAIN;

-- Which process of which machine a worker is, where that can be told: then a successor on the same
-- machine need not wait for the silence of 30 seconds.
ALTER TABLE ${schema}.workers ADD COLUMN process text;

-- Entries of the books, added in the transaction of what they count; over several rows, so that lanes
-- do not wait for each other.
CREATE TABLE ${schema}.book_entries (
  consumer  text COLLATE "C" NOT NULL,
  account   text             NOT NULL CHECK (account IN ('parked', 'applied', 'duplicate', 'discarded')),
  shard     int              NOT NULL,
  amount    bigint           NOT NULL,
  PRIMARY KEY (consumer, account, shard)
);
INSERT INTO ${schema}.book_entries (consumer, account, shard, amount)
SELECT q.consumer, 'parked', 0, count(*) FROM ${schema}.parked_messages q GROUP BY q.consumer;

-- parked = applied + duplicates + discarded + waiting + dead, or off_by is not 0.
CREATE VIEW ${schema}.books AS
SELECT c.consumer, c.parked, c.applied, c.duplicates, c.discarded, r.waiting, r.dead,
       c.parked - c.applied - c.duplicates - c.discarded - r.waiting - r.dead AS off_by
  FROM (SELECT e.consumer,
               coalesce(sum(e.amount) FILTER (WHERE e.account = 'parked'), 0)::bigint    AS parked,
               coalesce(sum(e.amount) FILTER (WHERE e.account = 'applied'), 0)::bigint   AS applied,
               coalesce(sum(e.amount) FILTER (WHERE e.account = 'duplicate'), 0)::bigint AS duplicates,
               coalesce(sum(e.amount) FILTER (WHERE e.account = 'discarded'), 0)::bigint AS discarded
          FROM ${schema}.book_entries e GROUP BY e.consumer) c
 CROSS JOIN LATERAL
       (SELECT count(*) FILTER (WHERE q.state = 'waiting') AS waiting,
               count(*) FILTER (WHERE q.state = 'dead')    AS dead
          FROM ${schema}.parked_messages q WHERE q.consumer = c.consumer) r;

