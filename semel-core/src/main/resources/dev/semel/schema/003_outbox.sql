-- Semel 003: the outbox. What a transaction promises to send leaves after its commit, under one id.
-- Every name is qualified; ${schema} is the schema that the owner chose.

-- Which of 64 shards a row is in: all rows of an ordering key in one. Frozen: the relays of two
-- versions must agree on it, and a dump must find it as it was.
CREATE FUNCTION ${schema}.outbox_shard(ordering_key text, message_id uuid) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN ordering_key IS NULL
    THEN pg_catalog.get_byte(pg_catalog.uuid_send(message_id), 15)
    ELSE pg_catalog.get_byte(pg_catalog.sha256(pg_catalog.convert_to(ordering_key, 'UTF8')), 0)
  END & 63
$$;

-- Anybody may INSERT here, in any language: see docs/outbox-from-any-language.md. A row is deleted
-- once the other side has confirmed it. due_at is empty for what may leave at once.
CREATE TABLE ${schema}.outbox (
  id               bigint           GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
  message_id       uuid             NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
  ordering_key     text COLLATE "C",
  destination      text COLLATE "C" NOT NULL DEFAULT 'rabbitmq',
  -- The id that the receiver sees, where it is another one: that of a dead letter is its producer's.
  sent_as          text,
  address          text             NOT NULL DEFAULT '',
  routing_key      text             NOT NULL DEFAULT '',
  type             text,
  content_type     text,
  headers          json             NOT NULL DEFAULT '{}',
  body             bytea            NOT NULL,
  not_before       timestamptz,
  created_at       timestamptz      NOT NULL DEFAULT clock_timestamp(),
  state            text             NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'parked')),
  attempts         int              NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at  timestamptz,
  last_error       text,
  revision         int              NOT NULL DEFAULT 0,
  shard            int              NOT NULL
    GENERATED ALWAYS AS (${schema}.outbox_shard(ordering_key, message_id)) STORED,
  due_at           timestamptz
    GENERATED ALWAYS AS (GREATEST(not_before, next_attempt_at)) STORED,
  CONSTRAINT outbox_message_id_taken UNIQUE (message_id),
  CONSTRAINT outbox_destination_length CHECK (octet_length(destination) BETWEEN 1 AND 100),
  CONSTRAINT outbox_sent_as_length CHECK (octet_length(sent_as) <= 255),
  CONSTRAINT outbox_address_length CHECK (octet_length(address) <= 255),
  CONSTRAINT outbox_routing_key_length CHECK (octet_length(routing_key) <= 255),
  CONSTRAINT outbox_type_length CHECK (octet_length(type) <= 255),
  CONSTRAINT outbox_content_type_length CHECK (octet_length(content_type) <= 255),
  CONSTRAINT outbox_ordering_key_length CHECK (octet_length(ordering_key) <= 255),
  CONSTRAINT outbox_headers_length CHECK (octet_length(headers::text) <= 65536),
  CONSTRAINT outbox_headers_object CHECK (pg_catalog.json_typeof(headers) = 'object')
);
-- What may leave now; what may leave later; what holds back those behind it; who is first.
CREATE INDEX outbox_ready ON ${schema}.outbox (destination, shard, id)
  WHERE state = 'pending' AND due_at IS NULL;
CREATE INDEX outbox_later ON ${schema}.outbox (destination, shard, due_at)
  WHERE state = 'pending' AND due_at IS NOT NULL;
CREATE INDEX outbox_holds ON ${schema}.outbox (ordering_key, id)
  WHERE ordering_key IS NOT NULL AND (state = 'parked' OR due_at IS NOT NULL);
CREATE INDEX outbox_order ON ${schema}.outbox (ordering_key, id) WHERE ordering_key IS NOT NULL;
CREATE INDEX outbox_parked ON ${schema}.outbox (id) WHERE state = 'parked';

