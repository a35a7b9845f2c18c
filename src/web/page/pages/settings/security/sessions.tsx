import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Removal } from '../parts/removal.tsx'
import type { Session, SessionList } from '../types.ts'
import { endedText, endOthersText, sessionEndedText } from './words.ts'

const list = '/auth/sessions'

const columns: Column<Session>[] = [
  {
    head: 'Device',
    cell: ({ device, is_current }) => (
      <>
        {device} {is_current && <span class="muted">This one</span>}
      </>
    ),
  },
  { head: 'Address', cell: ({ ip }) => ip },
  { head: 'Signed in', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
  { head: 'Last used', cell: ({ last_used_at }) => <Time ms={Date.parse(last_used_at)} /> },
]

/** Sessions of the person, which can be ended. That of this page is ended by signing out. */
export function Sessions() {
  const sessions = useRead<SessionList>(list)
  const [isAsked, ask] = useState(false)
  const others = (sessions.value.value?.total ?? 1) - 1
  return (
    <section class="card section" aria-label="Sessions">
      <div class="split">
        <h2>Sessions</h2>
        <Button small unavailable={others > 0 ? undefined : 'There is no other session.'} onClick={() => ask(true)}>
          End all others
        </Button>
      </div>
      <Read of={sessions} heightPx={120}>
        {(value) => (
          <Table
            caption="Sessions"
            columns={columns}
            rows={value.sessions}
            rowKey={({ id }) => id}
            actions={({ id, device, is_current }) =>
              !is_current && (
                <Removal
                  name={device}
                  action="End"
                  text="It is signed out at once, in all its tabs."
                  done={sessionEndedText(device)}
                  list={list}
                  id={id}
                />
              )
            }
            empty="There is no session."
          />
        )}
      </Read>
      {isAsked && <EndingOthers others={others} onClose={() => ask(false)} />}
    </section>
  )
}

function EndingOthers({ others, onClose }: { others: number; onClose: () => void }) {
  const ending = useAction(
    async () => {
      const { ended } = await send<{ ended: number }>('POST', `${list}/end-others`)
      invalidate(list)
      return ended
    },
    { done: endedText, next: onClose },
  )
  return (
    <FormDialog of={ending} title="End all other sessions" action="End all others" onClose={onClose}>
      <p>{endOthersText(others)}</p>
    </FormDialog>
  )
}
