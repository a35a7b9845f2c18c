import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import { Status } from '../../../ui/status.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { List, listEveryMs } from '../parts/list.tsx'
import { Confirm } from '../parts/confirm.tsx'
import type { Heartbeat } from '../types.ts'
import { PingKey } from './ping-key.tsx'
import { heartbeatPath, heartbeats } from './path.ts'
import { expectedWords, goodWords, wordOf } from './words.ts'

type HeartbeatList = { heartbeats: Heartbeat[]; ping_key_created_at: string | null }

/** List of the heartbeats with their states. */
export function Heartbeats() {
  const read = useRead<HeartbeatList>(heartbeats, { everyMs: listEveryMs })
  const listed = read.value.value
  return (
    <>
      <List
        of={read}
        items={(value) => value.heartbeats}
        about="Jobs that report by themselves, such as cron jobs and backups: each calls its address when it is done. A run that has not reported by its deadline is missed."
        addButtons={[{ label: 'New heartbeat', path: '/collect/heartbeats?new' }]}
        empty={{
          icon: 'clock',
          title: 'No job reports yet',
          text: 'A heartbeat is a secret address that a job calls when it is done. nines notices when the call does not come in time, or says that the job failed.',
        }}
        drawAll={(rows) => (
          <Table
            caption="Heartbeats"
            columns={[
              { head: 'Heartbeat', cell: ({ id, name }) => <a href={link(heartbeatPath(id))}>{name}</a> },
              { head: 'State', cell: (row) => <Status {...wordOf(row)} /> },
              { head: 'Next expected', cell: (row) => <Expected of={row} /> },
              { head: 'Last success', cell: ({ last_success_at }) => <Ago at={last_success_at} /> },
              { head: 'Good runs', cell: goodWords },
            ]}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      />
      {listed && <PingKey madeAt={listed.ping_key_created_at} rows={listed.heartbeats} />}
      <Confirm />
    </>
  )
}

/** When the next run of a heartbeat is expected. */
export function Expected({ of }: { of: Heartbeat }) {
  return <>{useNow((nowMs) => expectedWords(of, nowMs), [of])}</>
}

/** Age of a moment; null: never. */
export function Ago({ at }: { at: string | null }) {
  return at === null ? <>never</> : <Time ms={Date.parse(at)} ago />
}
