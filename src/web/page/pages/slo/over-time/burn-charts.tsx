import { useContext, useMemo } from 'preact/hooks'
import type { Series, Slo, Tier } from '../../../api/types.ts'
import { burnOver, windowSeconds } from '../../../slo/burn.ts'
import type { Zoom } from '../../../charts/plot-types.ts'
import { TimeChart } from '../../../charts/time-chart.tsx'
import { formatBurn, formatNumber } from '../../../format.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { ChartAnnotations } from '../../../charts/annotations.ts'
import { ofTier } from './slo-annotations.ts'
import { queryFrom, type Range } from './range.ts'
import { ReadSeries } from './read-series.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { tierSentence } from '../../../incidents/alert-words.ts'
import { burnColumn, burnRatesLabel, tierTitle } from './burn-words.ts'

/** `firstMs`: the first sample of the SLO; NaN: not known. */
type Props = { slo: Slo; firstMs: number; range: Range; explore: string | undefined; onZoom: Zoom }

/** Charts of the burn rates of each enabled tier, with its threshold. */
export function BurnCharts({ tiers, ...props }: Props & { tiers: Tier[] }) {
  return (
    <div class="burn-charts">
      {tiers
        .filter(({ enabled }) => enabled)
        .map((tier) => (
          <ReadSeries
            key={`${tier.long_window}-${tier.factor}`}
            sloId={props.slo.id}
            query={queryFrom(props.range, lookBackSeconds(tier, tiers))}
            isLive={props.range.name !== 'custom'}
            heightPx={chartHeightPx}
          >
            {(series) => <BurnChart {...props} series={series} tier={tier} />}
          </ReadSeries>
        ))}
    </div>
  )
}

const shortSeconds = 6 * 3600

/**
 * Seconds before the range that the chart of a tier reads, to fill its windows. All tiers with short windows have the same, and all with
 * long ones, so that two requests are enough.
 */
function lookBackSeconds({ long_window }: Tier, tiers: readonly Tier[]): number {
  if (windowSeconds(long_window) <= shortSeconds) return shortSeconds
  return Math.max(...tiers.map((tier) => windowSeconds(tier.long_window)))
}

const minRate = 0.1 // lower end of the logarithmic axis
const chartHeightPx = 120

function BurnChart({ slo, firstMs, range, series, tier, explore, onZoom }: Props & { series: Series; tier: Tier }) {
  const earlierCount = series.points.filter(({ timestamp }) => Date.parse(timestamp) < range.fromMs).length
  const points = useMemo(() => series.points.slice(earlierCount), [series, earlierCount])
  /** Ends of the steps, at which the windows end; the running step ends now. */
  const endsMs = useMemo(
    () => points.map(({ timestamp }) => Math.min(Date.parse(timestamp) + 1000 * series.step_seconds, nowMs.peek())),
    [points, series],
  )
  const drawn = useMemo(() => {
    // the points before the range fill the windows at its begin
    const burnRates = (window: string) =>
      burnOver(series.points, {
        stepSeconds: series.step_seconds,
        windowSeconds: windowSeconds(window),
        targetPercent: slo.target,
        firstMs,
      }).slice(earlierCount)
    const long = burnRates(tier.long_window)
    const short = burnRates(tier.short_window)
    const clamped = (values: (number | null)[]) =>
      values.map((value) => (value === null ? null : Math.max(minRate, value)))
    const highest = Math.max(tier.factor * 2, ...long.map((value) => value ?? 0), ...short.map((value) => value ?? 0))
    return {
      long,
      short,
      plot: {
        times: endsMs.map((ms) => ms / 1000),
        lines: [
          { label: 'Long', values: clamped(long), read: long, color: '--accent' },
          { label: 'Short', values: clamped(short), read: short, color: '--ink3', dash: [4, 3], widthPx: 1 },
        ],
        range: [minRate, highest * 1.2] as [number, number],
        levels: [
          {
            value: tier.factor,
            label: tierSentence(tier, slo.time_window),
            color: tier.severity === 'page' ? '--crit' : '--warn',
          },
        ],
      },
    }
  }, [series, points, endsMs, tier, slo.target, firstMs])
  const title = tierTitle(severityWords[tier.severity] ?? tier.severity, tier.long_window, tier.short_window)
  const isTooCoarse = series.step_seconds * 2 > windowSeconds(tier.long_window)
  const annotations = useContext(ChartAnnotations)
  const own = useMemo(() => ofTier(annotations, tier), [annotations, tier])
  return (
    <TimeChart
      {...drawn.plot}
      title={title}
      name={`burn-${slo.id}-${tier.long_window}`}
      explore={explore}
      sentence={
        isTooCoarse
          ? 'The steps of this range are longer than the windows of this tier. Choose a shorter range.'
          : 'Long window solid, short window dashed.'
      }
      rows={endsMs}
      columns={[
        ['Time', (ms) => new Date(ms).toISOString()],
        [burnColumn(tier.long_window), (_, at) => drawn.long[at] ?? null],
        [burnColumn(tier.short_window), (_, at) => drawn.short[at] ?? null],
      ]}
      annotations={own}
      heightPx={chartHeightPx}
      isLogarithmic
      format={(rate) => `${formatNumber(rate, rate < 1 ? 1 : 0)}×`}
      read={formatBurn}
      onZoom={onZoom}
      label={burnRatesLabel(title)}
    />
  )
}
