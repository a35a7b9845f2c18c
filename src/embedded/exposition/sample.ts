export type Label = readonly [name: string, value: string]

/**
 * A line of an exposition. `labels`: sorted by name, with `__name__`, without duplicates, and without empty ones unless
 * `keepEmpty`. `timestampMs`: Unix milliseconds; undefined if the line has none. The strings are slices that keep the whole
 * text alive: copy what is kept. `text`: one object for the same labels; these may be parsed only on access.
 */
export type Sample = {
  readonly labels: readonly Label[]
  value: number
  timestampMs: number | undefined
  text?: Text | undefined
}

/** `mark`: data of the reader of the samples; another reader may have replaced it. */
export type Text = { mark: unknown }

/** HELP, TYPE and UNIT of a metric family; `untyped` becomes `unknown`. */
export type FamilyMetadata = { type?: string; help?: string; unit?: string }

/** `labels` includes `__name__`; lengths are in UTF-16 units. */
export type ExpositionLimits = { samples: number; labels: number; labelNameLength: number; labelValueLength: number }

export const defaultLimits: ExpositionLimits = {
  samples: 500_000,
  labels: 64,
  labelNameLength: 512,
  labelValueLength: 16_384,
}
