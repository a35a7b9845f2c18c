type Id = string | number

/** Shares one run of work among all callers that wait for it at the same time. */
type SingleFlight<T, Name = void> = {
  /** Joins the work under way with this id, or starts it. `isCurrent` returns false once the work was abandoned. */
  join(id: Id, work: (isCurrent: () => boolean) => Promise<T>, name: Name): Promise<T>
  /** Lets work under way continue for its present callers; later calls start again. */
  abandon(matches: (name: Name) => boolean): void
  /** Resolves once all work under way has ended, except abandoned work. */
  drain(): Promise<void>
}

export function createSingleFlight<T, Name = void>(): SingleFlight<T, Name> {
  const underWay = new Map<Id, { name: Name; outcome: Promise<T> }>()
  return {
    join(id, work, name) {
      const current = underWay.get(id)
      if (current) return current.outcome
      const isCurrent = () => underWay.get(id) === flight
      const flight = { name, outcome: Promise.resolve().then(() => work(isCurrent)) }
      underWay.set(id, flight)
      const end = () => {
        if (isCurrent()) underWay.delete(id)
      }
      void flight.outcome.then(end, end)
      return flight.outcome
    },
    abandon(matches) {
      for (const [id, { name }] of underWay) if (matches(name)) underWay.delete(id)
    },
    async drain() {
      await Promise.allSettled([...underWay.values()].map(({ outcome }) => outcome))
    },
  }
}
