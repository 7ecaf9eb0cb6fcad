package dev.semel.engine;

/** The classes of the tables, with the schema's name put in once. */
record Tables(
    ProcessedMessages processed,
    ParkedMessages parked,
    Started started,
    OutboxMessages outbox,
    RelayShards shards,
    Installation installation,
    Consumers consumers,
    Workers workers,
    Audit audit) {

  static Tables of(String schema) {
    return new Tables(
        new ProcessedMessages(schema),
        new ParkedMessages(schema),
        new Started(schema),
        new OutboxMessages(schema),
        new RelayShards(schema),
        new Installation(schema),
        new Consumers(schema),
        new Workers(schema),
        new Audit(schema));
  }
}
