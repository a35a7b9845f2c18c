import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import { save } from '../../../charts/figure.tsx'
import { formatBytes } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import type { Health, SystemFacts } from '../types.ts'
import { Organizations } from './organizations.tsx'
import { bundleText, grownText } from './words.ts'

type Database = SystemFacts['databases'][number]
type Setting = SystemFacts['settings'][number]

const databaseColumns: Column<Database>[] = [
  { head: 'Database', cell: ({ file }) => file },
  { head: 'Size', cell: ({ bytes }) => formatBytes(bytes) },
  { head: 'Write-ahead log', cell: ({ wal_bytes }) => formatBytes(wal_bytes) },
  { head: 'Since the start', cell: ({ grown_bytes }) => grownText(grown_bytes) },
]

const originLabels = { environment: 'Environment', file: 'File', default: 'Default' }

const settingColumns: Column<Setting>[] = [
  { head: 'Setting', cell: ({ name }) => <div>{name}</div> },
  { head: 'Value', cell: ({ value }) => <div>{value === '' ? '–' : value}</div> },
  { head: 'From', cell: ({ origin }) => (origin === null ? '–' : originLabels[origin]) },
]

/** Version, databases and settings of the instance, with a support bundle; nothing for administrators of other organizations. */
export function Instance() {
  const system = useRead<SystemFacts>('/organization/system')
  const health = useRead<Health>('/health').value.value
  if (system.error.value?.status === 403) return null
  return (
    <Read of={system} heightPx={240}>
      {(value) => (
        <>
          <section class="card section" aria-label="Instance">
            <div class="split">
              <h2>Instance</h2>
              <Button
                small
                icon="download"
                onClick={() => save(bundleText(value, health ?? null), 'application/json', 'nines-support.json')}
              >
                Support bundle
              </Button>
            </div>
            <dl class="facts">
              <div>
                <dt>Version</dt>
                <dd>
                  {value.version} · <a href={link('/settings/system?whats-new')}>What is new</a>
                </dd>
              </div>
              <div>
                <dt>Started</dt>
                <dd>
                  <Time ms={Date.parse(value.started_at)} />
                </dd>
              </div>
              <div>
                <dt>Last backup</dt>
                <dd>{value.last_backup_at === null ? 'None' : <Time ms={Date.parse(value.last_backup_at)} />}</dd>
              </div>
            </dl>
            <Table
              caption="Databases"
              columns={databaseColumns}
              rows={value.databases}
              rowKey={({ file }) => file}
              empty="There is no database."
            />
          </section>
          <Organizations />
          <section class="card section" aria-label="Settings in effect">
            <h2>Settings in effect</h2>
            <Table
              caption="Settings in effect"
              columns={settingColumns}
              rows={value.settings}
              rowKey={({ name }) => name}
              empty="There are no settings."
            />
          </section>
        </>
      )}
    </Read>
  )
}
