import type { Client, Reply } from './client.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Organization } from './organizations.ts'

/** Write requests of an organization; `run` creates, changes or deletes one object. */
export type Writes = {
  run(): Promise<void>
  /** Imports a sample that is two hours old. */
  importPast(): Promise<void>
  /** Subjects of the notifications that nines accepted. */
  accepted: Set<string>
}

type Options = { client: Client; journal: Journal; organization: Organization; random: () => number }
type Made = { id: number; entry: JournalEntry }

const maxSlos = 25
const maxSilences = 15
const silenceDays = 300

export function createWrites({ client, journal, organization, random }: Options): Writes {
  const { token, name, sourceId, channelId, sloIds } = organization
  const slos: Made[] = []
  const silences: Made[] = []
  const accepted = new Set<string>()
  let number = 0
  const next = (what: string) => `${what} ${(number += 1)} of ${name}`
  const send = (what: string, method: string, path: string, body?: unknown) =>
    client.send(what, method, `/api/v1${path}`, { token, body, isRead: false })
  const read = (what: string, path: string, state: (body: Read) => string) => async () => {
    const reply = await client.send(`GET ${what}`, 'GET', path, { token, expected: [200, 404] })
    if (!reply || reply.status >= 500) return null
    return reply.status === 404 ? 'not there' : state(JSON.parse(reply.text) as Read)
  }
  const isDone = (reply: Reply | null) => reply && reply.status < 300

  async function createSlo(): Promise<void> {
    const slo = { target: 99, time_window: '1h', metric_type: 'availability', source_id: sourceId }
    const named = { ...slo, name: next('SLO'), metric_query: 'avg_over_time(outside_1[5m])' }
    const reply = await send('create SLO', 'POST', '/slos', named)
    if (reply?.status !== 201) return
    const { id } = JSON.parse(reply.text) as { id: number }
    const state = ({ name, active }: Read) => (active === false ? 'deleted' : String(name))
    slos.push({ id, entry: journal.add(`SLO ${id}`, named.name, read('SLO', `/api/v1/slos/${id}`, state)) })
  }

  async function editSlo(): Promise<void> {
    const slo = slos[Math.floor(random() * slos.length)]
    if (!slo) return createSlo()
    const name = next('edited')
    await journal.change(slo.entry, name, async () =>
      isDone(await send('edit SLO', 'PUT', `/slos/${slo.id}`, { name })),
    )
  }

  async function deleteSlo(): Promise<void> {
    const slo = slos.shift()
    if (!slo) return
    const request = async () => isDone(await send('delete SLO', 'DELETE', `/slos/${slo.id}`))
    if (!(await journal.change(slo.entry, 'deleted', request))) slos.push(slo)
  }

  async function createSilence(): Promise<void> {
    const comment = next('silence')
    const body = { labels: { of: comment }, duration_seconds: silenceDays * 86_400, comment }
    const reply = await send('create silence', 'POST', '/notifications/silences', body)
    if (reply?.status !== 201) return
    const { id } = (JSON.parse(reply.text) as { data: { id: number } }).data
    // Derived from its duration: whether a silence has ended depends on the clock, which faults change.
    const state = ({ data: { starts_at = '', until = '', comment = '' } = {} }: Read) =>
      Date.parse(until) - Date.parse(starts_at) < silenceDays * 43_200_000 ? 'ended' : comment
    const entry = journal.add(`silence ${id}`, comment, read('silence', `/api/v1/notifications/silences/${id}`, state))
    silences.push({ id, entry })
  }

  async function endSilence(): Promise<void> {
    const silence = silences.shift()
    if (!silence) return
    const path = `/notifications/silences/${silence.id}`
    await journal.change(silence.entry, 'ended', async () => isDone(await send('end silence', 'DELETE', path)))
  }

  async function notify(): Promise<void> {
    const subject = next('message')
    const body = { slo_id: sloIds.get('switched'), channel_id: channelId, alert_type: 'manual', subject, message: 'm' }
    const reply = await send('notify', 'POST', '/notifications/rules', { ...body, max_retries: 100 })
    if (reply?.status === 201) accepted.add(subject)
  }

  return {
    accepted,
    async run() {
      const choice = random()
      if (choice < 0.55) return editSlo()
      if (choice < 0.7) return slos.length < maxSlos ? createSlo() : deleteSlo()
      if (choice < 0.85) return silences.length < maxSilences ? createSilence() : endSilence()
      return notify()
    },
    async importPast() {
      const value = (number += 1)
      const seconds = Math.floor(Date.now() / 1000) - 7200
      const text = `soak_import ${value} ${seconds}\n# EOF\n`
      const reply = await send('import', 'POST', '/embedded/import', { text })
      if (reply?.status !== 200) return
      const { samples, too_new, too_old } = JSON.parse(reply.text) as Record<string, number>
      if (samples !== 1 || too_new || too_old) return // its clock was changed
      const path = `/embedded/prometheus/api/v1/query?query=soak_import&time=${seconds}`
      const state = ({ data }: Read) => String(data?.result?.[0]?.value[1])
      journal.add(`sample of ${seconds}`, String(value), read('imported', path, state))
    },
  }
}

type Read = {
  name?: string
  active?: boolean
  data?: { starts_at?: string; until?: string; comment?: string; result?: { value: [number, string] }[] }
}
