import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Database } from '../../db/open.ts'
import { invalid, notFound } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { causeOf } from '../causes.ts'
import { getChannel } from '../channel-store.ts'
import { listActiveIds } from './coverage-store.ts'
import type { RuleSetting } from './coverage-model.ts'
import { findRule } from './rule-store.ts'
import { assertRule, deleteStored, putRules } from './rules.ts'

type Deps = { db: Database; clock: Clock }

const slosPerBatch = 100
const maxCharacters = 4_194_304

/**
 * Stores the rules of one channel and one kind of alert for many SLOs, and deletes those of other SLOs, all or none. Sends no
 * message. The transaction spans several turns of the event loop, during which other work can read but not write. Throws
 * `not_found` for a missing channel or SLO, and `invalid` for texts that are too long for so many SLOs.
 */
export async function setRules(
  { db, clock }: Deps,
  caller: Caller,
  { slo_ids, remove_slo_ids = [], ...setting }: RuleSetting,
): Promise<{ stored: number; deleted: number }> {
  const cause = causeOf[setting.alert_type]
  assertRule(setting, cause)
  const distinctIds = [...new Set(slo_ids)]
  const removed = [...new Set(remove_slo_ids)]
  if (distinctIds.length + removed.length === 0) throw invalid('slo_ids', 'must have an SLO, or remove_slo_ids one')
  if (removed.some((id) => distinctIds.includes(id))) throw invalid('remove_slo_ids', 'must have none of slo_ids')
  assertBounded(setting, distinctIds.length)
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    const channel = await getChannel(trx, caller.organizationId, setting.channel_id)
    const named = [...distinctIds, ...removed]
    const active = new Set(await listActiveIds(trx, caller.organizationId, named))
    if (named.some((id) => !active.has(id))) throw notFound('SLO')
    for (const chunk of inChunks(distinctIds, slosPerBatch)) {
      await putRules(trx, caller, channel, setting, chunk, nowMs)
      await yieldToEventLoop()
    }
    let deleted = 0
    for (const sloId of removed) {
      const rule = await findRule(trx, sloId, channel.id, cause)
      if (!rule) continue
      await deleteStored(trx, caller, rule, nowMs)
      deleted += 1
      if (deleted % slosPerBatch === 0) await yieldToEventLoop()
    }
    return { stored: distinctIds.length, deleted }
  })
}

/** Throws `invalid` for too much text in all: each rule stores a copy. */
function assertBounded({ subject, message }: Pick<RuleSetting, 'subject' | 'message'>, slos: number): void {
  const subjectLength = subject?.length ?? 0
  if ((subjectLength + (message?.length ?? 0)) * slos <= maxCharacters) return
  const max = Math.floor(maxCharacters / slos) - subjectLength
  throw invalid(
    'message',
    `must be at most ${max} characters for ${slos} SLOs at once; send fewer of them, or a shorter text`,
  )
}
