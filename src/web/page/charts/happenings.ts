import { createContext } from 'preact'
import type { Band } from './drawing.ts'

/** What lies behind a chart: a stretch of time of a kind, with what is said of it. */
export type HappeningKind = 'firing' | 'incident' | 'silenced'
export type Happening = { kind: HappeningKind; fromSeconds: number; toSeconds: number; text: string }
export type Flag = { atSeconds: number; text: string }

/** What all charts of a page show: what happened, and the part of time that is looked at (null: as far as their data reach). */
export type Happenings = {
  bands: Happening[]
  flags: Flag[]
  view: { fromSeconds: number; toSeconds: number } | null
}

export const nothingHappened: Happenings = { bands: [], flags: [], view: null }

export const ChartHappenings = createContext<Happenings>(nothingHappened)

/** In the order in which they are drawn: what fires lies over its incident. */
export const happeningKinds: Record<HappeningKind, { word: string; band: Pick<Band, 'color' | 'edge' | 'hatch'> }> = {
  incident: { word: 'Incident', band: { color: '--warn-bg', edge: '--warn' } },
  firing: { word: 'Alert firing', band: { color: '--crit-bg', edge: '--crit' } },
  silenced: { word: 'Silenced', band: { color: 'transparent', hatch: '--edge' } },
}

export function bandsOf(happenings: readonly Happening[]): Band[] {
  return (Object.keys(happeningKinds) as HappeningKind[]).flatMap((kind) =>
    happenings
      .filter((one) => one.kind === kind)
      .map(({ fromSeconds, toSeconds }) => ({ fromSeconds, toSeconds, ...happeningKinds[kind].band })),
  )
}

/** Those that lie, at least in part, between two moments. */
export function happeningsIn({ bands, flags }: Happenings, fromSeconds: number, toSeconds: number) {
  return {
    bands: bands.filter((one) => one.fromSeconds < toSeconds && one.toSeconds > fromSeconds),
    flags: flags.filter(({ atSeconds }) => atSeconds >= fromSeconds && atSeconds <= toSeconds),
  }
}

/** Flags that would cover each other become one, with a line for each. `leftOf`: where a moment lies, in pixels. */
export function groupFlags(
  flags: readonly Flag[],
  leftOf: (atSeconds: number) => number,
  gapPx: number,
): { leftPx: number; texts: string[] }[] {
  const groups: { leftPx: number; texts: string[] }[] = []
  for (const { atSeconds, text } of flags.toSorted((a, b) => a.atSeconds - b.atSeconds)) {
    const leftPx = leftOf(atSeconds)
    const last = groups.at(-1)
    if (last && leftPx - last.leftPx < gapPx) last.texts.push(text)
    else groups.push({ leftPx, texts: [text] })
  }
  return groups
}
