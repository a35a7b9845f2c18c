import { useEffect } from 'preact/hooks'
import { ofDeliveries } from '../../../api/live-reads.ts'
import type { Silence, Silences } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { Button } from '../../../ui/button.tsx'
import { usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { openSilence } from '../../../silence/request.ts'
import { SilenceTable } from './silence-table.tsx'
import { notListedSentence } from './words.ts'

const currentPath = '/notifications/silences?page_size=100'
const endedPath = '/notifications/silences?state=expired&page_size=20'

/** Active, pending and expired silences. */
export function SilencesView() {
  const page = usePage()
  const current = useRead<Silences>(currentPath, { live: ofDeliveries })
  const ended = useRead<Silences>(page === 1 ? endedPath : `${endedPath}&page=${page}`, { live: ofDeliveries })
  const unavailable = whyNot('edit')
  const passed = passedKey(current.value.value?.silences ?? [], nowMs.value)
  useEffect(() => {
    if (current.value.peek() === undefined) return
    current.readSoon(0)
    ended.readSoon(0)
  }, [passed])
  return (
    <>
      <Read of={current} heightPx={160}>
        {({ silences, total }) => {
          const inForce = silences.filter(({ state }) => state === 'active')
          const coming = silences.filter(({ state }) => state === 'pending')
          return (
            <>
              <section class="card section">
                <div class="split">
                  <h2>In force</h2>
                  <Button kind="primary" unavailable={unavailable} onClick={() => openSilence()}>
                    Silence…
                  </Button>
                </div>
                <SilenceTable
                  silences={inForce}
                  label="Silences in force"
                  empty="Nothing is silenced."
                  {...{ unavailable }}
                />
                {total > silences.length && <p class="muted">{notListedSentence(total - silences.length)}</p>}
              </section>
              {coming.length > 0 && (
                <section class="card section">
                  <h2>Coming</h2>
                  <SilenceTable silences={coming} label="Coming silences" unavailable={unavailable} />
                </section>
              )}
            </>
          )
        }}
      </Read>
      <section class="card section">
        <h2>Past</h2>
        <Read of={ended} heightPx={160}>
          {(value) => (
            <SilenceTable
              silences={value.silences}
              label="Past silences"
              empty="No silence has ended yet."
              pager={value}
              {...{ unavailable }}
            />
          )}
        </Read>
      </section>
    </>
  )
}

/** Key of the silences that have begun or ended since they were read. The lists are read again when it changes. */
function passedKey(silences: readonly Silence[], atMs: number): string {
  const changed = silences.filter(
    ({ state, starts_at, until }) => Date.parse(state === 'pending' ? starts_at : until) <= atMs,
  )
  return changed.map(({ id, state }) => `${id} ${state}`).join()
}
