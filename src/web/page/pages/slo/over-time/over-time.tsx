import type { Budget, Slo, Tier } from '../../../api/types.ts'
import type { Zoom } from '../../../charts/plot-types.ts'
import { formatWindow } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { chunk } from '../../../ui/chunk.tsx'
import { oneOf, useAddress } from '../../../address/fields.ts'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { exploreBurn, exploreSli, timeOf } from './explore-link.ts'
import { type Range, rangeFields, rangesOf } from './range.ts'
import { ReadSeries } from './read-series.tsx'
import { SliChart } from './sli-chart.tsx'

/** `usual`: name of the range that an address without one has. */
type Props = { slo: Slo; budget: Budget | undefined; tiers: Tier[]; range: Range; usual: string; onZoom: Zoom }

const tabs = { sli: 'SLI', burn: 'Burn rates', hours: 'Events per hour' } as const
type Tab = keyof typeof tabs
const chartFields = { ...rangeFields, chart: oneOf(Object.keys(tabs) as Tab[], 'sli') }
const chartHeightPx = 300
const BurnCharts = chunk(async () => (await import('./burn-charts.tsx')).BurnCharts, chartHeightPx)
const Hours = chunk(async () => (await import('./hours.tsx')).Hours, chartHeightPx)

/** Charts of SLI, burn rates and hours over one range; chart and range are in the address. */
export function ChartsOverTime(props: Props) {
  const { slo, range, usual, onZoom } = props
  const { fields, go } = useAddress(chartFields)
  const tab = fields.chart
  return (
    <section class="card over">
      <div class="split">
        <Tabs tab={tab} onChoose={(chosen) => go({ chart: chosen }, { replace: true })} />
        {tab !== 'hours' && (
          <div class="ranges" role="group" aria-label="Range">
            {rangesOf(slo.time_window).map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={range.name === name}
                onClick={() => go({ range: name === usual ? '' : name, from: null, to: null })}
              >
                {formatWindow(name)}
              </button>
            ))}
            {range.name === 'custom' && (
              <Button small icon="undo-2" onClick={() => onZoom(null)}>
                Whole window
              </Button>
            )}
          </div>
        )}
      </div>
      <div id="over-time" role="tabpanel" aria-label={tabs[tab]}>
        <WhenSeen heightPx={chartHeightPx}>
          {() =>
            tab === 'hours' ? (
              <Hours {...{ slo, budget: props.budget, heightPx: chartHeightPx }} />
            ) : (
              <RangeCharts {...props} tab={tab} />
            )
          }
        </WhenSeen>
      </div>
    </section>
  )
}

function Tabs({ tab, onChoose }: { tab: Tab; onChoose: (tab: Tab) => void }) {
  const keys = Object.keys(tabs) as Tab[]
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const to = (keys.indexOf(tab) + step + keys.length) % keys.length
    onChoose(keys[to] ?? tab)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="Charts over time" onKeyDown={onKeyDown}>
      {keys.map((key) => (
        <button
          key={key}
          type="button"
          role="tab"
          aria-selected={tab === key}
          aria-controls="over-time"
          tabIndex={tab === key ? 0 : -1}
          onClick={() => onChoose(key)}
        >
          {tabs[key]}
        </button>
      ))}
    </div>
  )
}

function RangeCharts({ slo, budget, tiers, range, onZoom, tab }: Props & { tab: Tab }) {
  if (tab === 'burn') {
    const firstMs = Date.parse(budget?.first_sample_at ?? '')
    return (
      <BurnCharts
        {...{ slo, firstMs, range, tiers, onZoom }}
        explore={slo.composite ? undefined : exploreBurn(slo, timeOf(range))}
      />
    )
  }
  return (
    <ReadSeries sloId={slo.id} query={range.query} isLive={range.name !== 'custom'} heightPx={chartHeightPx}>
      {(series) => (
        <SliChart {...{ slo, series, onZoom }} explore={slo.composite ? undefined : exploreSli(slo, timeOf(range))} />
      )}
    </ReadSeries>
  )
}
