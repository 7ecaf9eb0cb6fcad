package dev.semel.engine;

import dev.semel.Consumer;
import dev.semel.spi.Probe;

/** What the lanes of one consumer share. */
record LaneContext(
    Consumer consumer,
    BatchRun batchRun,
    Database database,
    Beat beat,
    HandlerGate gate,
    BatchSize batchSize,
    Failures failures,
    Telling telling,
    Probe probe,
    StopState stop) {}
