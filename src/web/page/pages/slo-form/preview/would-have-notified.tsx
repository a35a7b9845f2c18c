import { formatDuration, formatNumber } from '../../../format.ts'
import { severityWords } from '../../../slo/recipients/recipients.ts'
import { StatusShape } from '../../../ui/status.tsx'
import { nowMs } from '../../../ui/time.tsx'
import type { PastAlert, TierRule } from '../../../../../slos/arithmetic/past-alerts.ts'
import { canFire } from '../../../what-if/tiers.ts'
import { existingSeconds, type KnownWindow, type WhatIf } from '../../../what-if/what-if.ts'
import { episodeSentence, spanOf } from '../../../what-if/words.ts'
import {
  allAlertsLabel,
  episodeWords,
  inSpanWords,
  moreEpisodesWords,
  notYetWords,
  timesWords,
  windowsWords,
} from './words.ts'

/** `outages`: sentence about notifications of outages, which no tier causes; '' for none. */
type Props = { known: KnownWindow; result: WhatIf; tiers: readonly TierRule[]; outages: string }

/** Number of times that each tier would have fired, and the last time. */
export function WouldHaveNotified({ known, result, tiers, outages }: Props) {
  const { measured, sums } = known
  const historySeconds = existingSeconds(known)

  return (
    <section class="would-notify" aria-label="Would have notified you">
      <h3>
        Would have notified you <span class="muted">{inSpanWords(spanOf(result))}</span>
      </h3>
      <table class="plain">
        <thead class="hidden-text">
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">How often</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier) => {
            const episodes = result.alerts.filter((one) => one.tier === tier)
            const { severity, longSeconds, shortSeconds } = tier
            return (
              <tr key={`${longSeconds} ${shortSeconds}`}>
                <th scope="row">
                  <span
                    class="tier-name"
                    title={windowsWords(formatDuration(longSeconds), formatDuration(shortSeconds))}
                  >
                    <StatusShape state={severity === 'page' ? 'critical' : 'warning'} stale={episodes.length === 0} />
                    {tierName(tier)}
                  </span>
                </th>
                <td>
                  {!canFire(tier, measured.window, result.targetPercent)
                    ? 'can never fire with this target'
                    : shortSeconds < sums.stepSeconds
                      ? 'not known: the source has no past as fine as that'
                      : shortSeconds > historySeconds
                        ? notYetWords(shortSeconds)
                        : howOften(episodes)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {outages !== '' && <p class="muted">{outages}</p>}
      {result.alerts.length > 1 && (
        <details>
          <summary>{allAlertsLabel(result.alerts.length)}</summary>
          <ul>
            {result.alerts.slice(0, maxListed).map((episode) => (
              <li key={`${episode.startedSeconds} ${episode.tier.longSeconds}`}>
                {episodeWords({
                  tier: tierName(episode.tier),
                  window: windowText(episode.tier.longSeconds),
                  when: episodeSentence(episode, nowMs.value),
                  peak: episode.peak,
                })}
              </li>
            ))}
            {result.alerts.length > maxListed && (
              <li class="muted">{moreEpisodesWords(result.alerts.length - maxListed)}</li>
            )}
          </ul>
        </details>
      )}
    </section>
  )
}

const maxListed = 50

/** Number of alerts, newest first, and the time of the last one. */
function howOften(episodes: readonly PastAlert[]): string {
  const [last] = episodes
  if (!last) return 'never'
  if (episodes.length === 1) return episodeSentence(last, nowMs.value)
  return timesWords(episodes.length, episodeSentence(last, nowMs.value))
}

/** Length of a window as the API has it: `1h`, `5m`. */
function windowText(seconds: number): string {
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}

/** Severity and factor of a tier: `Page 14.4×`. */
function tierName({ severity, factor }: TierRule): string {
  return `${severityWords[severity]} ${formatFactor(factor)}`
}

/** A factor with the decimals it was set with, at most two: 14.4 stays 14.4. */
function formatFactor(factor: number): string {
  return `${formatNumber(factor, Math.min(2, (String(factor).split('.')[1] ?? '').length))}×`
}
