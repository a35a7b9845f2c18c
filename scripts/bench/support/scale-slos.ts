/** Ten equivalent ratios, so that SLOs of one service share no more queries than real SLOs do. */
const spellings: ((rate: (matcher?: string) => string) => string)[] = [
  (rate) => `${rate('code!~"5.."')} / ${rate()}`,
  (rate) => `${rate('code="200"')} / ${rate()}`,
  (rate) => `${rate('code!="500"')} / ${rate('code!=""')}`,
  (rate) => `${rate('code=~"2..|3.."')} / ${rate('code=~".+"')}`,
  (rate) => `1 - ${rate('code=~"5.."')} / ${rate()}`,
  (rate) => `1 - ${rate('code="500"')} / ${rate('code!=""')}`,
  (rate) => `100 * ${rate('code!~"5.."')} / ${rate('code=~".+"')}`,
  (rate) => `100 - 100 * ${rate('code=~"5.."')} / ${rate()}`,
  (rate) => `(${rate()} - ${rate('code=~"5.."')}) / ${rate()}`,
  (rate) => `${rate('code=~"[1-4].."')} / ${rate('code=~"[1-5].."')}`,
]

/** Query of SLO number `place` over a range. Up to ten SLOs of one service all have different queries. */
export function scaleQuery(place: number, services: number, range: string): string {
  const service = `svc="s${String(place % services).padStart(4, '0')}"`
  const spell = spellings[(place + Math.floor(place / services)) % spellings.length]
  if (!spell) throw new Error('there is always a spelling')
  return spell((matcher) => `sum(rate(s_total{${[service, ...(matcher ? [matcher] : [])].join(',')}}[${range}]))`)
}
