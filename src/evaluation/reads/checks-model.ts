import { t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { round10 } from '../../slos/arithmetic/budget.ts'
import type { Checks } from './checks.ts'

const maxChecks = 100

export const SloChecks = t.Object(
  {
    slo_id: t.Number(),
    next_at: t.Nullable(
      t.String({
        description:
          'when the next check is, or the next run of a job is due; null: the SLI reads no active probe or heartbeat of nines',
      }),
    ),
    checks: t.Array(
      t.Object({
        at: t.String(),
        probe: t.String({ description: 'the name of the probe or heartbeat' }),
        ok: t.Boolean(),
        duration_ms: t.Nullable(t.Number({ description: 'null: the job reported no start' })),
        error: t.Nullable(
          t.String({ description: 'why it failed; null: it did not fail, or it is from before the start of nines' }),
        ),
      }),
      {
        description: `newest first, at most 20 of each probe and ${maxChecks} in all; before the start of nines, checks that only confirmed a failure are missing`,
      },
    ),
  },
  { title: 'SloChecks' },
)

export function presentChecks(sloId: number, { checks, nextAtMs }: Checks): typeof SloChecks.static {
  return {
    slo_id: sloId,
    next_at: isoTimeOrNull(nextAtMs),
    checks: checks.slice(0, maxChecks).map(({ atMs, probe, ok, durationMs, error }) => ({
      at: isoTime(atMs),
      probe,
      ok,
      duration_ms: durationMs === null ? null : round10(durationMs),
      error,
    })),
  }
}
