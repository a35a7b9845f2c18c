import type { SilenceRow, SloRow } from '../../db/tables.ts'
import { parseLabels } from '../../slos/labels.ts'

type Slo = Pick<SloRow, 'id' | 'organization_id' | 'labels'>

/** Whether one of these silences, whatever their times, is of this SLO or of labels all of which it has. */
export function isSilenced(slo: Slo, silences: SilenceRow[]): boolean {
  return silences.some((silence) => countCovered(silence, [slo].map(withLabels)) > 0)
}

/** Of each of these silences, whatever its times, how many of the SLOs it covers. */
export function countsCovered(silences: SilenceRow[], slos: Slo[]): number[] {
  const labelled = slos.map(withLabels)
  return silences.map((silence) => countCovered(silence, labelled))
}

type Labelled = ReturnType<typeof withLabels>

function withLabels(slo: Slo) {
  return { ...slo, labels: parseLabels(slo) }
}

function countCovered({ organization_id, slo_id, labels }: SilenceRow, slos: Labelled[]): number {
  const own = slos.filter((slo) => slo.organization_id === organization_id)
  if (labels === null) return own.filter(({ id }) => id === slo_id).length
  if (own.length === 0) return 0
  const wanted = Object.entries(parseLabels({ labels }))
  return own.filter((slo) => wanted.every(([key, value]) => slo.labels[key] === value)).length
}
