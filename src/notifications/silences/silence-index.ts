import type { SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { parseLabels } from '../../slos/labels.ts'

type Slo = Pick<SloRow, 'id' | 'organization_id' | 'labels'>
type Silence = Pick<SilenceRow, 'organization_id' | 'slo_id' | 'labels'>

/** Index of silences. `covering` returns those that match an SLO by id or by all labels, in order, whatever their times. */
export type SilenceIndex<T> = { covering(slo: Slo): T[] }

/** Silence by its position. `matchers`: its labels except the last, which is in the key of `byLabel`. */
type LabelSilence = { index: number; matchers: [key: string, value: string][] }

/** Creates an index that parses the labels of each silence once, and those of an SLO once for all silences. */
export function createSilenceIndex<T extends Silence>(silences: readonly T[]): SilenceIndex<T> {
  const indexesBySlo = new Map<string, number[]>()
  const byLabel = new Map<string, LabelSilence[]>() // by the last label of each silence
  for (const [index, { organization_id, slo_id, labels }] of silences.entries()) {
    if (labels === null) indexesBySlo.getOrInsertComputed(`${organization_id} ${slo_id}`, () => []).push(index)
    else {
      const matchers = Object.entries(parseLabels({ labels }))
      const key = keyOf(organization_id, matchers.pop())
      byLabel.getOrInsertComputed(key, () => []).push({ index, matchers })
    }
  }

  function indexesByLabels({ organization_id, labels }: Slo): number[] {
    if (byLabel.size === 0) return []
    const sloLabels = parseLabels({ labels })
    const indexes: number[] = []
    // `undefined`: silences without labels match every SLO
    for (const label of [undefined, ...Object.entries(sloLabels)]) {
      for (const { index, matchers } of byLabel.get(keyOf(organization_id, label)) ?? []) {
        if (matchers.every(([key, value]) => sloLabels[key] === value)) indexes.push(index)
      }
    }
    return indexes
  }

  return {
    covering(slo) {
      const indexes = [...(indexesBySlo.get(`${slo.organization_id} ${slo.id}`) ?? []), ...indexesByLabels(slo)]
      return indexes.toSorted((a, b) => a - b).flatMap((index) => silences[index] ?? [])
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
