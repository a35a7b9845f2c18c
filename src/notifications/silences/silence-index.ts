import type { SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { parseLabels } from '../../slos/labels.ts'

type Slo = Pick<SloRow, 'id' | 'organization_id' | 'labels'>
type Silence = Pick<SilenceRow, 'organization_id' | 'slo_id' | 'labels'>

/** Index of silences. `covering` returns those that match an SLO by id or by all labels, in order, whatever their times. */
export type SilenceIndex<T> = { covering(slo: Slo): T[] }

type Labelled = { place: number; matchers: [key: string, value: string][] }

/** Creates an index that parses the labels of each silence once, and those of an SLO once for all silences. */
export function createSilenceIndex<T extends Silence>(silences: readonly T[]): SilenceIndex<T> {
  const placesBySlo = new Map<string, number[]>()
  const byLabel = new Map<string, Labelled[]>() // by the last of their labels
  for (const [place, { organization_id, slo_id, labels }] of silences.entries()) {
    if (labels === null) placesBySlo.getOrInsertComputed(`${organization_id} ${slo_id}`, () => []).push(place)
    else {
      const matchers = Object.entries(parseLabels({ labels }))
      const key = keyOf(organization_id, matchers.pop())
      byLabel.getOrInsertComputed(key, () => []).push({ place, matchers })
    }
  }

  function labelled({ organization_id, labels }: Slo): number[] {
    if (byLabel.size === 0) return []
    const silenceLabels = parseLabels({ labels })
    const places: number[] = []
    for (const label of [undefined, ...Object.entries(silenceLabels)]) {
      for (const { place, matchers } of byLabel.get(keyOf(organization_id, label)) ?? []) {
        if (matchers.every(([key, value]) => silenceLabels[key] === value)) places.push(place)
      }
    }
    return places
  }

  return {
    covering(slo) {
      const places = [...(placesBySlo.get(`${slo.organization_id} ${slo.id}`) ?? []), ...labelled(slo)]
      return places.toSorted((a, b) => a - b).flatMap((place) => silences[place] ?? [])
    },
  }
}

/** True if one of these silences covers the SLO, by id or by labels; their times are ignored. */
export function isSilenced(slo: Slo, silences: Silence[]): boolean {
  return createSilenceIndex(silences).covering(slo).length > 0
}

function keyOf(organizationId: number, label: readonly [string, string] | undefined): string {
  return label === undefined ? `${organizationId}` : `${organizationId} ${label[0]}=${label[1]}`
}