-- Order per ordering key is the order of commits for all who call this before they insert: ids are
-- then drawn one transaction after the other. Held until the transaction ends.
CREATE FUNCTION ${schema}.outbox_lock(VARIADIC keys text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  home  text := (SELECT i.id::text FROM ${schema}.installation i);
  place bigint;
BEGIN
  FOR place IN SELECT DISTINCT pg_catalog.hashtextextended(k.key COLLATE "C", 0) & 255
                 FROM pg_catalog.unnest(keys) AS k(key) WHERE k.key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_catalog.pg_advisory_xact_lock(
      pg_catalog.hashtextextended('outbox ' || place::text, pg_catalog.hashtextextended(home, 3)));
  END LOOP;
END $$;

-- Entries of the books, each added in the transaction of what it counts: a row of its own, so that
-- no two transactions wait for each other; relays add them up now and then.
CREATE TABLE ${schema}.promise_entries (
  destination  text COLLATE "C" NOT NULL,
  account      text             NOT NULL CHECK (account IN ('written', 'confirmed', 'discarded')),
  amount       bigint           NOT NULL
);

-- Counted here, since anybody may write; with the rights of the owner, since not all may count.
CREATE FUNCTION ${schema}.outbox_written() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ${schema}.promise_entries (destination, account, amount)
  SELECT w.destination, 'written', count(*) FROM written w GROUP BY w.destination;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_written AFTER INSERT ON ${schema}.outbox
  REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.outbox_written();

-- written = confirmed + discarded + pending + parked, or off_by is not 0.
CREATE VIEW ${schema}.promise_books AS
SELECT b.destination, b.written, b.confirmed, b.discarded, b.pending, b.parked,
       b.written - b.confirmed - b.discarded - b.pending - b.parked AS off_by
  FROM (SELECT a.destination,
               coalesce(sum(a.amount) FILTER (WHERE a.account = 'written'), 0)::bigint   AS written,
               coalesce(sum(a.amount) FILTER (WHERE a.account = 'confirmed'), 0)::bigint AS confirmed,
               coalesce(sum(a.amount) FILTER (WHERE a.account = 'discarded'), 0)::bigint AS discarded,
               coalesce(sum(a.amount) FILTER (WHERE a.account = 'pending'), 0)::bigint   AS pending,
               coalesce(sum(a.amount) FILTER (WHERE a.account = 'parked'), 0)::bigint    AS parked
          FROM (SELECT e.destination, e.account, e.amount FROM ${schema}.promise_entries e
                UNION ALL
                SELECT o.destination, o.state, count(*)
                  FROM ${schema}.outbox o GROUP BY o.destination, o.state) a
         GROUP BY a.destination) b;

-- Who reads which shard. A lease that has run out, or whose relay has ended, is anybody's.
CREATE TABLE ${schema}.relay_shards (
  shard        int         PRIMARY KEY,
  relay        uuid,
  lease_until  timestamptz,
  CHECK ((relay IS NULL) = (lease_until IS NULL))
);
INSERT INTO ${schema}.relay_shards (shard) SELECT s FROM pg_catalog.generate_series(0, 63) s;

-- Relays that live; each has its share of the shards.
CREATE TABLE ${schema}.relays (
  id           uuid        PRIMARY KEY,
  lease_until  timestamptz NOT NULL
);

-- Destinations that an operator has stopped.
CREATE TABLE ${schema}.paused_destinations (
  name       text COLLATE "C" PRIMARY KEY,
  paused_at  timestamptz      NOT NULL DEFAULT clock_timestamp(),
  paused_by  text             NOT NULL,
  reason     text             NOT NULL
);

-- What has left, without bodies, for as long as keepSent says.
CREATE TABLE ${schema}.outbox_sent (
  id            bigint           PRIMARY KEY,
  message_id    uuid             NOT NULL,
  destination   text COLLATE "C" NOT NULL,
  type          text,
  ordering_key  text COLLATE "C",
  sent_at       timestamptz      NOT NULL DEFAULT clock_timestamp(),
  attempts      int              NOT NULL
);
CREATE INDEX outbox_sent_message_id ON ${schema}.outbox_sent (message_id);
CREATE INDEX outbox_sent_at ON ${schema}.outbox_sent (sent_at);
