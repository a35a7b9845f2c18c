import { type Intake, newer } from '../collection/intake.ts'
import type { SenderStatus, SendingProtocol, UnknownProtocol, UnknownSender } from './senders.ts'

/** A sender that was refused. `credential` and `refusedReason`: null where no token or address is known. */
export type RefusedSender = {
  protocol: UnknownProtocol
  credential: string | null
  address: string
  userAgent: string
  refusedRequests: number
  refusedMs: number
  refusedReason: string | null
}

/** Intake from the senders that use one protocol. */
export function intakeOfSenders(senders: readonly SenderStatus[], protocol: SendingProtocol): Intake {
  const intake: Intake = { count: 0, samplesPerSecond: 0, series: 0, storedMs: null, lastError: null }
  for (const one of senders) {
    if (one.protocol !== protocol) continue
    intake.count += 1
    intake.samplesPerSecond += one.samplesPerSecond
    intake.series += one.series
    if (one.storedMs !== null) intake.storedMs = Math.max(one.storedMs, intake.storedMs ?? -Infinity)
    if (one.refusedMs !== null && one.refusedReason !== null)
      intake.lastError = newer(intake.lastError, { of: one.credential, text: one.refusedReason, atMs: one.refusedMs })
  }
  return intake
}

/** Senders that were refused since `sinceMs`, known and unknown ones, the newest first. */
export function refusedSenders(
  known: readonly SenderStatus[],
  unknown: readonly UnknownSender[],
  sinceMs: number,
): RefusedSender[] {
  const all = [
    ...known.flatMap(({ refusedMs, ...one }) => (refusedMs === null ? [] : [{ ...one, refusedMs }])),
    ...unknown.map((one) => ({ ...one, credential: null, refusedReason: null })),
  ]
  return all.filter(({ refusedMs }) => refusedMs >= sinceMs).toSorted((a, b) => b.refusedMs - a.refusedMs)
}
