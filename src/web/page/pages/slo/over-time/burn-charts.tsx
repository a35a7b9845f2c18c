import { useMemo } from 'preact/hooks'
import type { Series, Slo, Tier } from '../../../api/types.ts'
import { burnOver, windowSeconds } from '../../../slo/burn.ts'
import { Figure } from '../../../charts/figure.tsx'
import { Plot, type Zoom } from '../../../charts/plot.tsx'
import { formatBurn, formatNumber, formatWindow } from '../../../format.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { tierSentence } from '../../../incidents/alert-words.ts'

type Props = { slo: Slo; series: Series; explore: string; onZoom: Zoom }

/** Charts of the burn rates of each enabled tier, with its threshold. */
export function BurnCharts({ tiers, ...props }: Props & { tiers: Tier[] }) {
  return (
    <div class="burn-charts">
      {tiers
        .filter(({ enabled }) => enabled)
        .map((tier) => (
          <BurnChart key={`${tier.long_window}-${tier.factor}`} {...props} tier={tier} />
        ))}
    </div>
  )
}

const minRate = 0.1

function BurnChart({ slo, series, tier, explore, onZoom }: Props & { tier: Tier }) {
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
      values.map((value) => (value === null ? null : Math.max(minRate, value)))
    const highest = Math.max(tier.factor * 2, ...long.map((value) => value ?? 0), ...short.map((value) => value ?? 0))
    return {
      long,
      short,
      plot: {
        times: series.points.map(({ timestamp }) => Date.parse(timestamp) / 1000),
        lines: [
          { label: 'Long', values: drawnAt(long), read: long, color: '--accent' },
          { label: 'Short', values: drawnAt(short), read: short, color: '--ink3', dash: [4, 3], widthPx: 1 },
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
  }, [series, tier, slo.target])
  const title = `${severityWords[tier.severity] ?? tier.severity}, ${formatWindow(tier.long_window)} and ${formatWindow(tier.short_window)}`
  const isTooCoarse = drawn.long.every((value) => value === null)
  return (
    <Figure
      title={title}
      name={`burn-${slo.id}-${tier.long_window}`}
      explore={explore}
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
        format={(rate) => `${formatNumber(rate, rate < 1 ? 1 : 0)}×`}
        read={formatBurn}
        onZoom={onZoom}
        label={`Burn rates of the tier ${title}`}
      />
    </Figure>
  )
}
