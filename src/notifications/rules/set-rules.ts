import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import type { Database, Db } from '../../db/open.ts'
import { invalid, notFound, prefixProblems } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { causeOf } from '../causes.ts'
import { getChannel } from '../channel-store.ts'
import { listActiveIds } from './coverage-store.ts'
import { readRuleForMany, type RuleSetting } from './coverage-model.ts'
import { findRule } from './rule-store.ts'
import { assertRule, deleteAndRecord, putRule, putRules } from './rules.ts'
import { readSelector } from './selectors.ts'

type Deps = { db: Database; clock: Clock }

const slosPerBatch = 100
const maxCharacters = 4_194_304
const maxIds = 12_000

type Outcome = { stored: number; deleted: number }
/** Setting whose fields are valid. `sloIds`: SLOs that get the rule; `removedSloIds`: SLOs whose rule is deleted. */
type CheckedSetting = {
  setting: Omit<RuleSetting, 'slo_ids' | 'remove_slo_ids' | 'selector'>
  /** Selector of the one rule that is stored, as in its column; null: a rule for each of `sloIds` is stored. */
  selector: string | null
  sloIds: number[]
  removedSloIds: number[]
}

/**
 * Stores the rules of one channel and one kind of alert for many SLOs, or the one of a selector, and deletes those of other SLOs, all or none. Sends no
 * message. The transaction spans several turns of the event loop, during which other work can read but not write. Throws
 * `not_found` for a missing channel or SLO, and `invalid` for texts that are too long for so many SLOs.
 */
export function setRules(deps: Deps, caller: Caller, setting: RuleSetting): Promise<Outcome> {
  return storeSettings(deps, caller, [checkSetting(setting)])
}

/** Stores several settings like `setRules`, all or none. Fields of its `invalid` begin with the setting, as `settings.0.`. */
export function setManyRules(deps: Deps, caller: Caller, settings: readonly RuleSetting[]): Promise<Outcome> {
  const all = settings.map((setting, at) => withPrefix(`settings.${at}.`, () => checkSetting(setting)))
  const ids = sum(all.map(({ sloIds, removedSloIds }) => sloIds.length + removedSloIds.length))
  if (ids > maxIds) throw invalid('settings', `must have at most ${maxIds} SLO ids in all; got ${ids}`)
  const characters = sum(all.map(({ setting, sloIds }) => charactersOf(setting) * sloIds.length))
  if (characters > maxCharacters) {
    throw invalid('settings', `must have at most ${maxCharacters} characters of texts for all SLOs; got ${characters}`)
  }
  return storeSettings(deps, caller, all)
}

/**
 * Checks a rule for `sloCount` SLOs, and returns a function that stores it for one of them and returns true if it is new or changed.
 * Throws `invalid`, and `not_found` for its channel.
 */
export async function prepareRule(
  { db, clock }: Deps,
  caller: Caller,
  sent: unknown,
  sloCount: number,
): Promise<(sloId: number) => Promise<boolean>> {
  const setting = withPrefix('rule.', () => {
    const rule = readRuleForMany(sent)
    assertRule(rule, causeOf[rule.alert_type])
    assertBounded(rule, sloCount)
    return rule
  })
  const { organizationId } = caller
  await getChannel(db.read, organizationId, setting.channel_id)
  return (sloId) =>
    db.groupCommit(async (trx) => {
      const channel = await getChannel(trx, organizationId, setting.channel_id)
      if ((await listActiveIds(trx, organizationId, [sloId])).length === 0) throw notFound('SLO')
      return (await putRules(trx, caller, channel, setting, [sloId], clock.now())) > 0
    })
}

function checkSetting({ slo_ids = [], remove_slo_ids = [], selector: sent, ...setting }: RuleSetting): CheckedSetting {
  const selector = readSelector(sent)
  assertRule(setting, causeOf[setting.alert_type])
  const sloIds = [...new Set(slo_ids)]
  const removedSloIds = [...new Set(remove_slo_ids)]
  if (selector !== null && sloIds.length > 0) throw invalid('selector', 'cannot be sent with slo_ids')
  if (selector === null && sloIds.length + removedSloIds.length === 0) {
    throw invalid('slo_ids', 'must name an SLO, unless remove_slo_ids or selector is sent')
  }
  const sloIdSet = new Set(sloIds)
  if (removedSloIds.some((id) => sloIdSet.has(id))) throw invalid('remove_slo_ids', 'must not repeat ids of slo_ids')
  assertBounded(setting, sloIds.length)
  return { setting, selector, sloIds, removedSloIds }
}

async function storeSettings(
  { db, clock }: Deps,
  caller: Caller,
  settings: readonly CheckedSetting[],
): Promise<Outcome> {
  const nowMs = clock.now()
  return db.write.transaction().execute(async (trx) => {
    const outcome = { stored: 0, deleted: 0 }
    for (const one of settings) {
      outcome.stored += one.selector === null ? one.sloIds.length : 1
      outcome.deleted += await storeSetting(trx, caller, one, nowMs)
    }
    return outcome
  })
}

/** Stores and deletes the rules of one setting. Returns how many were deleted. */
async function storeSetting(
  trx: Db,
  caller: Caller,
  { setting, selector, sloIds, removedSloIds }: CheckedSetting,
  nowMs: number,
): Promise<number> {
  const channel = await getChannel(trx, caller.organizationId, setting.channel_id)
  if (selector !== null) await putRule(trx, caller, channel, { ...setting, selector }, nowMs)
  const named = [...sloIds, ...removedSloIds]
  const active = new Set(await listActiveIds(trx, caller.organizationId, named))
  if (named.some((id) => !active.has(id))) throw notFound('SLO')
  for (const chunk of inChunks(sloIds, slosPerBatch)) {
    await putRules(trx, caller, channel, setting, chunk, nowMs)
    await yieldToEventLoop()
  }
  const key = { selector: null, channel_id: channel.id, cause: causeOf[setting.alert_type] }
  let deleted = 0
  for (const sloId of removedSloIds) {
    const rule = await findRule(trx, { ...key, slo_id: sloId })
    if (!rule) continue
    await deleteAndRecord(trx, caller, rule, nowMs)
    deleted += 1
    if (deleted % slosPerBatch === 0) await yieldToEventLoop()
  }
  return deleted
}

/** Result of `check`; the fields of its problems get a prefix. */
function withPrefix<T>(prefix: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw prefixProblems(prefix, error)
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

type Texts = Pick<RuleSetting, 'subject' | 'message'>

function charactersOf({ subject, message }: Texts): number {
  return (subject?.length ?? 0) + (message?.length ?? 0)
}

/** Throws `invalid` for too much text in all: each rule stores a copy. */
function assertBounded(texts: Texts, sloCount: number): void {
  if (charactersOf(texts) * sloCount <= maxCharacters) return
  const max = Math.floor(maxCharacters / sloCount) - (texts.subject?.length ?? 0)
  throw invalid(
    'message',
    `must be at most ${max} characters for ${sloCount} SLOs at once; send fewer of them, or a shorter text`,
  )
}
