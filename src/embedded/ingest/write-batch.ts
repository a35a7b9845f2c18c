import { AppError } from '../../errors.ts'
import type { Family } from '../collection/families.ts'
import type { Label } from '../exposition/sample.ts'
import { type Columns, columns, push } from '../store/columns.ts'
import type { RefusedSamples } from './refused-samples.ts'
import { fixed64Type, lengthType, type ProtobufReader, varintType } from './protobuf.ts'

/**
 * Content of a request with samples, of remote write or OTLP. `firstSamples`: index of the first sample of each series in `samples`,
 * and last the number of samples. `histograms`: number of native histograms of each series.
 */
export type WriteBatch = {
  firstSamples: number[]
  histograms: number[]
  samples: Columns
  /** Metadata that belongs to no series of the request. */
  families: Family[]
  /** Text that is equal for equal labels and no others. Throws `invalid` for labels that cannot be a series. */
  keyOf(series: number): string
  /** Labels of a series, unchecked but for their encoding. Throws `invalid` for text that is not UTF-8, and beyond `maxLabels`. */
  labelsOf(series: number): readonly Label[]
  /** Metadata that a series came with. */
  familyOf(series: number): Family | undefined
  /** Counters of OTLP; absent: samples are stored as they are. */
  countsOf?(series: number): Counts | undefined
  /** Number to count when samples of a series are refused; a point of OTLP counts once for all its series. Absent: the samples. */
  refusedBy?(series: number): number
  /** Samples that were refused while the request was read. */
  refused?: RefusedSamples
}

/**
 * Time since which a sample of a counter counts events: `startMs`, or with `isDelta` the time of the sample before. `absentMs`: time of
 * the newest point of the metric before the request; a new series had counted nothing until then. Both in Unix ms; 0: not known.
 */
export type Counts = { startMs: number; absentMs: number; isDelta: boolean }

export const maxLabels = 64
/** Families that are read of one request. */
export const maxFamilies = 5000
export const maxSeries = 100_000
const maxSamples = 500_000

/** Tags: a field's number and wire type. */
export const tagOf = (field: number, wireType: number) => field * 8 + wireType
const [valueTag, timeTag] = [tagOf(1, fixed64Type), tagOf(2, varintType)]
export const metricTypes = ['unknown', 'counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset']

/** Reads what both versions of remote write have in common: series and samples, within bounds. */
export function collectSeries(reader: ProtobufReader) {
  const batch = { firstSamples: [0], histograms: [] as number[], samples: columns(256) }
  return {
    batch,
    /** Ends a series; all samples since the last one are its samples. */
    add(histograms: number): void {
      batch.histograms.push(histograms)
      batch.firstSamples.push(batch.samples.length)
      if (batch.histograms.length > maxSeries) throw tooMuch(`${maxSeries} series`)
    },
    readSample(end: number): void {
      if (batch.samples.length >= maxSamples) throw tooMuch(`${maxSamples} samples`)
      let [value, timeMs, isMarker] = [0, 0, false]
      while (reader.at < end) {
        const tag = reader.varint(end)
        if (tag === valueTag) {
          value = reader.double(end)
          isMarker = Number.isNaN(value) && isStaleMarker(reader.lastWords())
        } else if (tag === timeTag) timeMs = reader.int64(end)
        else skipField(reader, tag, end)
      }
      push(batch.samples, timeMs, isMarker ? 'stale' : value)
    },
  }
}

/** Skips a field that is not known. */
export function skipField(reader: ProtobufReader, tag: number, end: number): void {
  reader.skip(tag < 8 ? lengthType + 1 : tag % 8, end) // no field has the number 0: a wire type that `skip` rejects
}

/** Words of the NaN that Prometheus uses as a stale marker. */
const isStaleMarker = ([low, high]: [number, number]) => low === 2 && high === 0x7ff00000

/** Error for a request with too many parts. */
export function tooMuch(what: string): AppError {
  return new AppError('too_large', 'Request body too large', { details: `body: must have at most ${what}` })
}

/** Error for a series that is refused; `why` completes "its labels …". */
export function badLabels(why: string): AppError {
  return new AppError('invalid', 'Invalid labels', { details: `its labels ${why}` })
}
