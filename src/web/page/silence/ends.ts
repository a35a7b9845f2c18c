const hourMs = 3_600_000
const morningHour = 9

/** A preset end of a silence. */
export type End = { label: string; atMs: (nowMs: number) => number }

export const ends: readonly End[] = [
  { label: '1 h', atMs: (nowMs) => nowMs + hourMs },
  { label: '4 h', atMs: (nowMs) => nowMs + 4 * hourMs },
  { label: 'Until tomorrow 09:00', atMs: tomorrowMorning },
]

/** 09:00 of the next day in the viewer's time zone, also across a daylight-saving change. */
export function tomorrowMorning(nowMs: number): number {
  const at = new Date(nowMs)
  at.setDate(at.getDate() + 1)
  at.setHours(morningHour, 0, 0, 0)
  return at.getTime()
}

/** A moment in the format of `<input type="datetime-local">`: to the minute, in the viewer's time zone. */
export function localInput(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Moment in such a field; undefined if it is invalid. */
export function momentOf(input: string): number | undefined {
  const ms = new Date(input).getTime()
  return Number.isNaN(ms) ? undefined : ms
}
