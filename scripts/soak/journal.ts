/**
 * Acknowledged write. `states`: possible states; several if the response to a change never arrived. `isBusy`: a change is in
 * progress.
 */
type Entry = { read: () => Promise<string | null>; states: Set<string>; isBusy: boolean; what: string }

/** Journal of acknowledged writes; checks that they are still stored. */
export type Journal = {
  /** Adds an entry for a created object in this state; `read` returns its current state, null if nines does not respond. */
  add(what: string, state: string, read: Entry['read']): Entry
  /**
   * Changes an entry to a state by a request, which returns whether it was acknowledged; null: unknown. Returns false if
   * another change of the entry is in progress.
   */
  change(entry: Entry, state: string, request: () => Promise<boolean | null>): Promise<boolean>
  /** Reads every entry again; one that is not in an acknowledged state is lost. */
  verify(): Promise<void>
  acknowledged(): number
  checked(): number
  /** Lost writes, as sentences. */
  lost: string[]
}

export type JournalEntry = Entry

/** Maximum number of entries. Older ones are not checked any more, so that a check takes seconds. */
const maxEntries = 1500
const maxConcurrentReads = 8

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
      await Promise.all(Array.from({ length: maxConcurrentReads }, worker))
    },
  }
}
