type Id = string | number

/** Work that several wait for at once and that is done once. */
export type SingleFlight<T, Name = void> = {
  /** Joins the work under way of this id, or begins it; `work` can ask whether it was abandoned since. */
  join(id: Id, work: (isCurrent: () => boolean) => Promise<T>, name: Name): Promise<T>
  /** What is under way goes on for those who wait for it; later calls begin again. */
  abandon(isMeant: (name: Name) => boolean): void
  /** Resolves once what is under way has ended. */
  drain(): Promise<void>
}

export function createSingleFlight<T, Name = void>(): SingleFlight<T, Name> {
  const underWay = new Map<Id, { name: Name; outcome: Promise<T> }>()
  return {
    join(id, work, name) {
      const known = underWay.get(id)
      if (known) return known.outcome
      const isCurrent = () => underWay.get(id) === flight
      const flight = { name, outcome: Promise.resolve().then(() => work(isCurrent)) }
      underWay.set(id, flight)
      const end = () => {
        if (isCurrent()) underWay.delete(id)
      }
      void flight.outcome.then(end, end)
      return flight.outcome
    },
    abandon(isMeant) {
      for (const [id, { name }] of underWay) if (isMeant(name)) underWay.delete(id)
    },
    async drain() {
      await Promise.allSettled([...underWay.values()].map(({ outcome }) => outcome))
    },
  }
}
