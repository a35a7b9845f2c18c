import { useLocation } from 'preact-iso/router'
import { link } from '../../address/base.ts'
import type { Resource } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { save } from '../../charts/figure.tsx'
import { formatDuration, formatTarget } from '../../format.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Page, ReadPage } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deleteReport, readFile, type ReportFormat } from './requests.ts'
import type { OneReport, Report, ReportedSlo } from './types.ts'
import {
  countWords,
  failedWords,
  fileWords,
  measuredWords,
  metWords,
  resultWords,
  sliWords,
  usedWords,
  verdictWords,
} from './words.ts'

const pendingEveryMs = 2000

/** Page of a report: its figures as they were when it was made, and its files. */
export function ReportPage({ id }: { id: number }) {
  const read = useRead<OneReport>(`/reports/${id}`, {
    everyMs: ({ data }) => (data.status === 'pending' ? pendingEveryMs : undefined),
  })
  return (
    <ReadPage of={read} title="Report">
      {({ data }) => <Loaded of={data} read={read} />}
    </ReadPage>
  )
}

function Loaded({ of, read }: { of: OneReport['data']; read: Resource<OneReport> }) {
  const { route } = useLocation()
  const { report, title, name } = of
  const toList = () => route(link('/reports'))
  return (
    <Page
      title={`${name}: ${title}`}
      class="reports"
      crumbs={[['/reports', 'Reports']]}
      actions={
        <>
          {report &&
            (['html', 'csv', 'json'] as const).map((format) => <Download key={format} id={of.id} format={format} />)}
          <Button icon="trash-2" unavailable={whyNot('edit')} onClick={() => void deleteReport(of, toList)}>
            Delete
          </Button>
        </>
      }
      head={<p class="sentence">{report ? verdictWords(report) : resultWords(of)}</p>}
      read={read}
    >
      {report && <Tables of={report} />}
    </Page>
  )
}

function Download({ id, format }: { id: number; format: ReportFormat }) {
  const saving = useAction(
    async () => {
      const { content, name } = await readFile(id, format)
      save(content, '', name)
    },
    { failed: 'The report is not saved.' },
  )
  return (
    <Button icon="download" isBusy={saving.isBusy} onClick={() => saving.run()}>
      {fileWords[format]}
    </Button>
  )
}

const sloColumns: Column<ReportedSlo>[] = [
  { head: 'SLO', cell: ({ id, name }) => <a href={link(`/slos/${id}`)}>{name}</a> },
  { head: 'Result', cell: (slo) => <span class={slo.met === false ? 'missed' : undefined}>{metWords(slo)}</span> },
  { head: 'SLI', isNumber: true, cell: (slo) => sliWords(slo) },
  { head: 'Target', isNumber: true, cell: ({ target }) => `${formatTarget(target)} %` },
  { head: 'Budget used', isNumber: true, cell: ({ budget_used_percent }) => usedWords(budget_used_percent) },
  { head: 'Failed of allowed', isNumber: true, cell: (slo) => failedWords(slo) },
  { head: 'Measured', isNumber: true, cell: (slo) => measuredWords(slo) },
]

type Incident = Report['incidents'][number]

const incidentColumns: Column<Incident>[] = [
  { head: 'Incident', cell: ({ id, slo_name }) => <a href={link(`/incidents/${id}`)}>{slo_name}</a> },
  { head: 'Began', cell: ({ began_at }) => <Time ms={Date.parse(began_at)} /> },
  { head: 'Lasted', isNumber: true, cell: ({ duration_seconds }) => formatDuration(duration_seconds) },
  { head: 'Budget used', isNumber: true, cell: ({ budget_percent }) => usedWords(budget_percent) },
  { head: 'Cause', cell: (incident) => <Cause of={incident} /> },
]

function Cause({ of: { cause, deploy, account } }: { of: Incident }) {
  return (
    <div class="report-cause">
      {cause ?? <span class="muted">Not known</span>}
      {deploy && <span class="muted beside">{deploy.title}</span>}
      {account && <Markdown text={account.text} />}
    </div>
  )
}

const deployColumns: Column<Report['deploys'][number]>[] = [
  { head: 'Deploy', cell: ({ id, title }) => <a href={link(`/deploys/${id}`)}>{title}</a> },
  { head: 'When', cell: ({ at }) => <Time ms={Date.parse(at)} /> },
  {
    head: 'Budget used',
    cell: ({ costs }) =>
      costs === null || costs.length === 0
        ? '–'
        : costs.map(({ slo_id, slo_name, budget_percent }) => (
            <div key={slo_id}>
              {slo_name}: {usedWords(budget_percent)}
            </div>
          )),
  },
]

const changeColumns: Column<Report['changes'][number]>[] = [
  { head: 'SLO', cell: ({ slo_id, slo_name }) => <a href={link(`/slos/${slo_id}`)}>{slo_name}</a> },
  { head: 'When', cell: ({ changed_at }) => <Time ms={Date.parse(changed_at)} /> },
  {
    head: 'Changed',
    cell: ({ event, fields }) => (event === 'changed' ? fields.map(({ field }) => field).join(', ') : event),
  },
  { head: 'By', cell: ({ by }) => by ?? '–' },
]

function Tables({ of }: { of: Report }) {
  return (
    <>
      <section class="card section">
        <h2>Objectives</h2>
        <p class="muted">{countWords(of)}</p>
        <Table columns={sloColumns} caption="Objectives" rows={of.slos} rowKey={({ id }) => id} empty="None." />
      </section>
      <section class="card section">
        <h2>Incidents</h2>
        <Table
          columns={incidentColumns}
          caption="Incidents"
          rows={of.incidents}
          rowKey={({ id }) => id}
          empty="None."
        />
      </section>
      {of.deploys.length > 0 && (
        <section class="card section">
          <h2>Deploys</h2>
          <Table columns={deployColumns} caption="Deploys" rows={of.deploys} rowKey={({ id }) => id} />
        </section>
      )}
      {of.changes.length > 0 && (
        <section class="card section">
          <h2>Changed definitions</h2>
          <Table
            columns={changeColumns}
            caption="Changed definitions"
            rows={of.changes}
            rowKey={({ slo_id, changed_at }) => `${slo_id} ${changed_at}`}
          />
        </section>
      )}
    </>
  )
}
