import { link } from '../../../address/base.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatCount, formatShort } from '../../../format.ts'
import { Read } from '../../../ui/read.tsx'
import { Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { listEveryMs } from '../parts/list.tsx'
import type { Ingestion as Figures } from '../types.ts'
import { ingestionWords, type Refused, refusedCount, refusedSentence, type Way, wayNames } from './words.ts'

/** All samples that come in, in one line; unfolded: the samples of each way, and who was refused and why. */
export function Ingestion() {
  const read = useRead<Figures>('/embedded/ingestion', { everyMs: listEveryMs })
  return (
    <Read of={read} heightPx={46}>
      {({ ways, refused }) => (
        <details class="card ingestion">
          <summary>
            {ingestionWords(ways)} <span class="crit-text">{refusedCount(refused)}</span>
          </summary>
          <Table
            caption="What comes in"
            columns={columns}
            rows={ways.filter(({ count }) => count > 0)}
            rowKey={({ way }) => way}
            empty="Nothing is scraped or checked, no job reports, and nobody sends samples."
          />
          {refused.map((one) => (
            <OneRefused key={`${one.protocol} ${one.address} ${one.sends_as}`} of={one} />
          ))}
        </details>
      )}
    </Read>
  )
}

const columns = [
  {
    head: 'Comes by',
    cell: ({ way }: Way) => <a href={link(`/collect/${wayNames[way].view}`)}>{wayNames[way].name}</a>,
  },
  { head: 'Number', cell: ({ count }: Way) => formatCount(count), isNumber: true },
  { head: 'Samples/s', cell: ({ samples_per_second }: Way) => formatShort(samples_per_second, 2), isNumber: true },
  { head: 'Series', cell: ({ series }: Way) => formatCount(series), isNumber: true },
  {
    head: 'Last samples',
    cell: ({ last_stored_at }: Way) =>
      last_stored_at === null ? 'never' : <Time ms={Date.parse(last_stored_at)} ago />,
  },
  { head: 'Last error', cell: LastError },
]

function LastError({ last_error }: Way) {
  if (last_error === null) return <>none</>
  return (
    <span>
      <Time ms={Date.parse(last_error.at)} ago />
      <span class="muted sender-from">
        {last_error.of}: {last_error.message}
      </span>
    </span>
  )
}

function OneRefused({ of }: { of: Refused }) {
  return <p>{refusedSentence(of, <Time ms={Date.parse(of.last_refused_at)} ago />)}</p>
}
