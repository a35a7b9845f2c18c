import { elapsedSeconds } from '../../slo/own-window.ts'
import type { Budget, BurnRates, Slo, Tier } from '../../api/types.ts'
import { leadingTier } from '../../slo/burn.ts'
import { burnNowWords, forecastWords, leftPercent, usedWords } from '../../slo/budget-words.ts'
import { isBurning, rateOf, type Stated, states } from '../../slo/states.ts'
import { capitalized } from '../../incidents/alert-words.ts'
import { formatAgo, formatShare, formatSli } from '../../format.ts'
import { ShareBar } from '../../slo/budget-bar.tsx'
import { chunk } from '../../ui/chunk.tsx'
import { Icon } from '../../ui/icon.tsx'
import { HowHeading } from '../../ui/popover.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { nowMs } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { formatReturn, largestReturn } from '../../slo/returns.ts'
import { allowedEvents } from './what-if-left.ts'
import {
  allowedTimeWords,
  burningWords,
  comesBackWords,
  failedWords,
  goodSentence,
  measuredShareWords,
  measuredTimeWords,
  sliTitle,
  tierRateWords,
} from './words.ts'

const SliHow = chunk(async () => (await import('./how.tsx')).SliHow, 20)
const LeftHow = chunk(async () => (await import('./how.tsx')).LeftHow, 20)
const BurnHow = chunk(async () => (await import('./how.tsx')).BurnHow, 120)
const Excluded = chunk(async () => (await import('./excluded.tsx')).Excluded, 20)
const PolicyNow = chunk(async () => (await import('./policy-now.tsx')).PolicyNow, 20)

const youngCoverage = 0.1 // below it a time says more than a share

type Shown = { budget: Budget; stated: Stated }

/** Cards of SLI, remaining budget and burn rate, each with an explanation. */
export function Numbers({ slo, budget, stated, burn }: Shown & { slo: Slo; burn: BurnRates | undefined }) {
  return (
    <div class="numbers">
      <SliCard slo={slo} budget={budget} stated={stated} />
      <LeftCard slo={slo} budget={budget} stated={stated} />
      {burn ? (
        <BurnCard burn={burn} budget={budget} stated={stated} />
      ) : (
        <section class="card number-card">
          <h2>Burn now</h2>
          <Skeleton heightPx={40} />
          <Skeleton heightPx={20} />
        </section>
      )}
    </div>
  )
}

function SliCard({ slo, budget, stated }: Shown & { slo: Slo }) {
  const { sli, coverage, events } = budget
  const isBelow = sli !== null && sli < slo.target
  return (
    <section class="card number-card">
      <HowHeading title={sliTitle(slo.time_window)} of="SLI">
        <SliHow slo={slo} budget={budget} />
      </HowHeading>
      <p class={`big${isBelow ? overTone(stated) : ''}`}>
        {sli === null ? '–' : formatSli(sli, slo.target)}
        <span class="unit">{sli !== null && '\u2009%'}</span>
        <StaleAge budget={budget} />
      </p>
      <p>{goodSentence(events !== null, slo.target)}</p>
      {coverage !== null && coverage < 0.999 && (
        <p class="muted">
          {coverage < youngCoverage
            ? measuredTimeWords(coverage * elapsedSeconds(budget), slo.time_window)
            : measuredShareWords(coverage * 100)}
        </p>
      )}
      {budget.excluded && <Excluded of={budget.excluded} target={slo.target} />}
    </section>
  )
}

function LeftCard({ slo, budget, stated }: Shown & { slo: Slo }) {
  const { error_budget, events, minutes, forecast } = budget
  const left = leftPercent(error_budget)
  const atMs = nowMs.value
  const back = left === null ? undefined : largestReturn(budget.calendar)
  const ahead = forecastWords(budget.state, forecast.exhausts_at, atMs)
  const { window_percent_used } = error_budget
  const own = { ...budget, window_percent_used, unit: events ? ('events' as const) : ('seconds' as const) }
  return (
    <section class="card number-card">
      <HowHeading title="Budget left" of="Budget left">
        <LeftHow slo={slo} budget={budget} />
      </HowHeading>
      <p class={`big${left !== null && left < 0 ? ` words${overTone(stated)}` : ''}`}>
        {left === null ? '–' : left < 0 ? capitalized(usedWords(own)) : formatShare(left)}
        <StaleAge budget={budget} />
      </p>
      {left !== null && <ShareBar percent={left} tone={states[stated.state].tone} />}
      {events ? (
        <p>{failedWords(events.bad, allowedEvents(budget))}</p>
      ) : (
        <p>{left === null || left < 0 ? allowedTimeWords(minutes.allowed * 60) : usedWords(own)}</p>
      )}
      {ahead !== '' && <p class="muted">{capitalized(ahead)}</p>}
      {back && <p class="muted">{comesBackWords(formatReturn(back, budget, atMs))}</p>}
      {budget.policy && <PolicyNow of={budget.policy} />}
    </section>
  )
}

function BurnCard({ burn: { tiers, measured_at }, budget, stated }: Shown & { burn: BurnRates }) {
  const tier = leadingTier(tiers)
  if (!tier) {
    const known = burnWords(stated)
    return (
      <section class="card number-card">
        <h2>Burn now</h2>
        <p class={`big${overTone(stated)}`}>{known}</p>
        {known === '–' && <p class="muted">{budget.status_message ?? words.noData}</p>}
      </section>
    )
  }
  return (
    <section class="card number-card">
      <HowHeading title="Burn now" of="Burn now">
        <BurnHow tiers={tiers} />
      </HowHeading>
      <p class={`big ${isBurning(stated.state) ? states[stated.state].tone : ''}`}>
        {burnWords(stated)}
        <StaleAge budget={budget} />
      </p>
      <p>
        {isBurning(stated.state)
          ? tierWords(tier, Date.parse(measured_at ?? ''))
          : stated.burn_rate_now === null
            ? ''
            : 'in the last minutes'}
      </p>
    </section>
  )
}

/** Age of a stale value. */
function StaleAge({ budget: { stale, measured_at } }: { budget: Budget }) {
  if (!stale || measured_at === null) return null
  return (
    <span class="stale-age">
      <Icon name="clock" size={14} /> {formatAgo(Date.parse(measured_at), nowMs.value)}
    </span>
  )
}

/** Class, after a space, for the colour of figures beyond the budget: that of the state; empty if it has none. */
function overTone({ state }: Stated): string {
  const { tone } = states[state]
  return tone === 'critical' || tone === 'warning' ? ` ${tone}` : ''
}

function burnWords(stated: Stated): string {
  const rate = rateOf(stated)
  if (stated.state === 'unknown' || rate === null) return '–'
  return isBurning(stated.state) && rate > 1 ? burningWords(rate) : burnNowWords(stated.state, rate)
}

/** Burn rate of a tier over its long window, which ends with a whole minute. */
function tierWords({ long_burn_rate: long, long_window, factor }: Tier, measuredMs: number): string {
  if (long === null || long < 0.05) return ''
  const endMs = measuredMs - (measuredMs % 60_000)
  return tierRateWords({ rate: long, window: long_window, endMs, threshold: factor }, nowMs.peek())
}
