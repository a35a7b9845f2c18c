import { useEffect, useMemo, useRef } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { useAddress } from '../../address/fields.ts'
import type { AnnotationCost, AnnotationList } from '../../api/history.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import type { Overview } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { now } from '../../clock.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { WhenSeen } from '../../ui/when-seen.tsx'
import { capitalized } from '../../incidents/alert-words.ts'
import { AnnotationForm } from './annotation-form.tsx'
import { deployFields, kinds, queryOfFilter, ranges } from './filter.ts'
import { labelsText } from '../../slo/labels-text.ts'
import { deleteAnnotation, type ListedAnnotation } from './requests.ts'
import { besideWords, costWords, kindWords, matchedWords } from './words.ts'
import { deleteLabel } from '../../ui/named-words.ts'

const costEveryMs = 60_000
const cellPx = 20

/** List of deploys, changes and notes with what each cost, the latest first. */
export function DeployList() {
  const { fields, to, go } = useAddress(deployFields)
  const { isNew, ...filter } = fields
  const isFiltered = [filter.kind, filter.sloId, filter.range].some((value) => value !== '')
  const query = useMemo(() => queryOfFilter(filter, now()), [JSON.stringify(filter)]) // while the list is shown, its period keeps its start
  const listed = useRead<AnnotationList>(`/annotations?${query}`, { everyMs: costEveryMs })
  useCostsAfterChanges(query, listed.value.value?.total)
  return (
    <Page
      title="Deploys"
      class="deploys"
      actions={
        <Button icon="plus" unavailable={whyNot('edit')} onClick={() => go({ isNew: true })}>
          New note…
        </Button>
      }
    >
      <Filters />
      <section class="card section" aria-label="Deploys, changes and notes">
        <Read of={listed} heightPx={240}>
          {(value) => (
            <Table
              caption="Deploys, changes and notes"
              columns={columns}
              rows={value.annotations}
              rowKey={({ id }) => id}
              actions={(row) => <Delete of={row} />}
              empty={
                isFiltered ? (
                  <>
                    Nothing is like this. <a href={to({ kind: '', sloId: '', range: '', page: 1 })}>Show all</a>
                  </>
                ) : (
                  'Nothing was reported yet. A pipeline reports a deploy by one request; it is then drawn on the charts of the SLOs with its labels, and this list says what it cost.'
                )
              }
              pager={{ of: value, what: 'deploys' }}
            />
          )}
        </Read>
      </section>
      {isNew && <AnnotationForm onClose={() => go({ isNew: false }, { replace: true })} />}
    </Page>
  )
}

/** Reads the costs again when the list has become longer or shorter: another deploy may be the next one of an SLO. */
function useCostsAfterChanges(query: string, total: number | undefined): void {
  const last = useRef({ query, total })
  useEffect(() => {
    const { query: lastQuery, total: lastTotal } = last.current
    if (total === undefined) return
    if (query === lastQuery && lastTotal !== undefined && total !== lastTotal) invalidate('/annotations/')
    last.current = { query, total }
  }, [query, total])
}

const columns: Column<ListedAnnotation>[] = [
  { head: 'What', cell: (row) => <a href={link(`/deploys/${row.id}`)}>{capitalized(row.title)}</a> },
  { head: 'When', class: 'when', cell: ({ at }) => <Time ms={Date.parse(at)} /> },
  { head: 'Labels', cell: ({ labels }) => <span class="muted">{labelsText(labels)}</span> },
  { head: 'SLOs', cell: (row) => <OnceSeen of={row} show="slos" /> },
  { head: 'Budget used', cell: (row) => <OnceSeen of={row} show="cost" /> },
  { head: 'Link', cell: ({ url }) => <Link url={url} /> },
]

function Link({ url }: { url: string }) {
  if (url === '') return <>–</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {new URL(url).host}
    </a>
  )
}

type Shown = { of: ListedAnnotation; show: 'slos' | 'cost' }

function OnceSeen(props: Shown) {
  return <WhenSeen heightPx={cellPx}>{() => <CostCell {...props} />}</WhenSeen>
}

/** Cell with the SLOs of a row, or its cost. Each row reads its own. */
function CostCell({ of: { id }, show }: Shown) {
  const cost = useRead<AnnotationCost>(`/annotations/${id}/cost`, {
    everyMs: ({ data }) => (data.complete ? undefined : costEveryMs),
  })
  return (
    <Read of={cost} heightPx={cellPx}>
      {({ data }) =>
        show === 'slos' ? (
          <>{data.slo_count === 0 ? '–' : matchedWords(data)}</>
        ) : (
          <div>
            <span class={data.slo_count === 0 ? 'muted' : undefined}>{costWords(data)}</span>
            <span class="muted beside">{besideWords(data)}</span>
          </div>
        )
      }
    </Read>
  )
}

function Delete({ of }: { of: ListedAnnotation }) {
  return (
    <IconButton
      small
      icon="trash-2"
      label={deleteLabel(of.title)}
      unavailable={whyNot('edit')}
      onClick={() => void deleteAnnotation(of)}
    />
  )
}

/** Filters of the list; they are kept in the address. */
function Filters() {
  const { fields, go } = useAddress(deployFields)
  const overview = useRead<Overview>('/slos/overview')
  const slos = overview.value.value?.slos ?? []
  const byName = slos.toSorted((a, b) => a.name.localeCompare(b.name))
  const choice = (name: 'kind' | 'sloId' | 'range') => ({
    value: fields[name],
    onChange: (value: string) => go({ [name]: value, page: 1 }, { replace: true }),
  })
  return (
    <div class="deploy-filters cluster" role="search" aria-label="Deploys">
      <Choice
        label="Kind"
        all="Any kind"
        of={kinds.map((kind) => [kind, kindWords[kind] ?? kind] as const)}
        {...choice('kind')}
      />
      <Choice
        label="SLO"
        all="Any SLO"
        of={byName.map(({ id, name }) => [String(id), name] as const)}
        {...choice('sloId')}
      />
      <Choice label="Time" all="Any time" of={ranges} {...choice('range')} />
    </div>
  )
}

type ChoiceProps = {
  label: string
  all: string
  of: readonly (readonly [value: string, text: string, ...unknown[]])[]
  value: string
  onChange: (value: string) => void
}

function Choice({ label, all, of, value, onChange }: ChoiceProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">{all}</option>
      {of.map(([known, text]) => (
        <option key={known} value={known} selected={known === value}>
          {text}
        </option>
      ))}
    </select>
  )
}
