import { useLocation } from 'preact-iso/router'
import { useRead } from '../../../api/use-read.ts'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Fact } from '../parts/fact.tsx'
import type { Health as HealthResponse } from '../types.ts'
import { Backups } from './backups.tsx'
import { Instance } from './instance.tsx'
import { WhatsNew } from './whats-new.tsx'

type Condition = HealthResponse['conditions'][number]

const columns: Column<Condition>[] = [
  { head: 'Condition', cell: ({ message }) => message },
  { head: 'Since', cell: ({ since }) => <Time ms={Date.parse(since)} /> },
  { head: 'Advice', cell: ({ advice }) => advice },
]

const services: readonly (readonly [keyof HealthResponse['services'], string])[] = [
  ['database', 'Database'],
  ['cache', 'Cache'],
  ['notifications', 'Notifications'],
  ['websocket', 'Live updates'],
  ['clock', 'Clock'],
]

/** State of the services of nines, its present conditions, backups and the instance. With `?whats-new` in the address: the release notes. */
export function System() {
  const { query } = useLocation()
  return 'whats-new' in query ? (
    <WhatsNew />
  ) : (
    <>
      <Health />
      <Backups />
      <Instance />
    </>
  )
}

function Health() {
  const health = useRead<HealthResponse>('/health', { everyMs: 10_000 })
  return (
    <Read of={health} heightPx={240}>
      {(value) => (
        <>
          <section class="card section" aria-label="Parts">
            <h2>Parts</h2>
            <dl class="facts">
              {services.map(([name, label]) => (
                <Fact key={name} label={label} value={value.services[name] ? 'Works' : 'Does not work'} />
              ))}
            </dl>
          </section>
          <section class="card section" aria-label="Conditions">
            <h2>Conditions</h2>
            <Table
              caption="Conditions"
              columns={columns}
              rows={value.conditions}
              rowKey={({ name }) => name}
              empty="Nothing is wrong with nines itself."
            />
          </section>
        </>
      )}
    </Read>
  )
}
