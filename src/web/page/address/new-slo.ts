import { field, type Fields, oneOf, withFields } from './fields.ts'

/** Kinds of SLO by their subject; `promql`: written by hand. */
export const kinds = ['requests', 'latency', 'site', 'jobs', 'promql'] as const
export type Kind = (typeof kinds)[number]

const optional = field<string | undefined>((value) => value || undefined, undefined)
const number = field<number | undefined>(
  (value) => (value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined),
  undefined,
)

/** Initial values of the form of a new SLO. Queries are PromQL; the form derives a kind from them if possible. */
export const formFields = {
  kind: oneOf(kinds, undefined),
  /** Source of the SLO; absent: the default one. */
  source: number,
  /** `metric_query`: one expression. */
  query: optional,
  good: optional,
  bad: optional,
  total: optional,
  /** Bound of `query`, with `op`. */
  threshold: number,
  op: optional,
  name: optional,
  description: optional,
  /** In percent. */
  target: number,
  window: optional,
  /** Id of an SLO to copy. */
  copy: number,
}
export type FormAddress = Partial<Fields<typeof formFields>>

/** Path of the form of a new SLO: `newSloPath({ source: 3, query: 'avg(up)' })` is `/slos/new?source=3&query=avg%28up%29`. */
export function newSloPath(address: FormAddress = {}): string {
  return withFields(formFields, '/slos/new', address)
}
