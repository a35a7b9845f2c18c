import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { Anything, OneOf, QueryId, Text } from '../../http/schemas.ts'
import { QueryTime, zonedTimeText } from '../../http/zoned-time.ts'
import { parseLabels } from '../labels.ts'
import { Labels, Link } from '../model.ts'
import type { NamedAnnotation } from './store.ts'
import { titleOf } from './title.ts'

export const annotationKinds = ['deploy', 'change', 'note'] as const

const optionalFields = {
  service: t.Optional(Text({ max: 200 })),
  labels: t.Optional(Anything(Labels)), // read by readLabels: Elysia changes records before they get here
  version: t.Optional(Text({ min: 0, max: 200 })),
  url: t.Optional(Link),
  text: t.Optional(Text({ min: 0, max: 1000, lines: 'many' })),
  at: t.Optional(t.String({ maxLength: 40, description: zonedTimeText })),
}

export const AnnotationCreation = t.Object(
  { kind: OneOf(annotationKinds), ...optionalFields },
  {
    title: 'AnnotationCreation',
    examples: [
      {
        kind: 'deploy',
        service: 'checkout',
        version: 'v1.4.2',
        url: 'https://ci.example.com/runs/812',
        at: '2026-11-19T10:28:00Z',
      },
    ],
  },
)

export const AnnotationUpdate = t.Object(
  { kind: t.Optional(OneOf(annotationKinds)), ...optionalFields },
  { title: 'AnnotationUpdate', examples: [{ text: 'Rolled back at 10:50' }] },
)

export type AnnotationCreation = Static<typeof AnnotationCreation>
export type AnnotationUpdate = Static<typeof AnnotationUpdate>

export const AnnotationListQuery = t.Object({
  ...PageQuery,
  slo_id: t.Optional(QueryId),
  kind: t.Optional(OneOf(annotationKinds)),
  start: t.Optional(QueryTime()),
  end: t.Optional(QueryTime()),
})

const fields = {
  id: t.Number(),
  title: t.String({ description: 'its kind, service and version, as in `deploy checkout v1.4.2`' }),
  kind: OneOf(annotationKinds),
  service: t.Nullable(t.String({ description: 'its label `service`; null: it has none' })),
  labels: t.Record(t.String(), t.String(), { description: 'an SLO with all of these labels is matched' }),
  version: t.String({ description: 'empty: none' }),
  url: t.String({ description: 'empty: none' }),
  text: t.String({ description: 'empty: none' }),
  at: t.String(),
  created_by: t.Nullable(t.Number()),
  created_by_name: t.Nullable(t.String()),
  created_at: t.String(),
}

const success = t.Literal(true)
const ListedAnnotation = t.Object(fields, { title: 'ListedAnnotation' })
const Annotation = t.Object(
  { ...fields, slo_count: t.Number({ description: 'how many active SLOs it matches now' }) },
  { title: 'Annotation' },
)

export const AnnotationAnswer = t.Object({ success, data: Annotation }, { title: 'AnnotationAnswer' })
export const ChangedAnnotation = t.Object({ success, message: t.String(), data: Annotation })
export const DeletedAnnotation = t.Object({ success, message: t.String() })
export const AnnotationList = t.Object(
  { success, annotations: t.Array(ListedAnnotation), ...PageFields },
  { title: 'AnnotationList' },
)

export function presentAnnotation(row: NamedAnnotation): typeof ListedAnnotation.static {
  const { id, kind, version, url, text, at, created_by, created_by_name, created_at } = row
  const labels = parseLabels(row)
  return {
    id,
    title: titleOf(row),
    kind,
    service: labels['service'] ?? null,
    labels,
    version,
    url,
    text,
    at: isoTime(at),
    created_by,
    created_by_name,
    created_at: isoTime(created_at),
  }
}

/** Adds the number of SLOs that an annotation matches. */
export function presentWithSloCount(row: NamedAnnotation & { slo_count: number }): typeof Annotation.static {
  return { ...presentAnnotation(row), slo_count: row.slo_count }
}
