import { closeLater } from '../support/closing.ts'
import { answerRequest, type FakeReply } from '../support/fake-source.ts'
import { type BreakableService, openDoor } from './door.ts'
import { exposed, truths } from './truth.ts'

/** The systems around nines: a source, a scrape target, and a receiver of notifications. */
export type Surroundings = {
  source: BreakableService
  target: BreakableService
  receiver: BreakableService
  /** Sets the value of the switched metric in the source. */
  setSwitch(on: boolean): void
  /** Makes the source answer NaN for everything. */
  setLying(lies: boolean): void
  /** Accepted notifications, in order; times of `performance.now()`. */
  taken: { event: string; key: string; subject: string; atMs: number }[]
}

export async function openSurroundings(): Promise<Surroundings> {
  const at = { on: true, lies: false }
  const taken: Surroundings['taken'] = []
  const source = await openDoor(async ({ path, headers, body }) => {
    const type = headers['content-type'] ?? ''
    const asked = body === '' ? {} : { method: 'POST', body, headers: { 'Content-Type': type } }
    const answer = await answerRequest(
      (expression) => valueOf(expression, at),
      new Request(`http://source${path}`, asked),
    )
    return answer.text()
  })
  const target = await openDoor(() => `${exposed(Date.now())}\n`)
  const receiver = await openDoor(({ headers, body }) => {
    const { event, subject } = JSON.parse(body)
    taken.push({ event, subject, key: headers['idempotency-key'] ?? '', atMs: performance.now() })
    return 'ok'
  })
  closeLater(() => [source, target, receiver].forEach((one) => one.close()))
  return {
    source,
    target,
    receiver,
    taken,
    setSwitch: (on) => void (at.on = on),
    setLying: (lies) => void (at.lies = lies),
  }
}

function valueOf(expression: string, { on, lies }: { on: boolean; lies: boolean }): FakeReply {
  if (lies) return NaN
  if (expression.includes('switched')) return on ? 1 : 0
  if (expression.includes('every[')) return 1
  const truth = truths.find(({ source, name }) => source === 'outside' && expression.includes(name))
  return truth ? truth.percent / 100 : null
}
