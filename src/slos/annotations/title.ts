import type { AnnotationRow } from '../../db/tables/tables.ts'
import { parseLabels } from '../labels.ts'

const maxTextCharacters = 100

/** Annotation in one line: `deploy checkout v1.4.2`; one without a version has the first line of its text, `note checkout: Sale begins`. */
export function titleOf({ kind, labels, version, text }: Pick<AnnotationRow, 'kind' | 'labels' | 'version' | 'text'>) {
  const { service, ...others } = parseLabels({ labels })
  const subject = service ?? Object.values(others).join(' ')
  const line = text.trim().split('\n', 1)[0] ?? ''
  const short = line.length > maxTextCharacters ? `${line.slice(0, maxTextCharacters).toWellFormed()}…` : line
  const suffix = version === '' && short !== '' ? `: ${short}` : ''
  return [kind, subject, version].filter((part) => part !== '').join(' ') + suffix
}
