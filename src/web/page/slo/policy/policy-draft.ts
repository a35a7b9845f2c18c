import type { PolicyLine } from '../../../../slos/arithmetic/budget-policy.ts'
import { withScheme } from '../../ui/form/with-scheme.ts'

/** Lines of an error budget policy, as typed. */
export type PolicyDraft = readonly { percent: string; text: string; url: string }[]

export function policyDraftOf(lines: readonly PolicyLine[]): PolicyDraft {
  return lines.map(({ percent_left, text, url }) => ({ percent: String(percent_left), text, url }))
}

/**
 * Lines that have a text or a link, the highest percent first, as the server keeps them. A missing percent becomes -1, which the
 * server rejects.
 */
export function policyOf(draft: PolicyDraft): PolicyLine[] {
  const lines = draft.map(({ percent, text, url }) => {
    return { percent_left: percent.trim() === '' ? -1 : Number(percent), text: text.trim(), url: withScheme(url) }
  })
  return lines.filter(({ text, url }) => text !== '' || url !== '').toSorted((a, b) => b.percent_left - a.percent_left)
}
