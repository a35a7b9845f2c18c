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

/** Problems of a composite as sent that do not depend on its members. */
export function compositeProblems(sent: SentComposite | null | undefined): Problem[] {
  if (!sent) return []
  const ids = sent.members.map(({ slo_id }) => slo_id)
  return sent.members.flatMap(({ slo_id, weight }, place): Problem[] => {
    const field = `composite.members.${place}`
    const isRepeated = ids.indexOf(slo_id) < place
    return [
      ...(isRepeated
        ? [
            {
              field: `${field}.slo_id`,
              message: `must be given once (got ${slo_id} again)`,
              code: 'exclusive' as const,
            },
          ]
        : []),
      ...(weight !== undefined && sent.method !== 'weighted'
        ? [
            {
              field: `${field}.weight`,
              message: 'must be given with the method weighted only',
              code: 'exclusive' as const,
            },
          ]
        : []),
    ]
  })
}
