import { me } from '../../../api/session.ts'

/** Why the user may not change what is collected. */
export function unlessAdmin(): string | undefined {
  return me.value?.role === 'admin' ? undefined : 'Only an administrator of the organization can do this.'
}
