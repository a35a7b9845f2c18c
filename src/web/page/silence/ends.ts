const hourMs = 3_600_000
const morningHour = 9

/** An end of a silence that is offered by name. */
export type End = { label: string; atMs: (nowMs: number) => number }

export const ends: readonly End[] = [
  { label: '1 h', atMs: (nowMs) => nowMs + hourMs },
  { label: '4 h', atMs: (nowMs) => nowMs + 4 * hourMs },
  { label: 'Until tomorrow 09:00', atMs: tomorrowMorning },
]

/** 09:00 of the next day, by the clock of the viewer: also over a change to summer time. */
export function tomorrowMorning(nowMs: number): number {
  const at = new Date(nowMs)
  at.setDate(at.getDate() + 1)
  at.setHours(morningHour, 0, 0, 0)
  return at.getTime()
}

/** A moment as `<input type="datetime-local">` has it: minutes, in the zone of the viewer. */
export function localInput(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The moment of such a field; undefined for what is none. */
export function momentOf(input: string): number | undefined {
  const ms = new Date(input).getTime()
  return Number.isNaN(ms) ? undefined : ms
}
