/** Property of an iCalendar object; the value is as written, still escaped. */
type Property = { name: string; parameters: Record<string, string>; value: string }

/** Component of an iCalendar object, such as VEVENT. */
export type Component = { name: string; properties: Property[]; components: Component[] }

/** Reads an iCalendar object by RFC 5545; throws where a line is too long, does not end in CRLF or does not nest. */
export function readCalendar(text: string): Component {
  const physical = text.split('\r\n')
  if (physical.pop() !== '') throw new Error('the last line has no end')
  for (const line of physical) {
    if (/[\r\n]/.test(line)) throw new Error(`no CRLF in ${line}`)
    if (Buffer.byteLength(line) > 75) throw new Error(`too long: ${line}`)
  }
  const root: Component = { name: 'root', properties: [], components: [] }
  const open = [root]
  for (const line of physical.join('\r\n').replaceAll('\r\n ', '').split('\r\n')) {
    const [, head = '', value = ''] = /^([^:]+):(.*)$/s.exec(line) ?? []
    const [name = '', ...parameters] = head.split(';')
    const last = open.at(-1) ?? root
    if (name === 'BEGIN') {
      const component = { name: value, properties: [], components: [] }
      last.components.push(component)
      open.push(component)
    } else if (name === 'END') {
      if (open.pop()?.name !== value) throw new Error(`ends nothing: ${line}`)
    } else {
      if (name === '') throw new Error(`no property: ${line}`)
      const pairs = parameters.map((one) => one.split('='))
      last.properties.push({ name, parameters: Object.fromEntries(pairs), value })
    }
  }
  const [calendar] = root.components
  if (!calendar || open.length !== 1) throw new Error('must be one component')
  return calendar
}

export const componentsOf = ({ components }: Component, name: string) => components.filter((one) => one.name === name)

/** Value of a property, as written; empty: it is not there. */
export const valueOf = ({ properties }: Component, name: string) =>
  properties.find((one) => one.name === name)?.value ?? ''

/** Text of a property. */
export const textOf = (component: Component, name: string) =>
  valueOf(component, name).replaceAll(/\\(.)/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped))

const dayMs = 86_400_000

/** Local time, or UTC one, as milliseconds of a clock without zones. */
function wallMs(value: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/.exec(value) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

function offsetMs(value: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(value) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Creates the function that gives the UTC milliseconds of a local time by a VTIMEZONE alone. */
function createClock(zone: Component): (localMs: number) => number {
  const changes = zone.components
    .map((one) => {
      const [from, to] = [offsetMs(valueOf(one, 'TZOFFSETFROM')), offsetMs(valueOf(one, 'TZOFFSETTO'))]
      return { atMs: wallMs(valueOf(one, 'DTSTART')) - from, from, to }
    })
    .toSorted((a, b) => a.atMs - b.atMs)
  const offsetAt = (ms: number) => changes.findLast(({ atMs }) => atMs <= ms)?.to ?? changes[0]?.from ?? 0
  return (localMs) => {
    const offsets = new Set(changes.flatMap(({ from, to }) => [from, to]))
    const fitting = [...offsets].map((offset) => localMs - offset).filter((ms) => ms + offsetAt(ms) === localMs)
    if (fitting.length > 0) return Math.min(...fitting) // twice there: the first one
    const skipped = changes.find(({ atMs, from, to }) => localMs >= atMs + from && localMs < atMs + to)
    return localMs - (skipped?.from ?? 0) // not there: by the offset before the change
  }
}

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Begins of an event's occurrences before a time in UTC seconds, tried day by day. */
export function beginsOf(calendar: Component, event: Component, beforeSeconds: number): number[] {
  const start = event.properties.find(({ name }) => name === 'DTSTART')
  const startMs = wallMs(start?.value ?? '')
  const zoneName = start?.parameters['TZID']
  const zone = componentsOf(calendar, 'VTIMEZONE').find((one) => valueOf(one, 'TZID') === zoneName)
  if (zoneName !== undefined && !zone) throw new Error(`no VTIMEZONE ${zoneName}`)
  const utcOf = zone ? createClock(zone) : (ms: number) => ms
  const rule = new Map(
    valueOf(event, 'RRULE')
      .split(';')
      .map((part) => part.split('=') as [string, string]),
  )
  const count = Number(rule.get('COUNT') ?? Infinity)
  const untilMs = rule.has('UNTIL') ? wallMs(rule.get('UNTIL') ?? '') : Infinity
  const begins: number[] = []
  for (let localMs = startMs; begins.length < count; localMs += dayMs) {
    const ms = utcOf(localMs)
    if (ms > untilMs || ms >= 1000 * beforeSeconds) break
    if (occurs(rule, startMs, localMs)) begins.push(ms / 1000)
  }
  return begins
}

function occurs(rule: ReadonlyMap<string, string>, startMs: number, localMs: number): boolean {
  const [first, date] = [new Date(startMs), new Date(localMs)]
  const interval = Number(rule.get('INTERVAL') ?? 1)
  const days = rule.get('BYDAY')?.split(',') ?? []
  const isNamed = days.some((one) => {
    const nth = Number(one.slice(0, -2) || 0)
    if (one.slice(-2) !== weekdays[date.getUTCDay()]) return false
    if (nth === 0) return true
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    const fromEnd = Math.floor((lastDay - date.getUTCDate()) / 7) + 1
    return nth > 0 ? Math.floor((date.getUTCDate() - 1) / 7) + 1 === nth : fromEnd === -nth
  })
  const mondayMs = (ms: number) => ms - ((new Date(ms).getUTCDay() + 6) % 7) * dayMs
  const steps = {
    DAILY: (localMs - startMs) / dayMs,
    WEEKLY: (mondayMs(localMs) - mondayMs(startMs)) / (7 * dayMs),
    MONTHLY: 12 * (date.getUTCFullYear() - first.getUTCFullYear()) + date.getUTCMonth() - first.getUTCMonth(),
  }[rule.get('FREQ') ?? '']
  if (steps === undefined || steps % interval !== 0) return false
  if (days.length > 0) return isNamed
  if (rule.get('FREQ') === 'WEEKLY') return date.getUTCDay() === first.getUTCDay()
  return rule.get('FREQ') === 'DAILY' || date.getUTCDate() === first.getUTCDate()
}
