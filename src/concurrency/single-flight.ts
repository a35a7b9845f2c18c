/** Work that several wait for at once and that is done once. */
export type SingleFlight<Name, T> = {
  /** Joins the work under way of this id, or begins it; `work` can ask whether its outcome is still wanted. */
  join(id: string, name: Name, work: (isCurrent: () => boolean) => Promise<T>): Promise<T>
  /** What is under way goes on for those who wait for it; whoever comes later begins again. */
  abandon(isMeant: (name: Name) => boolean): void
}

export function createSingleFlight<Name, T>(): SingleFlight<Name, T> {
  const underWay = new Map<string, { name: Name; outcome: Promise<T> }>()
  return {
    join(id, name, work) {
      const known = underWay.get(id)
      if (known) return known.outcome
      const isCurrent = () => underWay.get(id) === flight
      const flight = { name, outcome: Promise.resolve().then(() => work(isCurrent)) }
      underWay.set(id, flight)
      const land = () => {
        if (isCurrent()) underWay.delete(id)
      }
      void flight.outcome.then(land, land)
      return flight.outcome
    },
    abandon(isMeant) {
      for (const [id, { name }] of underWay) if (isMeant(name)) underWay.delete(id)
    },
  }
}
