import { link } from '../../address/base.ts'
import type { Budget } from '../../api/types.ts'
import { excludedWords } from './excluded-words.ts'

/** Part of the window that does not count, with the figures as if it did. */
export function Excluded({ of, target }: { of: NonNullable<Budget['excluded']>; target: number }) {
  return (
    <p class="muted">
      {excludedWords(of, target)} <a href={link('/corrections')}>Corrections</a>
    </p>
  )
}
