import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Backfill, Budget, Slo } from '../../../api/types.ts'
import type { ApiError } from '../../../api/client.ts'
import { inPageWords } from '../../../api/page-words.ts'
import type { Resource } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { asSentence, formatAgo, formatMoment } from '../../../format.ts'
import { chunk } from '../../../ui/chunk.tsx'
import { Page } from '../../../ui/page.tsx'
import { Failed, Skeleton } from '../../../ui/read.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { RestoreButton } from './slo-menu.tsx'
import { deletedSentence, pastRequestedWords, pastUnreadSentence } from './words.ts'

const AskedSource = chunk(async () => (await import('./asked-source.tsx')).AskedSource, null)

const tabsHeightPx = 39

/** Placeholder of an SLO's page while it is read, with the final sizes. */
export function SloLoading() {
  return (
    <Page title="" heading={null} class="slo loading">
      <header class="page-head">
        <Skeleton heightPx={20} />
        <Skeleton heightPx={32} />
        <Skeleton heightPx={20} />
      </header>
      <Skeleton heightPx={tabsHeightPx} />
      <FiguresLoading />
    </Page>
  )
}

/** Placeholder of the numbers and charts. */
export function FiguresLoading() {
  return (
    <>
      <div class="numbers loading">
        {[0, 1, 2].map((card) => (
          <div key={card} class="card number-card">
            <Skeleton heightPx={20} />
            <Skeleton heightPx={40} />
            <Skeleton heightPx={20} lines={2} />
          </div>
        ))}
      </div>
      <div class="budget-and-incidents loading">
        <div class="card">
          <Skeleton heightPx={364} />
        </div>
        <div class="card">
          <Skeleton heightPx={32} lines={4} />
        </div>
      </div>
    </>
  )
}

/** Error message shared by all failed resources of an SLO. Data that was read before stays visible. */
export function Unread({ readings, isShown }: { readings: Resource<unknown>[]; isShown: boolean }) {
  const error = readings.map((reading) => reading.error.value).find((one): one is ApiError => one !== undefined)
  if (!error || (isShown && error.status === 0)) return null // the page already shows that it is not connected
  return <Failed error={error} onRetry={() => readings.forEach(({ read }) => void read())} />
}

/** Age up to which the past of an SLO may still be filled in. */
const youngMs = 86_400_000
const wholeCoverage = 0.99
/** Age of an SLO up to which missing data is no problem. */
const freshMs = 180_000

/** Notice above the values, at most one: deleted, backfill, or why there are no data. */
export function SloNotice({ slo, budget, onChange }: { slo: Slo; budget: Budget; onChange: () => void }) {
  const atMs = nowMs.value
  const { state, status_reason: reason, status_message: message, measured_at } = budget
  if (!slo.active) {
    return (
      <Notice action={<RestoreButton slo={slo} onRestored={onChange} />}>
        <strong>{deletedSentence(formatAgo(Date.parse(slo.updated_at), atMs))}</strong> It is no longer measured; what
        was measured stays.
      </Notice>
    )
  }
  const isFresh = reason === 'no_data' && state === 'measuring' && atMs - Date.parse(slo.measured_since) < freshMs
  const isMissing = reason === 'source_error' || reason === 'no_data'
  if (isMissing && !isFresh) return <NoData slo={slo} message={message} />
  const isStale = reason === 'stale' && Date.parse(measured_at ?? '') <= atMs // else the clock was set back
  const isInHeader = isMissing || isStale || reason === 'warming_up'
  if (message !== null && !isInHeader) return <Notice>{sentence(message)}</Notice>
  if (slo.composite) return null // its past is that of its members
  const isRecent = state === 'measuring' || isYoung(slo)
  return isRecent && lacksPast(budget) ? <Backfilling slo={slo} onDone={onChange} /> : null
}

/** True if an SLO may still be backfilled; the state of its backfill then decides if there is a notice. */
export function mayBeBackfilling(slo: Slo, budget: Budget): boolean {
  return slo.composite === null && isYoung(slo) && lacksPast(budget)
}

function isYoung({ measured_since }: Slo): boolean {
  return nowMs.peek() - Date.parse(measured_since) < youngMs
}

function lacksPast({ coverage }: Budget): boolean {
  return (coverage ?? 0) < wholeCoverage
}

function Notice({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="notice unknown" role="status">
      <div>{children}</div>
      {action}
    </div>
  )
}

const askAgainMs = 2000

function isBackfilling({ status }: Backfill): boolean {
  return status === 'waiting' || status === 'running'
}

/** Notice about the progress of the backfill. */
function Backfilling({ slo, onDone }: { slo: Slo; onDone: () => void }) {
  const backfill = useRead<Backfill>(`/slos/${slo.id}/backfill`, {
    everyMs: (read) => (isBackfilling(read) ? askAgainMs : undefined),
  })
  const value = backfill.value.value
  const isUnderWay = value !== undefined && isBackfilling(value)
  const wasUnderWay = useRef(false)
  useEffect(() => {
    if (wasUnderWay.current && !isUnderWay) onDone()
    wasUnderWay.current = isUnderWay
  }, [isUnderWay])
  if (value?.status === 'failed') return <Notice>{pastUnreadSentence(sentence(value.error))}</Notice>
  if (!isUnderWay || !value) return null
  return (
    <Notice>
      <strong>{pastRequestedWords(value.progress)}</strong>{' '}
      <progress aria-label="Past requested" value={value.progress} />
    </Notice>
  )
}

/** Notice about missing data: the problem, and the source that was queried. The header says since when. */
function NoData({ slo, message }: { slo: Slo; message: string | null }) {
  return (
    <Notice>
      {sentence(message)} <AskedSource slo={slo} />
    </Notice>
  )
}

/** Message of the server as a sentence, with its times in the format of the page. */
function sentence(message: string | null): string {
  if (message === null || message === '') return ''
  const text = message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => formatMoment(Date.parse(time), nowMs.peek()))
  return inPageWords(asSentence(text))
}
