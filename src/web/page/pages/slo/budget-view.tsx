import { rangeOfWindow } from '../../slo/own-window.ts'
import { useMemo, useState } from 'preact/hooks'
import type { Timeline } from '../../api/history.ts'
import type { Resource } from '../../api/resource.ts'
import type { Budget, BurnRates, Incidents, Slo } from '../../api/types.ts'
import { ChartAnnotations } from '../../charts/annotations.ts'
import { isBurning, type Stated } from '../../slo/states.ts'
import { chunk } from '../../ui/chunk.tsx'
import { nowMs } from '../../ui/time.tsx'
import { useAddress } from '../../address/fields.ts'
import { BudgetChart } from './budget-chart.tsx'
import { Calendar } from './calendar/calendar.tsx'
import { Numbers } from './numbers.tsx'
import { exploreSli } from './over-time/explore-link.ts'
import { annotationsOf } from './over-time/slo-annotations.ts'
import { ChartsOverTime } from './over-time/over-time.tsx'
import { useRangeKeys } from './over-time/range-keys.ts'
import { rangeFields, rangeOfData, readRange, viewOf } from './over-time/range.ts'
import { WhatIf } from './what-if.tsx'
import { WhereItWent } from './where-it-went.tsx'

const PastPeriods = chunk(async () => (await import('./periods.tsx')).PastPeriods, 200)
const Members = chunk(async () => (await import('./members.tsx')).Members, 160)
const Calculation = chunk(async () => (await import('./calculation.tsx')).Calculation, 100)

type Props = {
  slo: Slo
  budget: Budget | undefined
  stated: Stated | undefined
  burn: BurnRates | undefined
  incidents: Resource<Incidents>
  timeline: Timeline | undefined
}

/** View of the budget: the remaining budget, its incidents, and the forecast. */
export function BudgetView({ slo, budget, stated, burn, incidents, timeline }: Props) {
  const { fields, go } = useAddress(rangeFields)
  const [wasOpened, setOpened] = useState(false)
  const usual = budget ? rangeOfData(budget) : slo.time_window
  const isFixed = fields.from !== null
  const range = useMemo(
    () => readRange(fields, usual, nowMs.peek()),
    [fields, usual, isFixed || budget?.measured_at], // each measurement moves the end of a range that ends now
  )
  const annotations = useMemo(
    () => ({
      ...annotationsOf(timeline, incidents.value.value, nowMs.peek()),
      view: viewOf(range, { ownWindow: slo.time_window, usual, firstMs: Date.parse(budget?.first_sample_at ?? '') }),
    }),
    [timeline, incidents.value.value, range, usual, budget?.first_sample_at],
  )
  const onZoom = (to: { fromMs: number; toMs: number } | null) => {
    go({ range: '', from: to && Math.round(to.fromMs), to: to && Math.round(to.toMs) })
  }
  useRangeKeys({ slo, usual, range, onZoom })
  const hasFigures = budget?.state !== 'measuring' || budget.sli !== null
  const usedPercent = budget?.error_budget.window_percent_used ?? null
  const isFilling = budget !== undefined && usedPercent === null // nothing adds up while the past is filled in
  return (
    <ChartAnnotations.Provider value={annotations}>
      {hasFigures && (
        <>
          {budget && stated && <Numbers slo={slo} budget={budget} stated={stated} burn={burn} />}
          {!isFilling && (
            <div class="budget-and-incidents">
              {budget && (
                <BudgetChart
                  budget={budget}
                  explore={
                    slo.composite
                      ? undefined
                      : exploreSli(slo, { from: `now-${rangeOfWindow(slo.time_window)}`, to: 'now' })
                  }
                  onZoom={onZoom}
                />
              )}
              <WhereItWent
                incidents={incidents}
                usedPercent={usedPercent}
                isFailing={stated === undefined || isBurning(stated.state)}
                timeline={timeline}
                onZoom={onZoom}
              />
            </div>
          )}
          {budget?.composite && <Members of={budget.composite} target={slo.target} />}
          {budget && !isFilling && <Calendar budget={budget} />}
          {slo.time_zone !== null && <PastPeriods slo={slo} />}
          <ChartsOverTime
            slo={slo}
            budget={budget}
            tiers={burn?.tiers ?? []}
            range={range}
            usual={usual}
            onZoom={onZoom}
          />
        </>
      )}
      {budget && slo.composite === null && <WhatIf slo={slo} budget={budget} />}
      {budget && (
        <details class="card" onToggle={() => setOpened(true)}>
          <summary>How this was calculated</summary>
          {wasOpened && <Calculation slo={slo} budget={budget} />}
        </details>
      )}
    </ChartAnnotations.Provider>
  )
}
