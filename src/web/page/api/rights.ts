import { registration } from './page-settings.ts'
import { me } from './session.ts'

/** `edit`: SLOs, their rules and silences. `administer`: channels, sources, targets, probes and the organization too. */
export type Right = 'edit' | 'administer'

/** Sentence that explains why the user lacks a right; undefined if they have it. */
export function whyNot(right: Right): string | undefined {
  const role = me.value?.role
  if (right === 'administer') return role === 'admin' ? undefined : 'An administrator of the organization can do this.'
  return role === 'viewer' ? 'Your role can look, not change. An administrator can give you another role.' : undefined
}

/** Sentence that explains why nobody can be invited; undefined if an invitation can be accepted. */
export function whyNotInvite(): string | undefined {
  return registration === 'closed' ? 'Registration is closed: nobody could accept an invitation.' : undefined
}
