import type { SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { parseLabels } from '../../slos/labels.ts'

type Slo = Pick<SloRow, 'id' | 'organization_id' | 'labels'>

/** Whether one of these silences, whatever their times, is of this SLO or of labels all of which it has. */
export function isSilenced(slo: Slo, silences: SilenceRow[]): boolean {
  const labelled = withLabels(slo)
  return silences.some((silence) => covers(silence, labelled))
}

/** Of each of these silences, whatever its times, how many of the SLOs it covers. */
export function countsCovered(silences: SilenceRow[], slos: Slo[]): number[] {
  const labelled = slos.map(withLabels)
  return silences.map((silence) => labelled.filter((slo) => covers(silence, slo)).length)
}

type Labelled = ReturnType<typeof withLabels>

function withLabels(slo: Slo) {
  return { ...slo, labels: parseLabels(slo) }
}

function covers(silence: SilenceRow, slo: Labelled): boolean {
  if (silence.organization_id !== slo.organization_id) return false
  if (silence.labels === null) return silence.slo_id === slo.id
  return matchersOf(silence, silence.labels).every(([key, value]) => slo.labels[key] === value)
}

/** Read once, for each SLO is compared with them. */
const matchers = new WeakMap<SilenceRow, [key: string, value: string][]>()

function matchersOf(silence: SilenceRow, labels: string): [key: string, value: string][] {
  const known = matchers.get(silence) ?? Object.entries(parseLabels({ labels }))
  matchers.set(silence, known)
  return known
}
