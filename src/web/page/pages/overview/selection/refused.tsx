import { link } from '../../../address/base.ts'
import { IconButton } from '../../../ui/button.tsx'
import { refused } from '../../../slo/bulk-change.ts'
import { words } from '../../../words.ts'

/** SLOs that the last operation could not change, each with the reason. */
export function RefusedSlos() {
  if (!refused.value) return null
  const { what, of, slos } = refused.value
  return (
    <section class="card refused-slos" role="alert" aria-label="Not changed">
      <div>
        <p class="problem">
          {slos.length} of {of} not {what}:
        </p>
        <ul>
          {slos.map(({ id, name, why }) => (
            <li key={id}>
              <a href={link(`/slos/${id}`)}>{name}</a>: {why}
            </li>
          ))}
        </ul>
      </div>
      <IconButton icon="x" label={words.close} onClick={() => (refused.value = null)} />
    </section>
  )
}
