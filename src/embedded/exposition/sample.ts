export type Label = readonly [name: string, value: string]

/** HELP, TYPE and UNIT of a metric family; `untyped` becomes `unknown`. */
export type FamilyMetadata = { type?: string; help?: string; unit?: string }

/**
 * Maximum number of samples in a body and of labels of a series, including `__name__`; maximum lengths of the names and values of
 * labels, in UTF-16 units.
 */
export type ExpositionLimits = { samples: number; labels: number; labelNameLength: number; labelValueLength: number }

export const defaultLimits: ExpositionLimits = {
  samples: 500_000,
  labels: 64,
  labelNameLength: 512,
  labelValueLength: 16_384,
}

/** Value of a sample. `timestampMs`: Unix milliseconds; undefined if the line has none. */
export type Measurement = { value: number; timestampMs: number | undefined }
