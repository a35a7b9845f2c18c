import { isSloWindow, sloWindowText } from '../../../../../slos/arithmetic/window-names.ts'
import { aboutOf, definitionOfDraft, type Draft } from '../draft.ts'
import { numberOf } from '../picks/write.ts'

/** Fields that a draft is missing before it can be sent: their problems, by API field. */
export function missingOf(draft: Draft): Record<string, string> | undefined {
  const target = numberOf(draft.target)
  const isNewSite = draft.kind === 'site' && draft.picks.site.by === 'address'
  const missing = {
    ...(isNewSite || definitionOfDraft(draft) !== null ? {} : missingQuery(draft)),
    ...(target !== null && target > 0 && target <= 100
      ? {}
      : { target: 'must be a number above 0 and at most 100, in percent' }),
    ...(isSloWindow(draft.window) ? {} : { time_window: `must be ${sloWindowText}` }),
    ...(aboutOf(draft).name === '' ? { name: 'must be given' } : {}),
  }
  return Object.keys(missing).length === 0 ? undefined : missing
}

function missingQuery({ kind, picks }: Draft): Record<string, string> {
  switch (kind) {
    case 'requests':
      return picks.requests.metric === ''
        ? { total_query: 'Choose the metric that counts all requests.' }
        : { bad_query: `Choose the labels of those that are ${picks.requests.counts}.` }
    case 'latency':
      if (picks.latency.metric === '') return { total_query: 'Choose the histogram of durations.' }
      if (picks.latency.by === 'share') return { good_query: 'Choose the bucket that is still fast.' }
      return { threshold: 'Both must be numbers.' }
    case 'site':
      return { metric_query: 'Choose a check, or the labels of one.' }
    case 'jobs':
      if (picks.jobs.by === 'age') {
        if (picks.jobs.metric !== '') return { threshold: 'must be a number of seconds' }
        return { metric_query: 'Choose the metric that has the time of the last success.' }
      }
      return picks.jobs.failed === ''
        ? { bad_query: 'Choose the metric that counts failed jobs.' }
        : { total_query: 'Choose the metric that counts the others.' }
    case 'promql':
      return missingText(picks.promql)
  }
}

function missingText({ type, counted, metric_query }: Draft['picks']['promql']): Record<string, string> {
  const message = 'must be given'
  if (type === 'good' || type === 'bad') return { [counted.trim() === '' ? `${type}_query` : 'total_query']: message }
  return metric_query.trim() === '' ? { metric_query: message } : { threshold: 'must be a number' }
}
