import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { link } from '../../address/base.ts'
import type { AnnotationCost, OneAnnotation } from '../../api/history.ts'
import type { Resource } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { capitalized } from '../../incidents/alert-words.ts'
import { Button } from '../../ui/button.tsx'
import { Page, ReadPage } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AnnotationForm } from './annotation-form.tsx'
import { labelsText } from '../../slo/labels-text.ts'
import { type Annotation, deleteAnnotation } from './requests.ts'
import {
  costSentence,
  endWords,
  failedWords,
  notListedSentence,
  resolutionOf,
  type SloCost,
  spanWords,
} from './words.ts'

const costEveryMs = 30_000

/** Page of a deploy, change or note: what it was, and what it cost each SLO. */
export function DeployPage({ id }: { id: number }) {
  const read = useRead<OneAnnotation>(`/annotations/${id}`)
  return (
    <ReadPage of={read} title="Deploy">
      {({ data }) => <Loaded of={data} read={read} />}
    </ReadPage>
  )
}

function Loaded({ of, read }: { of: Annotation; read: Resource<OneAnnotation> }) {
  const { route } = useLocation()
  const [isEditing, setEditing] = useState(false)
  const unavailable = whyNot('edit')
  const cost = useRead<AnnotationCost>(`/annotations/${of.id}/cost`, {
    everyMs: ({ data }) => (data.complete ? undefined : costEveryMs),
  })
  const known = cost.value.value?.data
  const toList = () => route(link('/deploys'))
  return (
    <Page
      title={capitalized(of.title)}
      class="slo deploys"
      crumbs={[['/deploys', 'Deploys']]}
      actions={
        <>
          <Button icon="pencil" unavailable={unavailable} onClick={() => setEditing(true)}>
            Edit…
          </Button>
          <Button icon="trash-2" unavailable={unavailable} onClick={() => void deleteAnnotation(of, toList)}>
            Delete
          </Button>
        </>
      }
      head={known && <p class="sentence">{costSentence(known)}</p>}
      read={read}
    >
      <Facts of={of} />
      <section class="card section">
        <h2>What it cost</h2>
        <p class="muted">
          The error budget that was used from it until the next deploy of the same SLO, beside as long a time before it.
        </p>
        <Read of={cost} heightPx={120}>
          {({ data }) => (
            <>
              <Table
                caption="What it cost"
                columns={columns}
                rows={data.slos}
                rowKey={({ slo_id }) => slo_id}
                empty="No SLO has all of its labels."
              />
              {data.slo_count > data.slos.length && (
                <p class="muted">{notListedSentence(data.slo_count - data.slos.length)}</p>
              )}
            </>
          )}
        </Read>
      </section>
      {isEditing && <AnnotationForm of={of} onClose={() => setEditing(false)} />}
    </Page>
  )
}

const columns: Column<SloCost>[] = [
  { head: 'SLO', cell: ({ slo_id, slo_name }) => <a href={link(`/slos/${slo_id}`)}>{slo_name}</a> },
  { head: 'Budget used', cell: ({ after }) => spanWords(after) },
  { head: 'Same time before', cell: ({ before }) => spanWords(before) },
  { head: 'Failed', isNumber: true, cell: ({ after, unit }) => failedWords(after, unit) },
  { head: 'Before', isNumber: true, cell: ({ before, unit }) => failedWords(before, unit) },
  { head: 'Over', cell: (row) => <>{endWords(row, nextOf(row))}</> },
  { head: 'Exact', cell: resolutionOf },
]

function nextOf({ next_deploy }: SloCost) {
  if (next_deploy === null) return null
  const { id, version, at } = next_deploy
  return <a href={link(`/deploys/${id}`)}>{version === '' ? <Time ms={Date.parse(at)} /> : version}</a>
}

function Facts({ of: { at, labels, version, url, text, created_by_name, created_at } }: { of: Annotation }) {
  return (
    <section class="card section" aria-label="What it was">
      <dl class="facts">
        <div>
          <dt>When</dt>
          <dd>
            <Time ms={Date.parse(at)} exact />
          </dd>
        </div>
        <div>
          <dt>Labels</dt>
          <dd>{labelsText(labels)}</dd>
        </div>
        {version !== '' && (
          <div>
            <dt>Version</dt>
            <dd>{version}</dd>
          </div>
        )}
        {url !== '' && (
          <div>
            <dt>Link</dt>
            <dd>
              <a href={url} target="_blank" rel="noreferrer">
                {url}
              </a>
            </dd>
          </div>
        )}
        <div>
          <dt>Reported</dt>
          <dd>
            {created_by_name ?? 'a removed user'}, <Time ms={Date.parse(created_at)} />
          </dd>
        </div>
      </dl>
      {text !== '' && <p class="deploy-text">{text}</p>}
    </section>
  )
}
