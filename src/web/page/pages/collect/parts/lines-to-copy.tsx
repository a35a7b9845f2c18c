import { Copy } from '../../../ui/copy.tsx'
import { theLineWords } from './words.ts'

/** Line, or lines, to paste elsewhere; `from`: where. */
export type LineToCopy = { from: string; line: string }

export function LinesToCopy({ lines }: { lines: readonly LineToCopy[] }) {
  return (
    <dl class="lines-to-copy">
      {lines.map(({ from, line }) => (
        <div key={from}>
          <dt>
            {from} <Copy text={line} of={theLineWords(from)} />
          </dt>
          <dd>
            <pre>{line}</pre>
          </dd>
        </div>
      ))}
    </dl>
  )
}
