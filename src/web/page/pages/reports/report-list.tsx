import { useState } from 'preact/hooks'
import { link } from '../../address/base.ts'
import { page, useAddress, flag } from '../../address/fields.ts'
import type { Channels } from '../../api/history.ts'
import { whyNot } from '../../api/rights.ts'
import { useRead } from '../../api/use-read.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Read } from '../../ui/read.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ReportForm, ScheduleForm } from './forms.tsx'
import { deleteReport, deleteSchedule } from './requests.ts'
import type { ListedReport, Reports, Schedule, Schedules } from './types.ts'
import { channelWords, intervalWords, resultWords, scopeWords } from './words.ts'
import { deleteLabel, editLabel } from '../../ui/named-words.ts'

type Named = { id: number; name: string }

const fields = { page, isNew: { ...flag, parameter: 'new' } }
const pendingEveryMs = 2000

/** Reports, the newest first, and the schedules that make reports. */
export function ReportList() {
  const { fields: shown, go } = useAddress(fields)
  const reports = useRead<Reports>(`/reports?page=${shown.page}&page_size=25`, {
    everyMs: ({ reports: listed }) => (listed.some(({ status }) => status === 'pending') ? pendingEveryMs : undefined),
  })
  const teams = useRead<{ teams: Named[] }>('/organization/teams').value.value?.teams ?? []
  const columns: Column<ListedReport>[] = [
    { head: 'Period', cell: ({ id, title }) => <a href={link(`/reports/${id}`)}>{title}</a> },
    { head: 'Report', cell: ({ name }) => name },
    { head: 'SLOs', cell: (row) => <span class="muted">{scopeWords(row, teams)}</span> },
    { head: 'Result', cell: (row) => resultWords(row) },
    { head: 'Made', cell: ({ made_at }) => (made_at === null ? '–' : <Time ms={Date.parse(made_at)} />) },
  ]
  return (
    <Page
      title="Reports"
      class="reports"
      actions={
        <Button icon="plus" unavailable={whyNot('edit')} onClick={() => go({ isNew: true })}>
          Make a report…
        </Button>
      }
    >
      <section class="card section" aria-label="Reports">
        <Read of={reports} heightPx={240}>
          {(value) => (
            <Table
              caption="Reports"
              columns={columns}
              rows={value.reports}
              rowKey={({ id }) => id}
              actions={(row) => (
                <IconButton
                  small
                  icon="trash-2"
                  label={deleteLabel(row.title)}
                  unavailable={whyNot('edit')}
                  onClick={() => void deleteReport(row)}
                />
              )}
              empty="No report was made yet. A report says which SLOs met their target in a week, a month or a quarter, and why; once it is made it does not change."
              pager={{ of: value, what: 'reports' }}
            />
          )}
        </Read>
      </section>
      <ScheduleSection teams={teams} />
      {shown.isNew && <ReportForm teams={teams} onClose={() => go({ isNew: false }, { replace: true })} />}
    </Page>
  )
}

/** Form of a schedule that is open: to change `of`, or to create one. */
type Open = { of?: Schedule }

function ScheduleSection({ teams }: { teams: Named[] }) {
  const [open, setOpen] = useState<Open | null>(null)
  const schedules = useRead<Schedules>('/reports/schedules?page_size=100')
  const channels = useRead<Channels>('/notifications/channels').value.value?.data ?? []
  const columns: Column<Schedule>[] = [
    { head: 'Schedule', cell: ({ name }) => name },
    { head: 'When', cell: ({ interval }) => intervalWords[interval] },
    { head: 'Time zone', cell: ({ time_zone }) => time_zone },
    { head: 'SLOs', cell: (row) => <span class="muted">{scopeWords(row, teams)}</span> },
    { head: 'Sent through', cell: (row) => channelWords(row, channels) },
  ]
  return (
    <section class="card section">
      <div class="split">
        <h2>Schedules</h2>
        <Button small icon="plus" unavailable={whyNot('edit')} onClick={() => setOpen({})}>
          New schedule…
        </Button>
      </div>
      <Read of={schedules} heightPx={120}>
        {({ schedules: rows }) => (
          <Table
            caption="Schedules"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            actions={(row) => (
              <>
                <IconButton
                  small
                  icon="pencil"
                  label={editLabel(row.name)}
                  unavailable={whyNot('edit')}
                  onClick={() => setOpen({ of: row })}
                />
                <IconButton
                  small
                  icon="trash-2"
                  label={deleteLabel(row.name)}
                  unavailable={whyNot('edit')}
                  onClick={() => void deleteSchedule(row)}
                />
              </>
            )}
            empty="None yet. A schedule has a report made half an hour after the end of each period, and sends it, by mail with the file."
          />
        )}
      </Read>
      {open && <ScheduleForm {...open} teams={teams} channels={channels} onClose={() => setOpen(null)} />}
    </section>
  )
}
