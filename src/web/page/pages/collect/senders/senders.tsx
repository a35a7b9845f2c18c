import { useState } from 'preact/hooks'
import { link } from '../../../address/base.ts'
import { send } from '../../../api/client.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatCount, formatShort } from '../../../format.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { LinesToCopy } from '../parts/lines-to-copy.tsx'
import { List, listEveryMs } from '../parts/list.tsx'
import type { Sender } from '../types.ts'
import { howToSend, protocolNames, refusedWords, sendersAbout, sendingLines, tokenShownOnce } from './words.ts'

/** List of who sends samples to nines, and what was refused; below it how to send some. */
export function Senders() {
  const read = useRead<{ senders: Sender[] }>('/embedded/senders', { everyMs: listEveryMs })
  return (
    <>
      <List
        of={read}
        items={(value) => value.senders}
        about={sendersAbout}
        addButtons={[]}
        empty={{
          icon: 'database',
          title: 'Nobody has sent samples since nines started',
          text: 'Who sends is listed here from its first request on, also when it is refused.',
        }}
        drawAll={(rows) => (
          <Table
            caption="Senders"
            columns={[
              { head: 'Sender', cell: (row) => <Name of={row} /> },
              { head: 'Sends', cell: ({ protocol }) => protocolNames[protocol] },
              {
                head: 'Samples/s',
                cell: ({ samples_per_second }) => formatShort(samples_per_second, 2),
                isNumber: true,
              },
              { head: 'Series', cell: ({ series }) => formatCount(series), isNumber: true },
              { head: 'Last samples', cell: ({ last_stored_at }) => <Ago at={last_stored_at} /> },
              { head: 'Last refused', cell: (row) => <Refused of={row} /> },
            ]}
            rows={rows}
            rowKey={({ protocol, sends_as, address }) => `${protocol} ${address} ${sends_as}`}
          />
        )}
      />
      <HowToSend />
    </>
  )
}

function HowToSend() {
  const [token, setToken] = useState<string | null>(null)
  const { run, isBusy } = useAction(makeToken, { failed: 'No token was made.', next: setToken })
  return (
    <section class="card section" aria-labelledby="send">
      <h2 id="send">Send samples to nines</h2>
      <p class="hint">{token === null ? howToSend : tokenShownOnce}</p>
      <LinesToCopy lines={sendingLines(`${location.origin}${link('/')}`, token ?? 'TOKEN')} />
      {token === null && (
        <p>
          <Button isBusy={isBusy} unavailable={whyNot('administer')} onClick={() => void run()}>
            Make a token for it
          </Button>
        </p>
      )}
    </section>
  )
}

/** Makes an API token that may only send samples, and returns it. */
async function makeToken(): Promise<string> {
  const body = { name: 'sender', role: 'admin', scope: 'ingest' }
  return (await send<{ token: string }>('POST', '/auth/tokens', { body })).token
}

function Name({ of }: { of: Sender }) {
  return (
    <>
      {of.sends_as}
      <span class="muted sender-from">{[of.address, of.user_agent].filter(Boolean).join(', ')}</span>
    </>
  )
}

function Refused({ of }: { of: Sender }) {
  if (of.last_refused_at === null) return <>never</>
  return (
    <>
      <Ago at={of.last_refused_at} />
      <span class="muted sender-from">{refusedWords(of)}</span>
    </>
  )
}

function Ago({ at }: { at: string | null }) {
  return at === null ? <>never</> : <Time ms={Date.parse(at)} ago />
}
