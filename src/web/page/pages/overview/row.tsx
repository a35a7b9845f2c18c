import { policyWords } from '../../slo/policy/policy-words.ts'
import { lineInForce, policyInForce, type PolicyLine } from '../../../../slos/arithmetic/budget-policy.ts'
import { msUntilNextCheck } from '../../slo/check-reads.ts'
import type { Checks, OverviewSlo } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { link } from '../../address/base.ts'
import { formatBurn, formatFull, formatSli } from '../../format.ts'
import { ShareBar } from '../../slo/budget-bar.tsx'
import { burnNowWords, forecastWords, leftPercent, usedWords } from '../../slo/budget-words.ts'
import { State } from '../../slo/state.tsx'
import { burnBeside, shownState, type Stated, statedOf, states } from '../../slo/states.ts'
import { Changing } from '../../ui/changing.tsx'
import { useNow } from '../../ui/time.tsx'
import { DayStrip } from './day-strip.tsx'
import { RowMenuButton } from './row-menu.tsx'
import { selected, toggleSelected } from './selection/selected.ts'
import { labelsOf } from './view.ts'
import { objectiveWords, overWindowWords, selectLabel } from './words.ts'

type Props = {
  slo: OverviewSlo
  index: number | undefined
  /** Error budget policy of its team, if it has one. */
  teamPolicy: readonly PolicyLine[] | undefined
  /** True to read the checks of an SLO without figures, and say when its first figures come. */
  readsChecks: boolean
}

/**
 * An SLO as a row of the table, or as a card below 640 px. Times in it change without drawing the row again. `index`: its
 * `aria-rowindex`, if only some rows are in the document.
 */
export function Row({ slo, index, teamPolicy, readsChecks }: Props) {
  const { target, sli } = slo
  const stated = statedOf(slo)
  const { tone } = states[stated.state]
  const used = slo.window_percent_used
  const beyondClass = `beyond-${tone}` // on the cell, because a class on a row with `content-visibility` did not always restyle its cells
  const isOld = slo.stale || shownState(slo) === 'paused'
  const context = [slo.team_name, ...labelsOf(slo)].filter(Boolean).join(', ')
  return (
    <tr
      class={`slo-row${isOld ? ' stale' : ''}${sli === null ? ' empty-row' : ''}`}
      data-slo={slo.id}
      aria-rowindex={index}
    >
      <td class="state">
        {selected.value && (
          <input
            type="checkbox"
            aria-label={selectLabel(slo.name)}
            checked={selected.value.has(slo.id)}
            onChange={() => toggleSelected(slo.id)}
          />
        )}
        {stated.state === 'measuring' && readsChecks ? (
          <Measuring id={slo.id} of={stated} hint={slo.status_message ?? ''} />
        ) : (
          <State of={stated} hint={slo.status_message ?? ''} />
        )}
      </td>
      <th scope="row" class="slo-name">
        <a href={link(`/slos/${slo.id}`)} title={slo.name}>
          {slo.name}
        </a>
        {context !== '' && <div class="context">{context}</div>}
      </th>
      <td class="sli">
        <span class={sli !== null && sli < target ? beyondClass : undefined}>
          <Changing text={sli === null ? '–' : `${formatSli(sli, target)}\u2009%`} />
        </span>
        <div class="context">{objectiveWords(target, slo.time_window)}</div>
      </td>
      <td class="used" title={policyTitle(slo, teamPolicy)}>
        <div class={used !== null && used > 100 ? beyondClass : undefined}>
          <Changing text={usedWords(slo)} />
          <Forecast slo={slo} />
        </div>
        {used !== null && <ShareBar percent={used} tone={tone} />}
      </td>
      <td class="burn">
        <Burn stated={stated} slo={slo} />
      </td>
      <td class="days">{sli !== null && <DayStrip days={slo.days} target={target} />}</td>
      <td class="more">
        <RowMenuButton slo={slo} />
      </td>
    </tr>
  )
}

/** State of an SLO without figures, and when they come. */
function Measuring({ id, of, hint }: { id: number; of: Stated; hint: string }) {
  const checks = useRead<Checks>(`/slos/${id}/checks`, { everyMs: msUntilNextCheck })
  return <State of={{ ...of, checks: checks.value.value }} hint={hint} />
}

/** Line of the error budget policy of an SLO that holds now, in words; undefined: none does. */
function policyTitle(slo: OverviewSlo, ofTeam: readonly PolicyLine[] = []): string | undefined {
  const line = lineInForce(policyInForce(slo.budget_policy ?? [], ofTeam), leftPercent(slo))
  return line ? policyWords(line) : undefined
}

function Forecast({ slo: { state, exhausts_at } }: { slo: OverviewSlo }) {
  const text = useNow((nowMs) => forecastWords(state, exhausts_at, nowMs), [state, exhausts_at])
  return (
    <div class="context" title={exhausts_at === null ? undefined : formatFull(Date.parse(exhausts_at))}>
      {text}
    </div>
  )
}

/** Burn rate now; for an SLO that burns, the one over the long window of its firing tier, once that is read. */
function Burn({ stated, slo: { burn, burn_rate_now } }: { stated: Stated; slo: OverviewSlo }) {
  const isInBurningState = stated.state === 'burning' || stated.state === 'burning_fast'
  if (!isInBurningState) return <Changing text={burnNowWords(stated.state, burn_rate_now)} />
  const { rate, windowSeconds } = burnBeside(stated, burn)
  return (
    <>
      <Changing text={rate === null ? '–' : formatBurn(rate)} />
      {windowSeconds !== null && <div class="context">{overWindowWords(windowOf(windowSeconds))}</div>}
    </>
  )
}

/** Seconds as a window of the API: 3600 is `1h`. */
function windowOf(seconds: number): string {
  for (const [size, unit] of [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const) {
    if (seconds % size === 0) return `${seconds / size}${unit}`
  }
  return `${seconds}s`
}
