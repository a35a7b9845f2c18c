import { me } from './session.ts'

/** `edit`: everything about SLOs and alerts. `administer`: channels, sources, targets and probes too. */
export type Right = 'edit' | 'administer'

/** Sentence that explains why the user lacks a right; undefined if they have it. */
export function whyNot(right: Right): string | undefined {
  const role = me.value?.role
  if (right === 'administer') return role === 'admin' ? undefined : 'An administrator of the organization can do this.'
  return role === 'viewer' ? 'Your role can look, not change. An administrator can give you another role.' : undefined
}
