import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Time } from '../../../ui/time.tsx'
import { confirmFirst } from '../parts/confirm.tsx'
import type { Heartbeat, PingKey as Key } from '../types.ts'
import { Lines } from './lines.tsx'
import { heartbeats } from './path.ts'
import { keySentences } from './words.ts'

/** The key that was just made: only the answer to the request that made it has it. */
const madeKey = signal<Key | null>(null)

/** Makes or replaces the organization's key for addresses with slugs; while the key is known, it shows the lines with it. */
export function PingKey({ madeAt, rows }: { madeAt: string | null; rows: readonly Heartbeat[] }) {
  const unavailable = whyNot('administer')
  useEffect(() => () => void (madeKey.value = null), [])
  const make = useAction(() => send<Key>('POST', `${heartbeats}/key`), {
    failed: 'No key was made.',
    next(key) {
      madeKey.value = key
      invalidate(heartbeats)
    },
  })
  const ask = () =>
    confirmFirst({
      title: 'A new key?',
      text: 'Addresses with the key before are unknown at once: each job that calls one must call the new one.',
      action: 'New key',
      onYes: () => void make.run(),
    })
  const key = madeKey.value
  return (
    <section class="card section" aria-labelledby="ping-key">
      <h2 id="ping-key">Addresses by slug</h2>
      <p class="hint">{keySentences(madeAt && <Time ms={Date.parse(madeAt)} exact />)}</p>
      <Button isBusy={make.isBusy} unavailable={unavailable} onClick={madeAt === null ? make.run : ask}>
        {madeAt === null ? 'Make a key' : 'New key'}
      </Button>
      {key && (
        <>
          <dl class="lines-to-copy">
            <div>
              <dt>
                Key <Copy text={key.ping_key} of="the key" />
              </dt>
              <dd>
                <pre>{key.ping_key}</pre>
              </dd>
            </div>
          </dl>
          {rows.slice(0, maxShown).map((one) => (
            <details key={one.id}>
              <summary>{one.name}</summary>
              <Lines id={`lines-${one.id}`} url={`${key.url}${one.slug}`} of={one} />
            </details>
          ))}
        </>
      )}
    </section>
  )
}

const maxShown = 50
