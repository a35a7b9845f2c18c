import { checkHealth, type HealthCheck } from '../../test/chaos/look.ts'
import { switched, truths } from '../../test/chaos/truth.ts'
import type { World } from '../../test/chaos/world.ts'
import type { Organization } from './organizations.ts'
import type { Numbers } from './reads.ts'

const everyMs = 1000
const timeoutMs = 150_000

/** Checks the organizations in rotation and continuously; records numbers that are presented as valid and are wrong. */
export function startWatch(world: World, organizations: Organization[], numbers: Numbers) {
  const over = new AbortController()
  const watching = (async () => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const organization = organizations[turn % organizations.length]
      if (organization) count(numbers, await lookAt(world, organization))
      await Bun.sleep(everyMs)
    }
  })()
  return {
    async stop() {
      over.abort()
      await watching
    },
  }
}

const lookAt = (world: World, { token }: Organization) => checkHealth({ ...world, token })

function count(numbers: Numbers, { slos, wrong }: HealthCheck): void {
  for (const { reason } of slos.values()) {
    if (reason === null) numbers.compared += 1
    else numbers.unknown += 1
  }
  for (const text of wrong) if (!numbers.wrong.includes(text)) numbers.wrong.push(text)
}

/**
 * Waits until every SLO and its error budget is known and newly evaluated. Returns the seconds it took, or a sentence for each
 * SLO that is still unknown.
 */
export async function untilRight(world: World, organizations: Organization[]): Promise<number | string[]> {
  const beganMs = performance.now()
  const wallMs = Date.now()
  for (;;) {
    const unknown: string[] = []
    for (const organization of organizations) {
      const { slos } = await lookAt(world, organization)
      for (const { name } of [...truths, switched]) {
        const slo = slos.get(name)
        const isNew = slo?.evaluatedAt && Date.parse(slo.evaluatedAt) >= wallMs
        if (!isNew || slo.reason !== null)
          unknown.push(`${name} of ${organization.name}: ${slo?.reason ?? 'not evaluated'}`)
      }
    }
    if (unknown.length === 0) unknown.push(...(await unknownBudgets(world, organizations)))
    const tookMs = performance.now() - beganMs
    if (unknown.length === 0) return tookMs / 1000
    if (tookMs > timeoutMs) return unknown
    await Bun.sleep(1000)
  }
}

async function unknownBudgets(world: World, organizations: Organization[]): Promise<string[]> {
  const unknown: string[] = []
  for (const { name: of, token, sloIds } of organizations) {
    for (const { name } of truths) {
      const path = `/api/v1/slos/${sloIds.get(name)}/budget`
      const answer = await world.nines()?.call('GET', path, undefined, token)
      if (answer?.body.sli === null) unknown.push(`budget of ${name} of ${of}: ${answer.body.coverage} covered`)
    }
  }
  return unknown
}
