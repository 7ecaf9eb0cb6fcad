package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.spi.Probe;
import java.util.UUID;

/** What the lanes of one consumer share. */
record LaneContext(
    Consumer consumer,
    UUID worker,
    int prefetch,
    BatchRun batchRun,
    Database database,
    Beat beat,
    HandlerGate gate,
    BatchSize batchSize,
    BatchSize parkedBatchSize,
    ParkedWork parked,
    Retries retries,
    Failures failures,
    DeadlineWatch deadline,
    Telling telling,
    Probe probe,
    StopState stop) {}
