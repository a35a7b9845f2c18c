import type { Connection } from '../../db/sqlite.ts'
import { withoutSync } from './packing.ts'

/** Unsent samples of an organization in the hour from `hourStartMs` on, all in [fromMs, toMs], that are no longer in the log. */
export type Gap = { organizationId: number; hourStartMs: number; fromMs: number; toMs: number; samples: number }

/**
 * Progress of sending the sequence of commits, in `samples.db`. Places are those of `placeOf`. All samples before `sentTo` have been
 * sent, or are in a gap. The current request has the samples from `sentTo` to `tryingTo`; the two are equal if there is no request.
 */
export type OutgoingFile = {
  /** Undefined: samples are not sent anywhere. */
  progress(): Progress | undefined
  begin(place: number): void
  end(): void
  move(progress: Progress): void
  /** Stores gaps for log rows that will be deleted, and moves `sentTo` to `place`. */
  addGaps(gaps: Iterable<Gap>, place: number): void
  /** Oldest gap. Until `close`, it does not grow: later samples of its hour become another gap. */
  open(): Gap | undefined
  close(gap: Gap): void
  /** Number of samples in all gaps. */
  samplesInGaps(): number
}

type Progress = { sentTo: number; tryingTo: number }

const placesPerRow = 65_536

/** Place of a sample in the sequence of commits; rows have fewer samples than a row has places. */
export function placeOf(row: number, index: number): number {
  return row * placesPerRow + index
}

/** Log row and sample of a place. */
export function rowAt(place: number): { row: number; index: number } {
  return { row: Math.floor(place / placesPerRow), index: place % placesPerRow }
}

export function createOutgoingFile(file: Connection): OutgoingFile {
  const sentRow = file.prepare<[], Progress>('select sent_to as sentTo, trying_to as tryingTo from sent')
  const insertSent = file.prepare('insert into sent values (?, ?)')
  const updateSent = file.prepare('update sent set sent_to = ?, trying_to = ?')
  const columns = 'organization_id as organizationId, hour_ms as hourStartMs, from_ms as fromMs, to_ms as toMs, samples'
  const oldestGap = file.prepare<[], Gap & { isAdded: number }>(
    `select ${columns}, is_added as isAdded from gaps order by hour_ms, is_added, organization_id limit 1`,
  )
  const addGap = file.prepare(
    `insert into gaps (is_added, organization_id, hour_ms, from_ms, to_ms, samples) values (?, ?, ?, ?, ?, ?)
    on conflict do update set from_ms = min(from_ms, excluded.from_ms), to_ms = max(to_ms, excluded.to_ms),
      samples = samples + excluded.samples`,
  )
  const removeGap = file.prepare('delete from gaps where is_added = ? and organization_id = ? and hour_ms = ?')
  const sampleSum = file.prepare<[], number>('select coalesce(sum(samples), 0) from gaps').pluck()
  let progress = sentRow.get()

  /** `isAdded` 1: later samples of the hour are added to the gap; 0: it was opened, and does not grow. */
  function put(isAdded: 0 | 1, { organizationId, hourStartMs, fromMs, toMs, samples }: Gap): void {
    addGap.run(isAdded, organizationId, hourStartMs, fromMs, toMs, samples)
  }

  /** Stores progress. A power cut may undo this; the samples are sent again then. */
  function move(next: Progress, write: () => void = () => {}): void {
    withoutSync(file, () => {
      write()
      updateSent.run(next.sentTo, next.tryingTo)
    })
    progress = next
  }

  return {
    progress: () => progress,
    begin(place) {
      file.transaction(() => insertSent.run(place, place))()
      progress = { sentTo: place, tryingTo: place }
    },
    end() {
      file.transaction(() => file.exec('delete from sent; delete from gaps'))()
      progress = undefined
    },
    move,
    addGaps(gaps, place) {
      const tryingTo = Math.max(place, progress?.tryingTo ?? place)
      move({ sentTo: place, tryingTo }, () => {
        for (const gap of gaps) put(1, gap)
      })
    },
    open() {
      const gap = oldestGap.get()
      if (!gap || gap.isAdded === 0) return gap
      withoutSync(file, () => {
        put(0, gap)
        removeGap.run(1, gap.organizationId, gap.hourStartMs)
      })
      return gap
    },
    close: ({ organizationId, hourStartMs }) =>
      void withoutSync(file, () => removeGap.run(0, organizationId, hourStartMs)),
    samplesInGaps: () => sampleSum.get() ?? 0,
  }
}
