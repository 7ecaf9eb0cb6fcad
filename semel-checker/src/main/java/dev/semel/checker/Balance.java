package dev.semel.checker;

/**
 * Where the published copies are. Redeliveries are not copies; deliveries do not appear here.
 *
 * <p>For one key let P be its PUBLISHED events, E its effects, K its parked rows, Q its copies in
 * the queues, a = min(E, 1) and r = P − Q − a − K. Then
 *
 * <ul>
 *   <li>r &ge; 0 and a + K &gt; 0: r copies were settled as <b>duplicates</b>;
 *   <li>r &ge; 0 and a + K = 0: r copies have <b>vanished</b>: they left the broker and nothing
 *       shows for them;
 *   <li>r &lt; 0: −r copies are counted twice, the <b>overlap</b>: committed and not yet settled,
 *       so that the broker still has them, or parked by more than one delivery.
 * </ul>
 *
 * <p>Summed over the keys: {@code published + overlap = applied + duplicates + parked + queued +
 * vanished}.
 *
 * <p>This equation always holds, because the duplicates are its remainder: how many copies were
 * settled as duplicates cannot be seen from outside. ACKNOWLEDGED events do not give it, since an
 * acknowledgement may be recorded and never reach the broker (then the copy comes again and is
 * acknowledged twice), or reach it and never be recorded. So what is judged as {@link
 * Promise#CONSERVATION} is, key by key, what the equation leaves open: nothing vanished; Q &le; P;
 * a + min(K, 1) &le; P, that is, one copy is not both applied and parked; and nothing parked or
 * queued that was not published.
 *
 * <p>Keys that were never published, or only perhaps, are left out of these sums.
 *
 * @param published copies that the broker confirmed
 * @param overlap copies that are counted twice on the right side
 * @param applied keys with an effect
 * @param duplicates copies settled as duplicates
 * @param parked parked rows
 * @param queued copies that are still with the broker
 * @param vanished copies that are nowhere
 */
public record Balance(
    long published,
    long overlap,
    long applied,
    long duplicates,
    long parked,
    long queued,
    long vanished) {}
