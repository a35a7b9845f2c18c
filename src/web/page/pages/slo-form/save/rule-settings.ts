import type { Notified } from '../draft.ts'

/** Settings of the channels whose burn-rate rule of an SLO is new, differs, or goes. */
export function ruleSettings(
  sloId: number,
  after: Record<string, Notified>,
  before: Record<string, Notified>,
): object[] {
  const settingOf = (channel: string) => ({ channel_id: Number(channel), alert_type: 'burn_rate_too_fast' })
  const gone = Object.keys(before).filter((channel) => !(channel in after))
  const changed = Object.entries(after).filter(([channel, severity]) => before[channel] !== severity)
  return [
    ...gone.map((channel) => ({ ...settingOf(channel), slo_ids: [], remove_slo_ids: [sloId] })),
    ...changed.map(([channel, severity]) => ({ ...settingOf(channel), slo_ids: [sloId], severity, enabled: true })),
  ]
}
