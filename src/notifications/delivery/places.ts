/** A channel that has something due, and whose it is. */
export type Due = { channelId: number; organizationId: number }

/** Which channels are under way at once, and which is the next. */
export type Places = {
  /**
   * Of those that wait the next that may begin, which has its place from then on: of the organization with the fewest at
   * work, and among such of the one that has waited longest.
   */
  next<D extends Due>(waiting: Iterable<D>): D | undefined
  leave(channelId: number): void
  /** The last attempt of a channel failed or was slow: such leave half of the places to others, but for one of each organization. */
  setTroubled(channelId: number, isTroubled: boolean): void
  isTroubled(channelId: number): boolean
  /** The attempt under way only waits for its receiver: it may go on beside the others. */
  setLate(channelId: number, isLate: boolean): void
  /** Whether more than one organization has channels: then none takes all places. */
  setShared(isShared: boolean): void
}

/** `most` at work, and `maxSlow` beside them that wait for slow receivers. */
export function createPlaces({ most, maxSlow }: { most: number; maxSlow: number }): Places {
  const underWay = new Map<number, Due>()
  const troubled = new Set<number>()
  /** In the order in which they became so. */
  const late = new Set<number>()
  let isShared = false
  let begun = 0
  /** Which beginning was the last of an organization. */
  const begunAt = new Map<number, number>()
  /** The places among so many that one organization may take. */
  const shareOf = (places: number) => (isShared && places > 1 ? places - 1 : places)

  /** Those at work, by organization: all but the late ones there is room for beside them. */
  function atWork(): Due[] {
    const beside = new Map<number, number>()
    const aside = new Set<number>()
    for (const channelId of late) {
      const organizationId = underWay.get(channelId)?.organizationId ?? 0
      const taken = beside.get(organizationId) ?? 0
      if (aside.size >= maxSlow) break
      if (most > 1 && taken >= shareOf(maxSlow)) continue
      beside.set(organizationId, taken + 1)
      aside.add(channelId)
    }
    return [...underWay.values()].filter(({ channelId }) => !aside.has(channelId))
  }

  const count = (all: Due[]) => {
    const counts = new Map<number, number>()
    for (const { organizationId } of all) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1)
    return counts
  }

  return {
    next(waiting) {
      const all = atWork()
      if (all.length >= most) return undefined
      const maxTroubled = Math.max(1, Math.floor(most / 2))
      const inTrouble = all.filter(({ channelId }) => troubled.has(channelId))
      const [begunBy, working] = [count([...underWay.values()]), count(all)]
      const mayBegin = ({ channelId, organizationId }: Due) => {
        const own = working.get(organizationId) ?? 0
        if (own >= shareOf(most) || (begunBy.get(organizationId) ?? 0) >= shareOf(most + maxSlow)) return false
        return !troubled.has(channelId) || inTrouble.length < maxTroubled || (isShared && own === 0)
      }
      let chosen
      let least = [Infinity, Infinity] as const
      for (const due of waiting) {
        const rank = [working.get(due.organizationId) ?? 0, begunAt.get(due.organizationId) ?? 0] as const
        if (!isBefore(rank, least) || !mayBegin(due)) continue
        chosen = due
        least = rank
      }
      if (!chosen) return undefined
      underWay.set(chosen.channelId, chosen)
      begun += 1
      begunAt.set(chosen.organizationId, begun)
      return chosen
    },
    leave(channelId) {
      underWay.delete(channelId)
      late.delete(channelId)
    },
    setTroubled: (channelId, isTroubled) => void (isTroubled ? troubled.add(channelId) : troubled.delete(channelId)),
    isTroubled: (channelId) => troubled.has(channelId),
    setLate: (channelId, isLate) => void (isLate ? late.add(channelId) : late.delete(channelId)),
    setShared: (value) => void (isShared = value),
  }
}

function isBefore([one, then]: readonly [number, number], [other, thenOther]: readonly [number, number]): boolean {
  return one < other || (one === other && then < thenOther)
}
