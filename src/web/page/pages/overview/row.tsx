import type { OverviewSlo } from '../../api/types.ts'
import { link } from '../../address/base.ts'
import { formatBurn, formatMoment, formatSli, formatTarget, formatWindow, formatAgo } from '../../format.ts'
import { Budget } from '../../slo/budget-bar.tsx'
import { Changing } from '../../ui/changing.tsx'
import { DayStrip } from './day-strip.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { StatusShape } from '../../ui/status.tsx'
import { downWord } from '../../slo/words.ts'
import { minuteMs } from '../../ui/time.tsx'
import { words } from '../../words.ts'
import { selected, toggleSelected } from './selection/selected.ts'
import { labelsOf } from './view.ts'

const burnIcons: Record<string, IconName> = {
  burning: 'trending-up',
  rising: 'arrow-up',
  recovering: 'arrow-down',
  calm: 'minus',
}

/**
 * An SLO as a row of the table, or as a card below 640 px. `index`: its `aria-rowindex`, if only some rows are in the document.
 */
export function Row({ slo, index }: { slo: OverviewSlo; index: number | undefined }) {
  const { target, sli, burn } = slo
  const atMs = minuteMs.value // reading a signal limits rendering to changes of it or of a property
  const context = [slo.team_name, ...labelsOf(slo)].filter(Boolean).join(', ')
  const isBelow = sli !== null && sli < target
  const outage = slo.firing.find(({ name }) => name === 'down')
  const down = outage ? downWord(Date.parse(outage.since), atMs) : null
  return (
    <tr class={`slo-row${slo.stale ? ' stale' : ''}`} data-slo={slo.id} aria-rowindex={index}>
      <th scope="row" class="slo-name">
        {selected.value && (
          <input
            type="checkbox"
            aria-label={`Select ${slo.name}`}
            checked={selected.value.has(slo.id)}
            onChange={() => toggleSelected(slo.id)}
          />
        )}
        <StatusShape state={down === null ? slo.status : 'critical'} stale={down === null && slo.stale} />
        <div>
          <a href={link(`/slos/${slo.id}`)} title={slo.name}>
            {slo.name}
          </a>
          {down === null ? (
            <span class="hidden-text">{slo.stale ? staleWord(slo, atMs) : words.states[slo.status]}</span>
          ) : (
            <div class="context crit-text">{down}</div>
          )}
          {context !== '' && down === null && <div class="context">{context}</div>}
        </div>
      </th>
      {slo.status === 'unknown' && sli === null ? (
        <td class="reason" colSpan={3} title={slo.status_message ?? undefined}>
          <div>{slo.status_message ?? words.noData}</div>
        </td>
      ) : (
        <>
          <td class="sli">
            <span class={isBelow ? 'crit-text' : ''}>
              <Changing text={sli === null ? '–' : formatSli(sli, target)} />
            </span>
            <span class="unit"> / {formatTarget(target)}</span>
            <div class="context">{formatWindow(slo.time_window)}</div>
          </td>
          <td class="left">
            <Budget percent={slo.percentage_remaining} />
            <div class="context">{outlook(slo, atMs)}</div>
          </td>
          <td class={`burn ${burn?.state ?? ''}`}>
            {burn && (
              <>
                <span class="burn-word">
                  <Icon name={burnIcons[burn.state] ?? 'minus'} size={14} />
                  {words.burn[burn.state]}
                </span>
                <div class="context">
                  {formatBurn(burn.rate)} ({formatWindow(windowOf(burn.window_seconds))})
                </div>
              </>
            )}
          </td>
        </>
      )}
      <td class="days">
        <DayStrip days={slo.days} />
      </td>
    </tr>
  )
}

function outlook(slo: OverviewSlo, nowMs: number): string {
  if (slo.stale) return staleWord(slo, nowMs)
  if (slo.exhausts_at === null) return ''
  const atMs = Date.parse(slo.exhausts_at)
  const moment = formatMoment(atMs, nowMs)
  if (atMs > nowMs) return `gone ${moment}`
  return (slo.percentage_remaining ?? 0) > 0 ? '' : `over since ${moment}`
}

function staleWord({ measured_at }: OverviewSlo, nowMs: number): string {
  return measured_at === null ? 'Stale' : `Stale, ${formatAgo(Date.parse(measured_at), nowMs)}`
}

/** Seconds as a window of the API: 3600 is `1h`. */
export function windowOf(seconds: number): string {
  for (const [size, unit] of [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const) {
    if (seconds % size === 0) return `${seconds / size}${unit}`
  }
  return `${seconds}s`
}
