import { formatHour } from '../format.ts'
import { dayNumber, momentAt, wallTime } from '../zone.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const morningHour = 9

/** A preset start or end of a silence. `atMs`: its moment; `fromMs`: the current time, for an end the start of the silence. */
export type Preset = { label: () => string; atMs: (fromMs: number) => number }

export const startPresets: readonly Preset[] = [{ label: () => 'Now', atMs: (nowMs) => nowMs }]

export const endPresets: readonly Preset[] = [
  { label: () => '1 h', atMs: (nowMs) => nowMs + hourMs },
  { label: () => '4 h', atMs: (nowMs) => nowMs + 4 * hourMs },
  { label: () => `Until tomorrow ${formatHour(morningHour)}`, atMs: tomorrowMorning },
]

/** Ends of a silence that begins later. */
export const plannedEndPresets: readonly Preset[] = endPresets.map(({ label, atMs }) => ({
  label: () => (atMs === tomorrowMorning ? `Until ${formatHour(morningHour)} of the next day` : label()),
  atMs,
}))

/** 09:00 of the next day in the reader's time zone, also across a daylight-saving change. */
export function tomorrowMorning(nowMs: number): number {
  return momentAt((dayNumber(nowMs) + 1) * dayMs + morningHour * hourMs)
}

/** A moment in the format of `<input type="datetime-local">`: to the minute, in the reader's time zone. */
export function localInput(ms: number): string {
  return wallTime(ms).toISOString().slice(0, 16)
}

/** Moment of a text in that format; undefined if it is invalid. */
export function momentOf(input: string): number | undefined {
  const wallMs = Date.parse(`${input}Z`)
  return Number.isNaN(wallMs) ? undefined : momentAt(wallMs)
}
