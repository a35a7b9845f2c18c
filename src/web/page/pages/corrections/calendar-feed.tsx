import { useState } from 'preact/hooks'
import type { Schemas } from '../../../../../dist/openapi.d.ts'
import { send } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Read } from '../../ui/read.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Time } from '../../ui/time.tsx'
import { addressMadeSentence } from './words.ts'

const path = '/corrections/calendar'

const questions = {
  renew: { title: 'A new address?', action: 'New address' },
  revoke: { title: 'Revoke the address?', action: 'Revoke' },
}

/** Secret address of the calendar feed: made, shown once, renewed and revoked by administrators. */
export function CalendarFeed() {
  const read = useRead<Schemas['CalendarFeed']>(path)
  const [madeUrl, setMadeUrl] = useState<string | null>(null)
  const [asked, setAsked] = useState<keyof typeof questions | null>(null)
  const afterChange = (url: string | null) => {
    setMadeUrl(url)
    setAsked(null)
    invalidate(path)
  }
  const make = useAction(() => send<Schemas['CreatedCalendarFeed']>('POST', path), {
    failed: 'No address was made.',
    next: ({ url }) => afterChange(url),
  })
  const revoke = useAction(() => send('DELETE', path), {
    failed: 'The address was not revoked.',
    next: () => afterChange(null),
  })
  const unavailable = whyNot('administer')
  return (
    <section class="card section" aria-labelledby="calendar-feed">
      <h2 id="calendar-feed">Calendar feed</h2>
      <p class="hint">
        Announced corrections for Google Calendar, Outlook, Apple Calendar and others, at a secret address.
      </p>
      <Read of={read} heightPx={60}>
        {({ created_at }) =>
          created_at === null ? (
            <Button isBusy={make.isBusy} unavailable={unavailable} onClick={make.run}>
              Make an address
            </Button>
          ) : (
            <>
              {madeUrl === null ? (
                <p>{addressMadeSentence(<Time ms={Date.parse(created_at)} exact />)}</p>
              ) : (
                <Secret
                  label="Secret address: it is shown this once. Anyone who has it can read announced corrections."
                  text={madeUrl}
                  of="the address"
                />
              )}
              <div class="cluster">
                <Button unavailable={unavailable} onClick={() => setAsked('renew')}>
                  New address…
                </Button>
                <Button unavailable={unavailable} onClick={() => setAsked('revoke')}>
                  Revoke…
                </Button>
              </div>
            </>
          )
        }
      </Read>
      {asked !== null && (
        <FormDialog
          {...questions[asked]}
          of={asked === 'renew' ? make : revoke}
          onClose={() => setAsked(null)}
          isQuestion
        >
          <p>Calendars that use the current address stop updating.</p>
        </FormDialog>
      )}
    </section>
  )
}
