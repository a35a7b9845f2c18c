/**
 * What nines has acknowledged. `states`: in which it may be; more than one where the answer to a change never came.
 * `isBusy`: a change is under way.
 */
type Entry = { read: () => Promise<string | null>; states: Set<string>; isBusy: boolean; what: string }

/** Acknowledged writes, and whether they are there. */
export type Journal = {
  /** An entry for something that was made, in this state; `read` gives its state, null where nines does not answer. */
  add(what: string, state: string, read: Entry['read']): Entry
  /**
   * Changes it to a state by a request that gives whether it was acknowledged; null where nobody knows. False where something
   * is under way with it already.
   */
  change(entry: Entry, state: string, request: () => Promise<boolean | null>): Promise<boolean>
  /** Reads every entry again; what is not as it was acknowledged is lost. */
  verify(): Promise<void>
  acknowledged(): number
  checked(): number
  /** In a sentence each. */
  lost: string[]
}

export type JournalEntry = Entry

/** Old ones are read no more, so that reading them all takes seconds. */
const maxEntries = 1500
const readsAtOnce = 8

export function createJournal(): Journal {
  let [acknowledged, checked] = [0, 0]
  const entries: Entry[] = []
  const lost: string[] = []

  async function verifyOne(entry: Entry): Promise<void> {
    if (entry.isBusy) return
    entry.isBusy = true
    const state = await entry.read()
    entry.isBusy = false
    if (state === null) return
    checked += 1
    if (!entry.states.has(state)) lost.push(`${entry.what} is ${state}, not ${[...entry.states].join(' or ')}`)
    entry.states = new Set([state])
  }

  return {
    lost,
    acknowledged: () => acknowledged,
    checked: () => checked,
    add(what, state, read) {
      acknowledged += 1
      const entry = { what, states: new Set([state]), read, isBusy: false }
      entries.push(entry)
      if (entries.length > maxEntries) entries.shift()
      return entry
    },
    async change(entry, state, request) {
      if (entry.isBusy) return false
      entry.isBusy = true
      const isDone = await request()
      if (isDone === true) acknowledged += 1
      if (isDone === true) entry.states = new Set([state])
      if (isDone === null) entry.states.add(state)
      entry.isBusy = false
      return true
    },
    async verify() {
      const waiting = [...entries]
      const worker = async () => {
        for (let entry = waiting.pop(); entry; entry = waiting.pop()) await verifyOne(entry)
      }
      await Promise.all(Array.from({ length: readsAtOnce }, worker))
    },
  }
}
