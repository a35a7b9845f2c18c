import { me } from '../../../api/session.ts'
import { words } from '../../../words.ts'

/** Why the user may not change what is collected. */
export function unlessAdmin(): string | undefined {
  return me.value?.role === 'admin' ? undefined : words.administrator
}
