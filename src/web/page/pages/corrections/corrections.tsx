import { useState } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { flag, id, page, text, useAddress } from '../../address/fields.ts'
import type { Schemas } from '../../../../../dist/openapi.d.ts'
import { whyNot } from '../../api/rights.ts'
import type { Overview } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { nowMs } from '../../ui/time.tsx'
import { CalendarFeed } from './calendar-feed.tsx'
import { CorrectionForm } from './correction-form.tsx'
import { deleteCorrection } from './requests.ts'
import {
  categoryWords,
  changeCorrectionLabel,
  type Correction,
  coveredWords,
  deleteCorrectionLabel,
  noCorrectionsSentences,
  timesText,
} from './words.ts'

const fields = { page, isNew: { ...flag, parameter: 'new' }, slo: id, from: text, to: text }
const closed = { isNew: false, slo: '', from: '', to: '' }

/** List of the times that count neither good nor bad, and a form that adds one. */
export function CorrectionsPage() {
  const { fields: address, go } = useAddress(fields)
  const [changed, setChanged] = useState<Correction | null>(null)
  const listed = useRead<Schemas['CorrectionList']>(`/corrections?page=${address.page}&page_size=25`)
  const overview = useRead<Overview>('/slos/overview')
  const slos = (overview.value.value?.slos ?? []).toSorted((a, b) => a.name.localeCompare(b.name))
  const nameOf = (id: number) => slos.find((slo) => slo.id === id)?.name
  const columns: Column<Correction>[] = [
    { head: 'Reason', cell: ({ category, text: why }) => <Reason category={category} why={why} /> },
    { head: 'When', cell: (row) => timesText(row, nowMs.value) },
    { head: 'SLOs', cell: (row) => coveredWords(row, nameOf) },
    { head: 'By', cell: ({ created_by_name }) => created_by_name ?? '–' },
  ]
  return (
    <Page
      title="Corrections"
      class="corrections"
      actions={
        <Button icon="plus" unavailable={whyNot('edit')} onClick={() => go({ isNew: true })}>
          Leave a time out…
        </Button>
      }
    >
      <section class="card section" aria-label="Corrections">
        <Read of={listed} heightPx={200}>
          {(value) => (
            <Table
              caption="Corrections"
              columns={columns}
              rows={value.corrections}
              rowKey={({ id }) => id}
              actions={(row) => <Actions of={row} onEdit={() => setChanged(row)} />}
              empty={noCorrectionsSentences(<a href={link('/')}>the budgets</a>)}
              pager={{ of: value, what: 'corrections' }}
            />
          )}
        </Read>
      </section>
      <CalendarFeed />
      {address.isNew && overview.value.value && (
        <CorrectionForm slos={slos} of={address} onClose={() => go(closed, { replace: true })} />
      )}
      {changed !== null && <CorrectionForm slos={slos} of={changed} onClose={() => setChanged(null)} />}
    </Page>
  )
}

function Reason({ category, why }: { category: Correction['category']; why: string }) {
  return (
    <>
      {categoryWords[category]} {why !== '' && <span class="muted">{why}</span>}
    </>
  )
}

function Actions({ of, onEdit }: { of: Correction; onEdit: () => void }) {
  return (
    <>
      <IconButton
        small
        icon="pencil"
        label={changeCorrectionLabel(of.id)}
        unavailable={whyNot('edit')}
        onClick={onEdit}
      />
      <IconButton
        small
        icon="trash-2"
        label={deleteCorrectionLabel(of.id)}
        unavailable={whyNot('edit')}
        onClick={() => void deleteCorrection(of)}
      />
    </>
  )
}
