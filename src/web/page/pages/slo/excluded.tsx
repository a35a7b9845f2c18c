import { link } from '../../address/base.ts'
import type { Budget } from '../../api/types.ts'
import { excludedWords } from './excluded-words.ts'

/** Excluded time of the window, and the figures that the window would have without the exclusion. */
export function Excluded({ of, target }: { of: NonNullable<Budget['excluded']>; target: number }) {
  return (
    <p class="muted">
      {excludedWords(of, target)} <a href={link('/corrections')}>Corrections</a>
    </p>
  )
}
