import { me } from '../../../api/session.ts'
import { words } from '../../../words.ts'

/** Reason why the user may not change sources, targets and probes; undefined for administrators. */
export function unlessAdmin(): string | undefined {
  return me.value?.role === 'admin' ? undefined : words.administrator
}
