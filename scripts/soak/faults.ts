import type { Break } from '../../test/chaos/break.ts'
import { allBreaks, shuffled } from '../../test/chaos/rounds.ts'
import { hasFakeTime } from '../../test/support/fake-time.ts'
import type { World } from '../../test/chaos/world.ts'

/** What is broken, and was; all times are of `performance.now()`. */
export type Faults = {
  /** Names of what was broken within a time, or until `aftermathMs` before it; the kills too. */
  between(fromMs: number, toMs: number, aftermathMs?: number): string[]
  /** Whether nothing is broken, and nothing was a moment before. */
  isQuietSince(fromMs: number): boolean
  /** Whether an answer (`503 disk is full`, `cut off`) may be so while these are broken. */
  explain(problem: string, names: string[]): boolean
  /** When nines was killed or stood still, or its clock or disk let it forget: what it sent then it may send again. */
  interruptions(): number[]
  counts: Map<string, number>
  kills(): number
  /** Starts that failed though nothing broken explains it. */
  refusals: string[]
  /** Breaks that could not be made or mended. */
  failures: string[]
  /** Breaks and mends until then; then everything is mended. */
  run(endMs: number): Promise<void>
}

type Options = {
  world: World
  random: () => number
  minutes: number
  /** Called after each start that follows a kill. */
  onStarted: () => Promise<void>
  say: (line: string) => void
}

type Entry = { name: string; family: string; beganMs: number; endedMs: number }

/** What a break brings about may go on so long after it is mended: a retry, a look at the disk, a slow answer. */
const usualAftermathMs = 35_000
/** For what is measured while nothing is broken. */
const momentMs = 5000
const families = new Set(['source', 'target', 'receiver', 'disk', 'clock'])
/** With the clock days away, what is kept for so many days would go. */
const isFit = ({ family, name }: Break) =>
  (families.has(family) || name === 'SIGSTOP for 20 s') && !/read-only|40d/.test(name)
const shortMinutes = 15
const killEveryMs = 180_000
/** Shares of a long run between which nines is not killed. */
const longLife = { from: 0.25, to: 0.75 }

export function createFaults({ world, random, minutes, onStarted, say }: Options): Faults {
  const entries: Entry[] = []
  const [refusals, failures]: [string[], string[]] = [[], []]
  const kill = allBreaks.find(({ name }) => name === 'SIGKILL')
  const can = { disk: world.disk !== null, time: hasFakeTime }
  const fit = allBreaks.filter(isFit)
  const some = fit.filter(({ needs }) => needs === undefined || can[needs])
  const others = fit.filter((one) => !some.includes(one))
  if (others.length > 0) say(`not broken, this machine does not let it: ${others.map(({ name }) => name).join(', ')}`)

  const between: Faults['between'] = (fromMs, toMs, aftermathMs = usualAftermathMs) => [
    ...new Set(
      entries
        .filter(({ beganMs, endedMs }) => beganMs <= toMs && endedMs + aftermathMs >= fromMs)
        .map(({ name }) => name),
    ),
  ]

  async function during(broken: Break, work: () => Promise<void>): Promise<void> {
    const entry = { name: broken.name, family: broken.family, beganMs: performance.now(), endedMs: Infinity }
    entries.push(entry)
    await work()
    entry.endedMs = performance.now()
  }

  /** A run of hours goes on without a break that could not be made. */
  async function tried(what: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (error) {
      failures.push(`${what}: ${String(error)}`)
    }
  }

  const one = (broken: Break, holdMs: number) =>
    during(broken, async () => {
      await tried(`beginning "${broken.name}"`, () => broken.begin(world, random))
      await Bun.sleep(holdMs)
      await tried(`mending "${broken.name}"`, () => broken.mend(world))
      if (broken.family === 'receiver') world.around.setSwitch(true)
    })

  async function killed(): Promise<void> {
    if (!kill) return
    await during(kill, async () => {
      await tried('killing', () => kill.begin(world, random))
      while (world.nines() === null) {
        const during = between(performance.now(), performance.now())
        const refusal = String(world.refusal())
        if (!during.includes('disk full')) refusals.push(refusal)
        await Bun.sleep(1000)
        await world.start()
      }
    })
    world.around.setSwitch(true)
    await onStarted()
  }

  async function breakAndMend(endMs: number): Promise<void> {
    const isShort = minutes < shortMinutes
    for (;;) {
      const deck = isShort ? someOf(some, random) : shuffled(some, random)
      const slotMs = isShort ? (endMs - performance.now()) / deck.length : 0
      for (const broken of deck) {
        const beganMs = performance.now()
        const holdMs = isShort ? slotMs * 0.5 : 15_000 + random() * 30_000
        const restMs = isShort ? 0 : 10_000 + random() * 40_000
        if (!isShort && beganMs + holdMs > endMs) return // a short run has each of its kinds
        await one(broken, broken.family === 'signal' ? 0 : holdMs)
        await Bun.sleep(Math.max(restMs, beganMs + slotMs - performance.now()))
      }
      if (isShort) return
    }
  }

  /** Every few minutes; in the middle of a long run there is a long life, by which one sees what grows. */
  async function killAgainAndAgain(endMs: number): Promise<void> {
    const beganMs = performance.now()
    const fullMs = endMs - beganMs
    const isShort = minutes < shortMinutes
    const gapMs = isShort ? fullMs / 3 : killEveryMs
    for (;;) {
      await Bun.sleep(gapMs * (0.7 + 0.6 * random()))
      const share = (performance.now() - beganMs) / fullMs
      if (share > 0.95) return
      if (isShort || share < longLife.from || share > longLife.to) await killed()
    }
  }

  return {
    between,
    isQuietSince: (fromMs) => between(fromMs, performance.now(), momentMs).length === 0,
    explain: (problem, names) =>
      explanations.some(({ of, by }) => of.test(problem) && names.some((name) => by.test(name))),
    interruptions: () =>
      entries
        .filter(({ family }) => ['signal', 'disk', 'clock'].includes(family))
        .flatMap(({ beganMs, endedMs }) => [beganMs, endedMs]),
    get counts() {
      return new Map([...Map.groupBy(entries, ({ name }) => name)].map(([name, { length }]) => [name, length]))
    },
    kills: () => entries.filter(({ name }) => name === 'SIGKILL').length,
    refusals,
    failures,
    async run(endMs) {
      await Promise.all([breakAndMend(endMs), killAgainAndAgain(endMs)])
    },
  }
}

/** Three kinds of a broken source, and one of all else. */
function someOf(all: Break[], random: () => number): Break[] {
  const left = new Map([['source', 3]])
  return shuffled(all, random).filter(({ family }) => {
    if (family === 'disk') return true
    const rest = left.get(family) ?? 1
    left.set(family, rest - 1)
    return rest > 0
  })
}

const explanations: { of: RegExp; by: RegExp }[] = [
  { of: /^cut off/, by: /SIGKILL/ },
  { of: /^no answer/, by: /SIGSTOP/ },
  { of: /^503 Query took too long/, by: /SIGSTOP|SIGKILL/ }, // workers start
  { of: /^503 disk is full/, by: /disk full/ },
  { of: /^50[234] /, by: /^(source|target) / },
  { of: /^409 /, by: /^clock/ },
]
