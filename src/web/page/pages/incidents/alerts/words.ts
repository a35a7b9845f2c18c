import { formatNumber, plural } from '../../../format.ts'

/** `3 alerts of 2 SLOs, 1 of them still firing.` */
export function timelineSentence(alerts: number, slos: number, firing: number): string {
  if (alerts === 0) return 'No alert fired in this time.'
  const of = `${plural(alerts, '# alert', '# alerts')} of ${plural(slos, '# SLO', '# SLOs')}`
  return firing === 0 ? `${of}.` : `${of}, ${formatNumber(firing)} of them still firing.`
}
