import { formatMoment, plural, sentence } from '../format.ts'

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

/**
 * Message after something was silenced. `of`: its name, or the number of SLOs; null: an SLO whose name is not known. `startsMs`
 * undefined: from now on.
 */
export function silencedText(
  of: string | number | null,
  { startsMs, untilMs }: { startsMs?: number | undefined; untilMs: number },
  nowMs: number,
): string {
  const until = formatMoment(untilMs, nowMs)
  if (startsMs !== undefined) return silencedFromText(of, formatMoment(startsMs, nowMs), until)
  if (of === null) return `The SLO is silenced until ${until}.`
  return typeof of === 'string'
    ? `${of}: silenced until ${until}.`
    : plural(of, `# SLO: silenced until ${until}.`, `# SLOs: silenced until ${until}.`)
}

function silencedFromText(of: string | number | null, from: string, until: string): string {
  if (of === null) return `The SLO is silenced from ${from} until ${until}.`
  return typeof of === 'string'
    ? `${of}: silenced from ${from} until ${until}.`
    : plural(of, `# SLO: silenced from ${from} until ${until}.`, `# SLOs: silenced from ${from} until ${until}.`)
}

/** Message after a silence was changed. */
export function silencedUntilText(untilMs: number, nowMs: number): string {
  return `Silenced until ${formatMoment(untilMs, nowMs)}.`
}

/** Author and reason of a silence. */
export function silencedByWords(by: string | null, comment: string): string {
  return by === null ? `Silenced: ${comment}` : `Silenced by ${by}: ${comment}`
}

/** Label of the choice that ends a silence. `labels`: those it selects by, which covers other SLOs too; null: none. */
export function endNowLabel(labels: string | null): string {
  return labels === null ? 'End now' : `End now, for all with ${labels}`
}
