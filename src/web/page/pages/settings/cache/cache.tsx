import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatNumber, formatPercent } from '../../../format.ts'
import { attempt, useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { usePage } from '../../../ui/pager.tsx'
import { Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Fact } from '../parts/fact.tsx'
import type { CacheEntries, CacheStatistics } from '../types.ts'
import { deleteAnswerLabel } from '../words.ts'

type Entry = CacheEntries['data']['entries'][number]

const columns: Column<Entry>[] = [
  { head: 'Query', cell: ({ query, key }) => <code title={key}>{query}</code> },
  { head: 'Window', cell: ({ time_window }) => time_window },
  { head: 'Stored', cell: ({ cached_at }) => <Time ms={Date.parse(cached_at)} /> },
  { head: 'Expires', cell: ({ expires_at }) => (expires_at === null ? 'Never' : <Time ms={Date.parse(expires_at)} />) },
  { head: 'Served', isNumber: true, cell: ({ hit_count }) => formatNumber(hit_count) },
]

/** Figures and entries of the cache. Members clear it. */
export function Cache() {
  const page = usePage()
  const entries = useRead<CacheEntries>(`/cache/entries?page=${page}`)
  const mayChange = !whyNot('edit')
  return (
    <>
      <Figures mayClear={mayChange} />
      <section class="card section" aria-label="Entries">
        <h2>Entries</h2>
        <Read of={entries} heightPx={240}>
          {({ data }) => (
            <Table
              caption="Entries of the cache"
              columns={columns}
              rows={data.entries}
              rowKey={({ key }) => key}
              {...(mayChange && {
                actions: ({ key, query }: Entry) => (
                  <Button small aria-label={deleteAnswerLabel(query)} onClick={() => void remove(key)}>
                    Delete
                  </Button>
                ),
              })}
              empty="The cache is empty."
              pager={{ of: data, what: 'the cache' }}
            />
          )}
        </Read>
      </section>
    </>
  )
}

async function remove(key: string): Promise<void> {
  await attempt(() => send('DELETE', `/cache/entry/${encodeURIComponent(key)}`), {
    failed: 'The entry is not deleted.',
    ended: () => invalidate('/cache'),
  })
}

function Figures({ mayClear }: { mayClear: boolean }) {
  const statistics = useRead<CacheStatistics>('/cache/statistics')
  const clearing = useAction(() => send('POST', '/cache/invalidate', { body: { type: 'all' } }), {
    done: 'The cache is empty.',
    failed: 'The cache is not cleared.',
    ended: () => invalidate('/cache'),
  })
  return (
    <section class="card section" aria-label="Cache">
      <div class="split">
        <h2>Cache</h2>
        {mayClear && (
          <Button small isBusy={clearing.isBusy} onClick={() => clearing.run()}>
            Clear the cache
          </Button>
        )}
      </div>
      <p class="hint">Answers of sources that are served again. Without them a source is asked again.</p>
      <Read of={statistics} heightPx={80}>
        {({ data }) => (
          <dl class="facts">
            <Fact label="Entries" value={formatNumber(data.total_entries)} />
            <Fact label="Fresh" value={formatNumber(data.is_fresh_count)} />
            <Fact label="Served from it" value={formatNumber(data.total_hits)} />
            <Fact label="Not served" value={formatNumber(data.total_misses)} />
            <Fact label="Hit rate" value={formatPercent(100 * data.hit_rate)} />
          </dl>
        )}
      </Read>
    </section>
  )
}
