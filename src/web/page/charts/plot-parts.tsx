import type { Signal } from '@preact/signals'
import { link } from '../address/base.ts'
import { groupMarkers, type AnnotationKind, annotationKinds, type Annotations } from './annotations.ts'

/** Position of the drawing area in its element, in pixels, and its time range in seconds. */
export type PlotArea = { leftPx: number; widthPx: number; fromSeconds: number; toSeconds: number }

type Shown = Pick<Annotations, 'bands' | 'markers'>

const flagPx = 16

/** Markers of changes of an SLO and of deploys, drawn as flags. The text of a flag is shown while it is hovered or focused. */
export function Markers({ markers, area }: { markers: Shown['markers']; area: Signal<PlotArea | null> }) {
  if (markers.length === 0 || area.value === null) return null
  const { leftPx, widthPx, fromSeconds, toSeconds } = area.value
  const leftOf = (at: number) => leftPx + (widthPx * (at - fromSeconds)) / (toSeconds - fromSeconds || 1)
  return (
    <ul class="flags" aria-label="Change of the SLO, or deploy">
      {groupMarkers(markers, leftOf, flagPx).map((group) => (
        <li key={group.leftPx} style={{ left: `${group.leftPx}px` }}>
          {group.href ? (
            <a class="flag" href={link(group.href)} aria-label={group.texts.join('; ')}>
              <FlagShape />
            </a>
          ) : (
            <button type="button" class="flag" aria-label={group.texts.join('; ')}>
              <FlagShape />
            </button>
          )}
          <span class={`flag-text${group.leftPx > leftPx + widthPx / 2 ? ' leftwards' : ''}`} aria-hidden="true">
            {group.texts.map((text) => (
              <span key={text}>{text}</span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}

function FlagShape({ name }: { name?: string }) {
  return (
    <svg class={name} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d="M2.5 1v10M2.5 1.5h7l-2 2.5 2 2.5h-7" />
    </svg>
  )
}

/** Line below the chart: the values at the crosshair, otherwise a legend of the bands and markers. */
export function Below({
  shown,
  pointed,
  reading,
}: {
  shown: Shown
  pointed: Signal<number | null>
  reading: (at: number) => string
}) {
  const at = pointed.value
  if (at !== null) return <p class="plot-below">{reading(at)}</p>
  const kinds = (Object.keys(annotationKinds) as AnnotationKind[]).filter((kind) =>
    shown.bands.some((one) => one.kind === kind),
  )
  return (
    <p class="plot-below">
      {kinds.map((kind) => (
        <span key={kind} class="key">
          {kind === 'silenced' ? (
            <svg class="hatch-key" viewBox="0 0 14 10" width="14" height="10" aria-hidden="true">
              <path d="M.5.5h13v9h-13zM.5 5l4.5-4.5M.5 9.5l9-9M5 9.5l8.5-8.5M9.5 9.5l4-4" />
            </svg>
          ) : (
            <span class={`swatch band-${kind}`} />
          )}{' '}
          {annotationKinds[kind].word}
        </span>
      ))}
      {shown.markers.length > 0 && (
        <span class="key">
          <FlagShape name="flag-key" /> Change of the SLO, or deploy
        </span>
      )}
    </p>
  )
}
