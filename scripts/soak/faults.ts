import type { Break } from '../../test/chaos/break.ts'
import { allBreaks, shuffled } from '../../test/chaos/rounds.ts'
import { hasFakeTime } from '../../test/support/fake-time.ts'
import type { World } from '../../test/chaos/world.ts'

/** Active and past faults; all times are those of `performance.now()`. */
export type Faults = {
  /** Names of faults, kills included, that were active within a time or ended at most `aftermathMs` before it. */
  between(fromMs: number, toMs: number, aftermathMs?: number): string[]
  /** True if no fault has been active since `fromMs`, or just before it. */
  isQuietSince(fromMs: number): boolean
  /** True if an error (`503 disk is full`, `cut off`) is explained by these faults. */
  explain(problem: string, names: string[]): boolean
  /**
   * Times at which nines was killed or paused, or lost state because of its clock or disk: it may repeat notifications that it
   * sent before.
   */
  interruptions(): number[]
  counts: Map<string, number>
  kills(): number
  /** Starts that failed although no fault explains it. */
  refusals: string[]
  /** Errors while faults were injected or ended. */
  failures: string[]
  /** Injects and ends faults until `endMs`; then ends all of them. */
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

/** Time for which effects of a fault may continue after its end: a retry, a disk check, a slow response. */
const usualAftermathMs = 35_000
/** Aftermath for measurements without faults. */
const momentMs = 5000
const families = new Set(['source', 'target', 'receiver', 'disk', 'clock'])
/** Excludes clock changes of many days, after which data would exceed their retention. */
const isFit = ({ family, name }: Break) =>
  (families.has(family) || name === 'SIGSTOP for 20 s') && !/read-only|40d/.test(name)
const shortMinutes = 15
const killEveryMs = 180_000
/** Start and end of the period without kills, as shares of a long run. */
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

  /** Records a failed step instead of throwing, so that a run of hours continues. */
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

  async function injectFaults(endMs: number): Promise<void> {
    const isShort = minutes < shortMinutes
    for (;;) {
      const deck = isShort ? someOf(some, random) : shuffled(some, random)
      const slotMs = isShort ? (endMs - performance.now()) / deck.length : 0
      for (const broken of deck) {
        const beganMs = performance.now()
        const holdMs = isShort ? slotMs * 0.5 : 15_000 + random() * 30_000
        const restMs = isShort ? 0 : 10_000 + random() * 40_000
        if (!isShort && beganMs + holdMs > endMs) return // a short run has each of its kinds of fault
        await one(broken, broken.family === 'signal' ? 0 : holdMs)
        await Bun.sleep(Math.max(restMs, beganMs + slotMs - performance.now()))
      }
      if (isShort) return
    }
  }

  /**
   * Kills nines every few minutes, but not in the middle of a long run, so that one process lives long enough to show growth.
   */
  async function killPeriodically(endMs: number): Promise<void> {
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
      await Promise.all([injectFaults(endMs), killPeriodically(endMs)])
    },
  }
}

/** Selects all disk faults, three source faults, and one of each other family. */
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
  { of: /^503 Query took too long/, by: /SIGSTOP|SIGKILL/ }, // workers are starting
  { of: /^503 disk is full/, by: /disk full/ },
  { of: /^50[234] /, by: /^(source|target) / },
  { of: /^409 /, by: /^clock/ },
]
