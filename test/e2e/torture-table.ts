import type { Outbox } from './torture-outbox.ts'
import type { FlakyReceiver } from './torture-receiver.ts'
import type { Queued } from './torture-world.ts'

type Told = {
  seed: number
  killedAfter: string[]
  seconds: Record<string, number>
  queued: Queued
  outbox: Outbox
  receiver: FlakyReceiver
  mails: number
}

/** Prints the summary lines of `npm run proofs`. */
export function printTorture({ seed, killedAfter, seconds, queued, outbox, receiver, mails }: Told): void {
  const count = <T>(of: T[], by: (one: T) => string) =>
    [...Map.groupBy(of, by)].map(([name, { length }]) => `${name} ${length}`).join(', ')
  const taken = receiver.arrivals.filter(({ fate }) => fate === 'taken' || fate === 'lost')
  const again = [...Map.groupBy(taken, ({ key }) => key).values()].filter(({ length }) => length > 1)
  const overKill = again.filter((all) =>
    all.some(({ life, fate }, at) => fate === 'taken' && (all[at + 1]?.life ?? life) > life),
  )
  const keysOfFailed = new Set(
    outbox.rows.filter(({ status }) => status === 'failed').map((row) => row.idempotency_key),
  )
  const failedButTaken = new Set(taken.map(({ key }) => key).filter((key) => keysOfFailed.has(key)))
  const attempts = outbox.rows.reduce((sum, row) => sum + (row.channel_type === 'webhook' ? row.attempts.length : 0), 0)
  const lines = [
    `An outbox that is killed (seed ${seed}; seconds: ${Object.entries(seconds).flat().join(' ')})`,
    `  notifications   ${outbox.rows.length}: ${count(outbox.rows, ({ status }) => status)}; ${count(outbox.rows, ({ event }) => event)}; ${count(outbox.rows, ({ channel_type }) => channel_type)}`,
    `  queued          ${queued.acknowledged} acknowledged, ${queued.cutOff} cut off, ${queued.known} of them had been queued`,
    `  killed          ${killedAfter.length} times, after so many requests: ${killedAfter.join(', ')}`,
    `  requests        ${receiver.arrivals.length}: ${count(receiver.arrivals, ({ fate }) => fate)}; ${receiver.unheard()} answered to nobody, ${receiver.arrivals.length - attempts} in no history`,
    `  taken twice     ${again.length} with the same key, none with another; ${overKill.length} over a kill, the others where an answer was lost`,
    `  failed          ${keysOfFailed.size}, of which ${failedButTaken.size} had been taken without nines hearing of it`,
    `  mails           ${mails}`,
  ]
  process.stdout.write(`\n${lines.join('\n')}\n`)
}
