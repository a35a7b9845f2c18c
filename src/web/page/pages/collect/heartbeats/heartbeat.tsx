import { Fragment } from 'preact'
import { useLocation } from 'preact-iso/router'
import { link } from '../../../address/base.ts'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { embeddedSource } from '../../../slo/first-slo.ts'
import { heartbeatSloPath } from '../../../slo/heartbeat-slo.ts'
import { useAction } from '../../../ui/action.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Page, ReadPage } from '../../../ui/page.tsx'
import { Status } from '../../../ui/status.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { askToPause, askToRemove } from '../parts/ask.ts'
import { Confirm, confirmFirst } from '../parts/confirm.tsx'
import { listEveryMs } from '../parts/list.tsx'
import { formatMs, noSloMadeText } from '../parts/words.ts'
import type { HeartbeatDetail, HeartbeatRun, ReadingSlos } from '../types.ts'
import { Ago, Expected } from './heartbeats.tsx'
import { Lines } from './lines.tsx'
import { heartbeats } from './path.ts'
import {
  goodWords,
  moreWords,
  newAddressQuestion,
  newAddressText,
  noSloWords,
  outcomeWord,
  scheduleWords,
  stateSentence,
  wordOf,
} from './words.ts'
import { deletedText, notChangedText, notDeletedText } from '../../../ui/named-words.ts'

/** Page of a heartbeat: its state, the lines for its job, and its last runs. */
export function HeartbeatPage({ id }: { id: number }) {
  const read = useRead<HeartbeatDetail>(`${heartbeats}/${id}`, { everyMs: listEveryMs })
  return (
    <ReadPage of={read} title="Heartbeat">
      {(value) => <Loaded of={value} />}
    </ReadPage>
  )
}

function Loaded({ of }: { of: HeartbeatDetail }) {
  const sentence = useNow((nowMs) => stateSentence(of, nowMs), [of])
  return (
    <Page
      title={of.name}
      class="collect heartbeat"
      crumbs={[['/collect/heartbeats', 'Heartbeats']]}
      status={<Status {...wordOf(of)} />}
      actions={<Actions of={of} />}
      head={<p>{sentence}</p>}
    >
      <Facts of={of} />
      {of.ping_url !== null && <Lines url={of.ping_url} of={of} />}
      <section class="card section" aria-labelledby="last-runs">
        <h2 id="last-runs">Last runs</h2>
        <Table
          columns={columns}
          rows={of.last_runs}
          rowKey={({ id }) => id}
          empty="Nothing was reported yet. The last 50 runs are kept, with the first 10 kB of what each sent."
        />
      </section>
      <Confirm />
    </Page>
  )
}

function Actions({ of: { id, name, labels, is_active } }: { of: HeartbeatDetail }) {
  const { route } = useLocation()
  const own = `${heartbeats}/${id}`
  const unavailable = whyNot('administer')
  const sendAndReread = (method: string, path: string, body?: object) =>
    send(method, path, body && { body }).then(() => invalidate(heartbeats))
  const pause = useAction(() => sendAndReread('PUT', own, { is_active: !is_active }), { failed: notChangedText(name) })
  const rotate = useAction(() => sendAndReread('POST', `${own}/rotate`), {
    done: newAddressText(name),
    failed: notChangedText(name),
  })
  const remove = useAction(() => send('DELETE', own), {
    done: deletedText(name),
    failed: notDeletedText(name),
    next: () => route(link('/collect/heartbeats')), // not read again: this page would ask for what is gone
  })
  const item = { name, list: heartbeats, id }
  const pauseFirst = useAction(() => askToPause(item, () => void pause.run()))
  const removeFirst = useAction(() =>
    askToRemove(
      item,
      'Its address and last runs go with it, so this cannot be undone. Its samples stay.',
      () => void remove.run(),
    ),
  )
  const makeSlo = useAction(async () => heartbeatSloPath({ name, labels }, await embeddedSource()), {
    failed: noSloMadeText(name),
    next: (path) => route(link(path)),
  })
  return (
    <>
      <Button isBusy={makeSlo.isBusy} unavailable={whyNot('edit')} onClick={makeSlo.run}>
        Make an SLO
      </Button>
      {unavailable === undefined && (
        <>
          <LinkButton href={link(`/collect/heartbeats?edit=${id}`)}>Edit</LinkButton>
          <Button isBusy={pause.isBusy || pauseFirst.isBusy} onClick={is_active ? pauseFirst.run : pause.run}>
            {is_active ? 'Pause' : 'Resume'}
          </Button>
          <Button
            isBusy={rotate.isBusy}
            onClick={() =>
              confirmFirst({
                title: newAddressQuestion(name),
                text: 'The address it has is unknown at once: its job must call the new one.',
                action: 'New address',
                onYes: () => void rotate.run(),
              })
            }
          >
            New address
          </Button>
          <Button kind="danger" isBusy={remove.isBusy || removeFirst.isBusy} onClick={removeFirst.run}>
            Delete
          </Button>
        </>
      )}
    </>
  )
}

