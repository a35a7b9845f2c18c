import type { ApiProblem } from '../../../api/client.ts'
import { aboutOf, definitionOfDraft, type Draft } from '../draft.ts'
import { numberOf } from '../picks/write.ts'

/** Fields that a draft is missing before it can be sent, by API field. */
export function missingOf(draft: Draft): ApiProblem[] {
  const target = numberOf(draft.target)
  const isNewSite = draft.kind === 'site' && draft.picks.site.by === 'address'
  return [
    ...(isNewSite || definitionOfDraft(draft) !== null ? [] : [missingQuery(draft)]),
    ...(target !== null && target > 0 && target <= 100
      ? []
      : [{ field: 'target', message: 'must be a number above 0 and at most 100, in percent' }]),
    ...(aboutOf(draft).name === '' ? [{ field: 'name', message: 'must be given' }] : []),
  ]
}

function missingQuery({ kind, picks }: Draft): ApiProblem {
  switch (kind) {
    case 'requests':
      return picks.requests.metric === ''
        ? { field: 'total_query', message: 'Choose the metric that counts all requests.' }
        : { field: 'bad_query', message: `Choose the labels of those that are ${picks.requests.counts}.` }
    case 'latency':
      if (picks.latency.metric === '') return { field: 'total_query', message: 'Choose the histogram of durations.' }
      if (picks.latency.by === 'share') return { field: 'good_query', message: 'Choose the bucket that is still fast.' }
      return { field: 'threshold', message: 'Both must be numbers.' }
    case 'site':
      return { field: 'metric_query', message: 'Choose a check, or the labels of one.' }
    case 'jobs':
      if (picks.jobs.by === 'age') {
        if (picks.jobs.metric !== '') return { field: 'threshold', message: 'must be a number of seconds' }
        return { field: 'metric_query', message: 'Choose the metric that has the time of the last success.' }
      }
      return picks.jobs.failed === ''
        ? { field: 'bad_query', message: 'Choose the metric that counts failed jobs.' }
        : { field: 'total_query', message: 'Choose the metric that counts the others.' }
    case 'promql':
      return missingText(picks.promql)
  }
}

function missingText({ type, counted, metric_query }: Draft['picks']['promql']): ApiProblem {
  const message = 'must be given'
  if (type === 'good' || type === 'bad')
    return { field: counted.trim() === '' ? `${type}_query` : 'total_query', message }
  return metric_query.trim() === ''
    ? { field: 'metric_query', message }
    : { field: 'threshold', message: 'must be a number' }
}
