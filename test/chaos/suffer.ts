import type { Break } from './break.ts'
import { type HealthCheck, checkHealth } from './look.ts'
import { switched, truths } from './truth.ts'
import type { World } from './world.ts'

/**
 * Result of one break. Seconds: until it was reported or known to have no effect, and from the repair until everything was
 * right.
 */
export type Outcome = {
  name: string
  seen: string
  seenSeconds: number
  rightSeconds: number
  /** Wrong numbers that looked valid, and reactions that did not come in time; empty if all is right. */
  problems: string[]
}

type Options = { random: () => number; holdMs: number }

const timeoutMs = 60_000
/** A busy machine may take longer to recover than to report the problem. */
const recoveryMs = 120_000
const betweenMs = 300

export async function suffer(world: World, broken: Break, { random, holdMs }: Options): Promise<Outcome> {
  const problems = new Set<string>()
  const before = world.around.taken.length
  const watch = watchAll(world, problems)
  const outcome = { name: broken.name, seen: '', seenSeconds: NaN, rightSeconds: NaN }
  try {
    await watch.next(() => true)
    const mark = watch.last()
    const beganMs = performance.now()
    await broken.begin(world, random)
    const seen = await watch.next((now) => reactionTo(broken, mark, now))
    outcome.seen = seen.value ?? 'nothing'
    outcome.seenSeconds = (performance.now() - beganMs) / 1000
    if (seen.value === null) problems.add(`not seen within a minute: ${describe(watch.last())}`)
    await Bun.sleep(Math.max(0, beganMs + holdMs - performance.now()))
    const mendedMs = performance.now()
    await broken.mend(world)
    if (world.refusal() !== null) problems.add(`does not start: ${world.refusal()}`)
    const mended = watch.last()
    const right = await watch.next((now) => isRight(broken, mark, mended, now), recoveryMs)
    outcome.rightSeconds = (performance.now() - mendedMs) / 1000
    if (!right.value) problems.add(`not right again within two minutes: ${describe(watch.last())}`)
    for (const text of [...(await alarm(world, before, watch.last)), ...(await lostIn(world))]) problems.add(text)
  } catch (error) {
    problems.add(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await watch.stop()
  }
  return { ...outcome, problems: [...problems] }
}

/** Checks nines continuously; everything that is wrong is a problem. */
function watchAll(world: World, problems: Set<string>) {
  let last: HealthCheck = { atMs: 0, wrong: [], slos: new Map(), reported: [], mentioned: [] }
  const over = new AbortController()
  const step = async () => {
    last = await checkHealth(world)
    for (const text of last.wrong) problems.add(text)
  }
  const work = (async () => {
    while (!over.signal.aborted) {
      await step()
      await Bun.sleep(betweenMs)
    }
  })()
  return {
    last: () => last,
    /** First result other than false in a later check; null if none comes in time. */
    async next<T>(of: (now: HealthCheck) => T | false, withinMs = timeoutMs): Promise<{ value: T | null }> {
      const fromMs = performance.now()
      while (performance.now() - fromMs < withinMs) {
        const value = last.atMs >= fromMs && of(last)
        if (value !== false) return { value }
        await Bun.sleep(50)
      }
      return { value: null }
    },
    async stop() {
      over.abort()
      await work
    },
  }
}

/** The report of the break, or a note that it has no effect; false: neither yet. */
function reactionTo({ unknownSlos, mustShow }: Break, mark: HealthCheck, now: HealthCheck): string | false {
  const reported = now.reported.filter((text) => mustShow?.test(text) ?? true)
  const isNew = reported.some((text) => !mark.reported.includes(text))
  if (isNew) return reported.join(', ')
  const reasons = new Set<string>()
  for (const { name, source } of [...truths, { ...switched, source: 'outside' }]) {
    const slo = now.slos.get(name)
    if (!slo || slo.evaluatedAt === mark.slos.get(name)?.evaluatedAt) return false
    const mayBeUnknown = unknownSlos === 'all' || unknownSlos === source
    if (slo.reason !== null && !mayBeUnknown) return false
    if (slo.reason !== null) reasons.add(slo.reason)
  }
  const numbers = reasons.size > 0 ? `unknown: ${[...reasons].toSorted().join(', ')}` : 'right'
  const shown = [...reported, numbers].join(', ')
  return (mustShow?.test(shown) ?? true) && shown
}

/** True if all is right again; reports from before the break may continue. */
function isRight({ mayPersist }: Break, mark: HealthCheck, mended: HealthCheck, now: HealthCheck): boolean {
  const before = new Set([...mark.reported, ...mark.mentioned])
  if ([...now.reported, ...now.mentioned].some((text) => !before.has(text) && !mayPersist?.test(text))) return false
  return [...truths, switched].every(({ name }) => {
    const slo = now.slos.get(name)
    return slo?.reason === null && slo.evaluatedAt !== mended.slos.get(name)?.evaluatedAt
  })
}

/**
 * Causes an outage of the switched SLO and checks the notifications of its start and end. Returns the faults, one sentence
 * each.
 */
async function alarm({ around, nines, token }: World, before: number, last: () => HealthCheck): Promise<string[]> {
  const ask = (path: string) => nines()?.call('GET', path, undefined, token)
  const arrives = async (event: string) => {
    const endMs = performance.now() + recoveryMs
    while (performance.now() < endMs) {
      if (around.taken.slice(before).some((one) => one.event === event)) return []
      await Bun.sleep(50)
    }
    const { body: history } = (await ask('/api/v1/notifications/history')) ?? {}
    const { body: alerts } = (await ask('/api/v1/notifications/alerts?state=all')) ?? {}
    return [
      `no ${event} was delivered within two minutes: ${JSON.stringify({ seen: describe(last()), history, alerts })}`,
    ]
  }
  around.setSwitch(false)
  const alert = await arrives('alert')
  around.setSwitch(true)
  return [...alert, ...(await arrives('recovery'))]
}

/** Notifications that failed, or are marked delivered and did not arrive. Waits for those under way. */
async function lostIn({ nines, token, around }: World): Promise<string[]> {
  const endMs = performance.now() + timeoutMs
  for (;;) {
    const { body } = (await nines()?.call('GET', '/api/v1/notifications/history?page_size=100', undefined, token)) ?? {}
    const all: { id: number; status: string; idempotency_key: string }[] = body?.notifications ?? []
    const waiting = all.filter(({ status }) => status === 'pending' || status === 'sending')
    if (waiting.length > 0 && performance.now() < endMs) {
      await Bun.sleep(200)
      continue
    }
    const keys = new Set(around.taken.map(({ key }) => key))
    return all
      .filter(({ status, idempotency_key }) => status !== 'delivered' || !keys.has(idempotency_key))
      .map(({ id, status }) => `notification ${id} is ${status}, and did not arrive`)
  }
}

function describe({ reported, mentioned, slos }: HealthCheck): string {
  const unknown = [...slos].map(([name, { reason, evaluatedAt }]) => `${name} ${reason ?? 'known'} ${evaluatedAt}`)
  return `reported: ${reported.join(', ')}; mentioned: ${mentioned.join(', ')}; ${unknown.join('; ')}`
}
