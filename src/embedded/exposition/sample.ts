export type Label = readonly [name: string, value: string]

/**
 * One line of an exposition. `labels`: in order of name, with `__name__`, none twice, and none empty but with
 * `keepEmpty`. `timestampMs`: Unix milliseconds, undefined where the line has none. The strings are slices that keep the
 * whole text alive: copy what stays. `text`: the same object stands for the same labels; they may be read only when they
 * are looked at.
 */
export type Sample = {
  readonly labels: readonly Label[]
  value: number
  timestampMs: number | undefined
  text?: Text | undefined
}

/** `mark`: what the owner of the list knows of it; others may have put another there. */
export type Text = { mark: unknown }

/** What HELP, TYPE and UNIT say of a metric family; `untyped` is `unknown`. */
export type FamilyMetadata = { type?: string; help?: string; unit?: string }

/** `labels` count `__name__`; lengths in UTF-16 units. */
export type ExpositionLimits = { samples: number; labels: number; labelNameLength: number; labelValueLength: number }

export const defaultLimits: ExpositionLimits = {
  samples: 500_000,
  labels: 64,
  labelNameLength: 512,
  labelValueLength: 16_384,
}
