import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { NotificationRow } from '../../db/tables/tables.ts'
import { type DeliverDeps, deliver } from './deliver.ts'
import { claimNotifications } from './delivery-store.ts'
import type { OutcomeWriter } from './outcome-writer.ts'
import { givenBack, type Settled } from './settled.ts'

export type TurnDeps = DeliverDeps & {
  db: Database
  clock: Clock
  writer: OutcomeWriter
  isClosing: () => boolean
}

type Turn = {
  channelId: number
  most: number
  /** Ends the attempt that is under way. */
  signal: AbortSignal
  /** Told whether the last attempt failed or was slow, and once the one under way is. */
  onTrouble: (isTroubled: boolean) => void
  /** Told that the attempt under way only waits, and when it is over. */
  onLate: (isLate: boolean) => void
}

/** Longer than a turn can take: only its last attempt may be slow. */
const leaseMs = 120_000

/**
 * Delivers the oldest notifications of a channel, at most `most`, one after the other until one meets with trouble or has to wait. Resolves
 * when what became of them is on the disk, with whether there were any.
 */
export async function takeTurn(deps: TurnDeps, { channelId, most, ...attending }: Turn): Promise<boolean> {
  const { db, clock, writer, isClosing } = deps
  const nowMs = clock.now()
  const claim = { most, nowMs, leasedUntilMs: nowMs + leaseMs }
  const rows = await db.groupCommit((trx) => claimNotifications(trx, channelId, claim))
  const writing: Promise<void>[] = []
  let isOver = false

  const written = async () => {
    writer.flush()
    await Promise.all(writing)
  }
  const next = async (row: NotificationRow): Promise<Settled> => {
    if (row.event === 'recovery') await written() // what became of its alert decides about it
    if (writer.isHolding()) {
      await written() // what is sent while nothing can be written would be sent again after a kill
      isOver = true // the others have waited: they are claimed again
    }
    return isOver || isClosing() ? givenBack(row, clock.now()) : deliver(deps, row, attending)
  }

  for (const row of rows) {
    const settled = await next(row)
    isOver ||= settled.status === 'pending' || (settled.attempt?.isTroubled ?? false)
    const write = writer.write(settled)
    write.catch(() => (isOver = true)) // thrown below
    writing.push(write)
  }
  await written()
  return rows.length > 0
}
