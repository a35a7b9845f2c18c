import { formatMoment, sentence, zoneName } from '../format.ts'

type Silence = { by: string | null; labels: string | null; comment: string }

/** Silence of an SLO: its end, the labels that it selects by, its author and its comment. */
export function silencedWords<Part>(until: Part, { by, labels, comment }: Silence): (Part | string)[] {
  if (labels === null) {
    return by === null
      ? sentence`Silenced until ${until}: ${comment}`
      : sentence`Silenced until ${until} by ${by}: ${comment}`
  }
  return by === null
    ? sentence`Silenced until ${until} with all of ${labels}: ${comment}`
    : sentence`Silenced until ${until} with all of ${labels} by ${by}: ${comment}`
}

/** End of a silence, without its reason. */
export function silencedUntilWords<Part>(until: Part): (Part | string)[] {
  return sentence`Silenced until ${until}`
}

/** End of a silence that is chosen, with the time zone. */
export function endsSentence(atMs: number, nowMs: number): string {
  return `Ends ${formatMoment(atMs, nowMs)} (${zoneName(atMs)}).`
}
