import { plural } from '../../format.ts'

/** Number of SLOs by what they need: `2 need attention, 14 on track, 1 paused`. */
export function summaryOf(count: Record<'attention' | 'onTrack' | 'unknown' | 'paused', number>): string {
  return [
    count.attention === 0
      ? 'Nothing needs attention'
      : plural(count.attention, '# needs attention', '# need attention'),
    plural(count.onTrack, '# on track', '# on track'),
    ...(count.unknown > 0 ? [plural(count.unknown, '# not measured', '# not measured')] : []),
    ...(count.paused > 0 ? [plural(count.paused, '# paused', '# paused')] : []),
  ].join(', ')
}
