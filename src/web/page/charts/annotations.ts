import { createContext } from 'preact'
import type { Band } from './drawing.ts'

export type AnnotationKind = 'firing' | 'ticket' | 'incident' | 'silenced' | 'excluded'

/** Time range behind a chart, with its text. `longWindow`: that of the burn-rate tier that fired in this time, if it was one. */
export type Annotation = {
  kind: AnnotationKind
  fromSeconds: number
  toSeconds: number
  text: string
  longWindow?: string | null
}
/** `href`: path of the page about it, if there is one. */
export type Marker = { atSeconds: number; text: string; href?: string }

/** Annotations shared by all charts of a page, and the zoomed time range (null: all data). */
export type Annotations = {
  bands: Annotation[]
  markers: Marker[]
  view: { fromSeconds: number; toSeconds: number } | null
}

export const noAnnotations: Annotations = { bands: [], markers: [], view: null }

/** Annotations that all charts below this context draw. */
export const ChartAnnotations = createContext<Annotations>(noAnnotations)

/** Kinds in drawing order: firing alerts cover their incident. Only an alert that is urgent is red, a ticket is not. */
export const annotationKinds: Record<AnnotationKind, { word: string; band: Pick<Band, 'color' | 'edge' | 'hatch'> }> = {
  excluded: { word: 'Left out', band: { color: '--unknown-bg', edge: '--unknown' } },
  incident: { word: 'Incident', band: { color: '--warn-bg', edge: '--warn' } },
  ticket: { word: 'Ticket firing', band: { color: '--warn-bg', edge: '--warn' } },
  firing: { word: 'Alert firing', band: { color: '--crit-bg', edge: '--crit' } },
  silenced: { word: 'Silenced', band: { color: 'transparent', hatch: '--edge' } },
}

/** Bands that draw annotations, in drawing order. */
export function bandsOf(annotations: readonly Annotation[]): Band[] {
  return (Object.keys(annotationKinds) as AnnotationKind[]).flatMap((kind) =>
    annotations
      .filter((one) => one.kind === kind)
      .map(({ fromSeconds, toSeconds }) => ({ fromSeconds, toSeconds, ...annotationKinds[kind].band })),
  )
}

/** Annotations that overlap a time range. */
export function annotationsIn({ bands, markers }: Annotations, fromSeconds: number, toSeconds: number) {
  return {
    bands: bands.filter((one) => one.fromSeconds < toSeconds && one.toSeconds > fromSeconds),
    markers: markers.filter(({ atSeconds }) => atSeconds >= fromSeconds && atSeconds <= toSeconds),
  }
}

/** Markers so close to each other that they are drawn as one; `href`: that of the first that has one. */
export type MarkerGroup = { leftPx: number; texts: string[]; href?: string | undefined }

/**
 * Merges markers that would cover each other into one, with a line of text for each. `leftOf`: the position of a time, in pixels.
 */
export function groupMarkers(
  markers: readonly Marker[],
  leftOf: (atSeconds: number) => number,
  gapPx: number,
): MarkerGroup[] {
  const groups: MarkerGroup[] = []
  for (const { atSeconds, text, href } of markers.toSorted((a, b) => a.atSeconds - b.atSeconds)) {
    const leftPx = leftOf(atSeconds)
    const last = groups.at(-1)
    if (last && leftPx - last.leftPx < gapPx) {
      last.texts.push(text)
      last.href ??= href
    } else groups.push({ leftPx, texts: [text], href })
  }
  return groups
}
