import type { Paged, Silence } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { formatDuration, plural } from '../../../format.ts'
import { changeSilence, openSilence } from '../../../silence/request.ts'
import { endSilences, labelText } from '../../../silence/send.ts'
import { Button } from '../../../ui/button.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { sloLabel } from '../../../ui/named-words.ts'
import { changeSilenceLabel, endSilenceLabel, silenceAgainLabel } from './words.ts'

type Props = {
  silences: readonly Silence[]
  label: string
  unavailable: string | undefined
  empty?: string
  pager?: Paged
}

/** Table of silences: scope, times, reason and author, and the possible actions. */
export function SilenceTable({ silences, label, unavailable, empty, pager }: Props) {
  return (
    <Table
      class="silences"
      caption={label}
      columns={columns}
      rows={silences}
      rowKey={({ id }) => id}
      actions={(silence) => <Actions of={silence} unavailable={unavailable} />}
      empty={empty}
      pager={pager && { of: pager, what: 'past silences' }}
    />
  )
}

const columns: Column<Silence>[] = [
  {
    head: 'Silenced',
    cell: (silence) => (
      <>
        {silence.slo_id === null ? nameOf(silence) : <a href={link(`/slos/${silence.slo_id}`)}>{nameOf(silence)}</a>}
        {silence.labels && <span class="muted">{` · ${plural(silence.slo_count, '# SLO', '# SLOs')}`}</span>}
      </>
    ),
  },
  { head: 'From', cell: ({ starts_at }) => <Time ms={Date.parse(starts_at)} /> },
  { head: 'Until', cell: (silence) => <Until of={silence} /> },
  { head: 'Reason', cell: ({ comment }) => comment },
  { head: 'By', cell: ({ created_by_name }) => created_by_name ?? '–' },
]

function nameOf({ labels, slo_id, slo_name }: Silence): string {
  return labels ? labelText(labels) : (slo_name ?? sloLabel(slo_id ?? ''))
}

function Until({ of: { state, starts_at, until } }: { of: Silence }) {
  const untilMs = Date.parse(until)
  return (
    <span>
      <Time ms={untilMs} />{' '}
      {state === 'expired' && (
        <span class="muted">{`(${formatDuration((untilMs - Date.parse(starts_at)) / 1000)})`}</span>
      )}
    </span>
  )
}

function Actions({ of: silence, unavailable }: { of: Silence; unavailable: string | undefined }) {
  const { id, slo_id, labels, state } = silence
  const name = nameOf(silence)
  if (state === 'expired') {
    return (
      <Button
        small
        unavailable={unavailable}
        aria-label={silenceAgainLabel(name)}
        onClick={() => openSilence({ sloId: slo_id ?? undefined, labels: labels ?? undefined })}
      >
        Again
      </Button>
    )
  }
  return (
    <>
      <Button
        small
        unavailable={unavailable}
        aria-label={changeSilenceLabel(name)}
        onClick={() => changeSilence(silence)}
      >
        Change
      </Button>
      <Button small unavailable={unavailable} aria-label={endSilenceLabel(name)} onClick={() => void endSilences([id])}>
        End now
      </Button>
    </>
  )
}
