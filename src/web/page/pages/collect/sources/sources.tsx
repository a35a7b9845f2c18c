import type { Tone } from '../../../ui/status.tsx'
import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { link } from '../../../address/base.ts'
import { asSentence } from '../../../format.ts'
import { attempt } from '../../../ui/action.ts'
import { Read } from '../../../ui/read.tsx'
import { nowMs, Time } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.ts'
import { confirmFirst, Confirm } from '../parts/confirm.tsx'
import { Item } from '../parts/item.tsx'
import { List, listEveryMs } from '../parts/list.tsx'
import { change, remove } from '../parts/remove.ts'
import { reasonAfter } from '../parts/trouble.ts'
import type { Source, SourceTrial as Trial } from '../types.ts'
import { SourceTrial, withoutName } from './source-trial.tsx'
import { lastAnswerWords, noAnswerSinceSentence, readersWords, usedText } from './words.ts'
import { deleteQuestion } from '../parts/words.ts'
import { notDeletedText } from '../../../ui/named-words.ts'

const path = '/tsdb/sources'

type Slo = { id: number; name: string }

/** List of the data sources with their health. */
export function Sources() {
  const sources = useRead<{ sources: Source[] }>(path, { everyMs: listEveryMs })
  return (
    <>
      <List
        of={sources}
        items={(value) => value.sources}
        about="SLOs are measured over these: a Prometheus, Mimir, Thanos or VictoriaMetrics, or the embedded source, which has what nines scrapes and checks itself."
        addButtons={[{ label: 'New source', path: '/collect/sources?new' }]}
        empty={{
          icon: 'database',
          title: 'No source yet',
          text: 'Connect a Prometheus, or add the source inside of nines with the URL "embedded".',
        }}
      >
        {(source) => <OneSource key={source.id} source={source} />}
      </List>
      <Confirm />
    </>
  )
}

function OneSource({ source }: { source: Source }) {
  const { id, name, api_url, is_default, is_active, auth } = source
  const unavailable = whyNot('administer')
  const recreateBody = auth === null ? { name, api_url, is_active, ...(is_default && { is_default }) } : null
  const removeIt = async () => {
    const { slos } = await send<{ slos: Slo[] }>('GET', `${path}/${id}/slos`)
    const names = slos.map((slo) => slo.name)
    if (names.length > 0) return toast(usedText(name, names), { isProblem: true })
    if (recreateBody !== null) return remove({ name, list: path, id, recreateBody })
    return confirmFirst({
      title: deleteQuestion(name),
      text: 'Its credentials are stored here alone and go with it, so this cannot be undone.',
      onYes: () => void remove({ name, list: path, id, recreateBody }),
    })
  }
  return (
    <Item
      name={name}
      state={stateOf(source)}
      place={api_url === 'embedded' ? 'inside of nines' : api_url}
      tryLabel="Test"
      onTry={async () => <SourceTrial name={name} of={await send<Trial>('POST', `${path}/${id}/test`, { body: {} })} />}
      edit={`/collect/sources?edit=${id}`}
      choices={[
        ...(is_default
          ? []
          : [
              {
                label: 'Make it the default',
                unavailable,
                onChoose: () => void change(name, path, id, { is_default: true }),
              },
            ]),
        {
          label: is_active ? 'Switch off' : 'Switch on',
          unavailable,
          onChoose: () => void change(name, path, id, { is_active: !is_active }),
        },
        {
          label: 'Delete',
          icon: 'trash-2',
          unavailable,
          onChoose: () => void attempt(removeIt, { failed: reasonAfter(notDeletedText(name)) }),
        },
      ]}
    >
      <Answers of={source} />
      <UsedBy of={source} />
      <p>
        <a href={link(`/explore?source=${id}`)}>Explore</a>
        {api_url === 'embedded' && (
          <>
            {' · '}
            <a href={link('/collect/storage')}>How full it is</a>
          </>
        )}
      </p>
    </Item>
  )
}

function stateOf({ is_active, health: { status } }: Source): { state: Tone; word: string } {
  if (!is_active) return { state: 'unknown', word: 'Switched off' }
  if (status === 'answers') return { state: 'healthy', word: 'Answers' }
  return status === 'failing' ? { state: 'critical', word: 'No answer' } : { state: 'unknown', word: 'Not asked yet' }
}

function Answers({ of: { name, health } }: { of: Source }) {
  const { last_answer_at, latency_ms, error, failing_since } = health
  return (
    <>
      {error !== null && (
        <p class="crit-text message-text">
          {failing_since !== null && <strong>{noAnswerSinceSentence(Date.parse(failing_since), nowMs.value)} </strong>}
          {asSentence(withoutName(error, name))}
        </p>
      )}
      <p class="muted">
        {last_answer_at === null
          ? 'It has not answered since nines started'
          : lastAnswerWords(<Time ms={Date.parse(last_answer_at)} ago />, latency_ms)}
      </p>
    </>
  )
}

function UsedBy({ of: { id, is_default, slo_count } }: { of: Source }) {
  const [isOpen, setOpen] = useState(false)
  if (slo_count === 0) return <p>{readersWords(0, is_default)}</p>
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{readersWords(slo_count, is_default)}</summary>
      {isOpen && <SloNames id={id} />}
    </details>
  )
}

function SloNames({ id }: { id: number }) {
  const slos = useRead<{ slos: Slo[] }>(`${path}/${id}/slos`)
  return (
    <Read of={slos} heightPx={20}>
      {(value) => (
        <ul class="slo-names">
          {value.slos.map((slo) => (
            <li key={slo.id}>
              <a href={link(`/slos/${slo.id}`)}>{slo.name}</a>
            </li>
          ))}
        </ul>
      )}
    </Read>
  )
}
