import type { Slo, Source } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { link } from '../../../address/base.ts'
import { sourceSentence } from './words.ts'

/** Source that an SLO without data is queried from, as a sentence. */
export function AskedSource({ slo }: { slo: Slo }) {
  const sources = useRead<{ sources: Source[] }>('/tsdb/sources')
  const source = sources.value.value?.sources.find(({ id, is_default }) =>
    slo.source_id === null ? is_default : id === slo.source_id,
  )
  if (!source) return null
  return <span>{sourceSentence(<a href={link('/collect/sources')}>{source.name}</a>, source.is_active)}</span>
}
