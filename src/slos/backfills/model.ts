import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { BackfillRow } from '../../db/tables/tables.ts'

/** `progress`: the share, 0 to 1, of the chunks that are done; how many there are is known once it runs. */
export const Backfill = t.Object(
  {
    slo_id: t.Number(),
    revision: t.Number(),
    status: t.String(),
    progress: t.Number(),
    chunks: t.Number(),
    chunks_done: t.Number(),
    slices: t.Number(),
    error: t.Nullable(t.String()),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Backfill' },
)

export function presentBackfill(row: BackfillRow) {
  const { slo_id, revision, status, chunks, chunks_done, buckets, error, created_at, updated_at } = row
  const progress = status === 'done' ? 1 : chunks_done / Math.max(1, chunks)
  const times = { created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
  return { slo_id, revision, status, progress, chunks, chunks_done, slices: buckets, error, ...times }
}
