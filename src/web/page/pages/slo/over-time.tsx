import { useLocation } from 'preact-iso/router'
import { useMemo, useState } from 'preact/hooks'
import type { Series, Slo, Tier } from '../../api/types.ts'
import { useResource } from '../../api/use-resource.ts'
import { link } from '../../base.ts'
import { burnOver, windowSeconds } from '../../charts/burn.ts'
import { Figure } from '../../charts/figure.tsx'
import { Heatmap } from '../../charts/heatmap.tsx'
import { Plot } from '../../charts/plot.tsx'
import { formatBurn, formatMoment, formatPercent, formatSli, formatTarget, formatWindow } from '../../format.ts'
import { Button } from '../../ui/button.tsx'
import { Failed, Skeleton } from '../../ui/states.tsx'
import { nowMs } from '../../ui/time.tsx'
import { type Range, ranges } from './range.ts'

type Zoom = (to: { fromMs: number; toMs: number } | null) => void
type Props = { slo: Slo; tiers: Tier[]; range: Range; onZoom: Zoom }

const tabs = { sli: 'SLI', burn: 'Burn rates', hours: 'Events per hour' } as const
type Tab = keyof typeof tabs

/** The SLI, the burn rates and the hours, over one range of time. */
export function Over({ slo, tiers, range, onZoom }: Props) {
  const [tab, setTab] = useState<Tab>('sli')
  const { route } = useLocation()
  return (
    <section class="card over">
      <div class="bar">
        <div class="tabs" role="tablist" aria-label="Charts over time">
          {Object.entries(tabs).map(([key, label]) => (
            <button key={key} type="button" role="tab" aria-selected={tab === key} onClick={() => setTab(key as Tab)}>
              {label}
            </button>
          ))}
        </div>
        {tab !== 'hours' && (
          <div class="ranges" role="group" aria-label="Range">
            {[
              ...new Set([
                ...ranges.filter((name) => windowSeconds(name) < windowSeconds(slo.time_window)),
                slo.time_window,
              ]),
            ].map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={range.name === name}
                onClick={() => route(link(`/slos/${slo.id}?range=${name}`))}
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
      {tab === 'hours' ? (
        <Hours slo={slo} />
      ) : (
        <OverRange key={range.query} slo={slo} tiers={tiers} range={range} onZoom={onZoom} tab={tab} />
      )}
    </section>
  )
}

function OverRange({ slo, tiers, range, onZoom, tab }: Props & { tab: Tab }) {
  const series = useResource<Series>(`/slos/${slo.id}/series?${range.query}`)
  const value = series.value.value
  if (series.error.value) return <Failed error={series.error.value} onRetry={series.read} />
  if (!value) return <Skeleton heightPx={200} />
  return tab === 'sli' ? (
    <SliChart slo={slo} series={value} onZoom={onZoom} />
  ) : (
    <BurnCharts slo={slo} series={value} tiers={tiers} onZoom={onZoom} />
  )
}

function SliChart({ slo, series, onZoom }: { slo: Slo; series: Series; onZoom: Zoom }) {
  const [isWhole, setWhole] = useState(false)
  const drawn = useMemo(() => {
    const values = series.points.map(({ sli }) => sli)
    const known = values.filter((value) => value !== null)
    const around = Math.max(100 - slo.target, slo.target - Math.min(...known, slo.target)) * 1.1
    return {
      times: series.points.map(({ timestamp }) => Date.parse(timestamp) / 1000),
      lines: [{ label: 'SLI', values, color: '--accent', isStepped: true }],
      range: (isWhole ? [0, 100] : [Math.max(0, slo.target - around), 100 + (100 - slo.target) * 0.1]) as [
        number,
        number,
      ],
      levels: [{ value: slo.target, label: `target ${formatTarget(slo.target)}`, color: '--ink2' }],
    }
  }, [series, isWhole, slo.target])
  const known = series.points.filter(({ sli }) => sli !== null)
  const worst = known.reduce((least, point) => ((point.sli ?? 101) < (least?.sli ?? 101) ? point : least), known[0])
  return (
    <Figure
      title="SLI"
      name={`sli-${slo.id}`}
      sentence={
        worst
          ? `The worst step was ${formatSli(worst.sli ?? 0, slo.target)} %, ${formatMoment(Date.parse(worst.timestamp), nowMs.peek())}; ${known.length} of ${series.points.length} steps were measured.`
          : 'Nothing was measured in this range.'
      }
      figures={() => ({
        columns: ['Time', 'SLI, %', 'Good', 'Total', 'Coverage'],
        rows: series.points.map(({ timestamp, sli, good, total, coverage }) => [timestamp, sli, good, total, coverage]),
      })}
      tools={
        <Button small kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Around the target' : '0 to 100'}
        </Button>
      }
    >
      <Plot
        {...drawn}
        heightPx={200}
        format={(value) => formatPercent(value, value === Math.round(value) ? 0 : 2)}
        onZoom={onZoom}
        label="SLI over time"
      />
      <Coverage series={series} />
    </Figure>
  )
}

/** A strip that shows when there was data. */
function Coverage({ series: { points } }: { series: Series }) {
  const path = points.map(({ coverage }, at) => (coverage > 0 ? `M${at} 0h1v6h-1z` : '')).join('')
  return (
    <svg
      class="coverage"
      viewBox={`0 0 ${Math.max(1, points.length)} 6`}
      preserveAspectRatio="none"
      role="img"
      aria-label="When there was data"
    >
      <path d={path} />
    </svg>
  )
}

function BurnCharts({ slo, series, tiers, onZoom }: { slo: Slo; series: Series; tiers: Tier[]; onZoom: Zoom }) {
  return (
    <div class="burn-charts">
      {tiers
        .filter(({ enabled }) => enabled)
        .map((tier) => (
          <BurnChart key={`${tier.long_window}-${tier.factor}`} slo={slo} series={series} tier={tier} onZoom={onZoom} />
        ))}
    </div>
  )
}

const leastRate = 0.1

function BurnChart({ slo, series, tier, onZoom }: { slo: Slo; series: Series; tier: Tier; onZoom: Zoom }) {
  const drawn = useMemo(() => {
    const over = (window: string) =>
      burnOver(series.points, {
        stepSeconds: series.step_seconds,
        windowSeconds: windowSeconds(window),
        targetPercent: slo.target,
      })
    const long = over(tier.long_window)
    const short = over(tier.short_window)
    const drawnAt = (values: (number | null)[]) =>
      values.map((value) => (value === null ? null : Math.max(leastRate, value)))
    const highest = Math.max(tier.factor * 2, ...long.map((value) => value ?? 0), ...short.map((value) => value ?? 0))
    return {
      long,
      short,
      plot: {
        times: series.points.map(({ timestamp }) => Date.parse(timestamp) / 1000),
        lines: [
          { label: 'Long', values: drawnAt(long), color: '--accent' },
          { label: 'Short', values: drawnAt(short), color: '--ink3', dash: [4, 3], widthPx: 1 },
        ],
        range: [leastRate, highest * 1.2] as [number, number],
        levels: [{ value: tier.factor, label: `${formatBurn(tier.factor)}: ${tier.severity}`, color: '--crit' }],
      },
    }
  }, [series, tier, slo.target])
  const title = `${tier.severity}, ${formatWindow(tier.long_window)} and ${formatWindow(tier.short_window)} over ${formatBurn(tier.factor)}`
  const isTooCoarse = drawn.long.every((value) => value === null)
  return (
    <Figure
      title={title}
      name={`burn-${slo.id}-${tier.long_window}`}
      sentence={
        isTooCoarse
          ? 'The steps of this range are longer than the windows of this tier. Choose a shorter range.'
          : 'Long window solid, short window dashed.'
      }
      figures={() => ({
        columns: ['Time', `Burn rate, ${tier.long_window}`, `Burn rate, ${tier.short_window}`],
        rows: series.points.map(({ timestamp }, at) => [timestamp, drawn.long[at] ?? null, drawn.short[at] ?? null]),
      })}
    >
      <Plot
        {...drawn.plot}
        heightPx={120}
        isLogarithmic
        format={formatBurn}
        onZoom={onZoom}
        label={`Burn rates of the tier ${title}`}
      />
    </Figure>
  )
}

function Hours({ slo }: { slo: Slo }) {
  const series = useResource<Series>(`/slos/${slo.id}/series?period=30d&step=1h`)
  const value = series.value.value
  if (series.error.value) return <Failed error={series.error.value} onRetry={series.read} />
  if (!value) return <Skeleton heightPx={200} />
  return <Heatmap slo={slo} series={value} />
}
