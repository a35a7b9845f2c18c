import type { Problem } from '../../errors.ts'
import type { Composite } from '../arithmetic/composite.ts'
import type { SentComposite } from './model.ts'

/** Composite as sent, completed with defaults and as stored. */
export function compositeText(sent: SentComposite): string {
  const composite: Composite = {
    method: sent.method,
    members: sent.members.map(({ slo_id, weight = 1 }) => ({ slo_id, weight })),
    on_unknown_member: sent.on_unknown_member ?? 'unknown',
  }
  return JSON.stringify(composite)
}

type Member = { slo_id?: unknown; weight?: unknown }

/** Problems of a composite as sent that do not depend on its members, beside those that the schema finds. */
export function compositeProblems(sent: unknown): Problem[] {
  const { members, method } = isObject(sent) ? sent : {}
  if (!Array.isArray(members)) return []
  const all = members.map((one: unknown): Member => (isObject(one) ? one : {}))
  const ids = all.map(({ slo_id }) => slo_id)
  return all.flatMap(({ slo_id, weight }, index): Problem[] => {
    const field = `composite.members.${index}`
    const isRepeated = slo_id !== undefined && ids.indexOf(slo_id) < index
    const repeated: Problem = {
      field: `${field}.slo_id`,
      message: `must be listed once (got ${String(slo_id)} again)`,
      code: 'duplicate',
    }
    const unused: Problem = {
      field: `${field}.weight`,
      message: 'needs the method weighted',
      code: 'exclusive',
    }
    return [...(isRepeated ? [repeated] : []), ...(weight !== undefined && method !== 'weighted' ? [unused] : [])]
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