function Facts({ of }: { of: HeartbeatDetail }) {
  return (
    <dl class="card heartbeat-facts">
      <div>
        <dt>Next expected</dt>
        <dd>
          <Expected of={of} />
        </dd>
      </div>
      <div>
        <dt>Deadline</dt>
        <dd>{of.deadline_at === null ? '–' : <Time ms={Date.parse(of.deadline_at)} />}</dd>
      </div>
      <div>
        <dt>Schedule</dt>
        <dd>{scheduleWords(of)}</dd>
      </div>
      <div>
        <dt>Last success</dt>
        <dd>
          <Ago at={of.last_success_at} />
        </dd>
      </div>
      <div>
        <dt>Last duration</dt>
        <dd>{of.last_duration_ms === null ? '–' : formatMs(of.last_duration_ms)}</dd>
      </div>
      <div>
        <dt>Good runs</dt>
        <dd>{goodWords(of)}</dd>
      </div>
      <div>
        <dt>SLOs</dt>
        <dd>
          <Slos id={of.id} />
        </dd>
      </div>
    </dl>
  )
}

const shownSlos = 5

/** Links to the active SLOs that read a heartbeat; without one, what that means. */
function Slos({ id }: { id: number }) {
  const slos = useRead<ReadingSlos>(`${heartbeats}/${id}/slos`).value.value?.slos
  if (!slos) return <>–</>
  if (slos.length === 0) return <>{noSloWords}</>
  const more = slos.length - shownSlos
  return (
    <>
      {slos.slice(0, shownSlos).map((slo, at) => (
        <Fragment key={slo.id}>
          {at > 0 && ', '}
          <a href={link(`/slos/${slo.id}`)}>{slo.name}</a>
        </Fragment>
      ))}
      {more > 0 && moreWords(more)}
    </>
  )
}

const columns = [
  { head: 'When', cell: ({ at }: HeartbeatRun) => <Time ms={Date.parse(at)} exact /> },
  { head: 'Outcome', cell: (run: HeartbeatRun) => <Status {...outcomeWord(run)} /> },
  {
    head: 'Duration',
    class: 'run-time',
    cell: ({ duration_ms }: HeartbeatRun) => (duration_ms === null ? '–' : formatMs(duration_ms)),
  },
  { head: 'Exit code', cell: ({ exit_code }: HeartbeatRun) => exit_code ?? '–' },
  { head: 'Sent', class: 'sent', cell: ({ message }: HeartbeatRun) => <Sent text={message} /> },
]

function Sent({ text }: { text: string | null }) {
  if (text === null || text === '') return <>–</>
  return (
    <details>
      <summary>Show</summary>
      <pre>{text}</pre>
    </details>
  )
}
