import { send } from '../../../api/client.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatBytes } from '../../../format.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Fact } from '../parts/fact.tsx'
import type { BackupList } from '../types.ts'
import { attemptSentence, bucketSentence, emptySentence, whyNoBackup } from './words.ts'

type Backup = BackupList['backups'][number]

const columns: Column<Backup>[] = [
  { head: 'File', cell: ({ name }) => name },
  { head: 'Made', cell: ({ created_at }) => <Time ms={Date.parse(created_at)} /> },
  { head: 'Size', isNumber: true, cell: ({ size_bytes }) => formatBytes(size_bytes) },
]
const inBucket: Column<Backup> = {
  head: 'In the bucket',
  cell: ({ in_bucket }) => (in_bucket === null ? 'Not asked yet' : in_bucket ? 'Yes' : 'No'),
}

/** Backups of the instance and a button that begins one. To administrators of other organizations it says who may see them. */
export function Backups() {
  const backups = useRead<BackupList>('/backups', { everyMs: ({ is_running }) => (is_running ? 2000 : 30_000) })
  return (
    <section class="card section" aria-label="Backups">
      <h2>Backups</h2>
      {backups.error.value?.status === 403 ? (
        <p class="hint">An administrator of the first organization can see this.</p>
      ) : (
        <Read of={backups} heightPx={160}>
          {(value) => <State of={value} onStart={() => backups.read()} />}
        </Read>
      )}
    </section>
  )
}

function State({ of: value, onStart }: { of: BackupList; onStart: () => unknown }) {
  const start = useAction(() => send<BackupList>('POST', '/backups'), {
    done: 'The backup has begun.',
    failed: 'No backup has begun.',
    ended: onStart,
  })
  const { schedule, next_at, last_attempt, bucket, backups } = value
  return (
    <>
      <dl class="facts">
        <Fact label="Schedule" value={schedule === null ? 'None' : <code>{schedule}</code>} />
        {next_at !== null && <Fact label="Next" value={<Time ms={Date.parse(next_at)} />} />}
        {last_attempt && <Fact label="Last attempt" value={attemptSentence(last_attempt)} />}
        <Fact label="Bucket" value={bucketSentence(bucket)} />
      </dl>
      <Table
        caption="Backups"
        columns={bucket === null ? columns : [...columns, inBucket]}
        rows={backups}
        rowKey={({ name }) => name}
        empty={emptySentence(value)}
      />
      <Button
        small
        isBusy={start.isBusy || value.is_running}
        unavailable={whyNot('administer') ?? whyNoBackup(value)}
        onClick={() => start.run()}
      >
        Back up now
      </Button>
    </>
  )
}
