import { defaultName, placeholderNames, type TemplateData, valueOf } from './template-data.ts'

/** Descriptions of the placeholders, for authors of templates. */
const meanings: Record<string, string> = {
  default: 'the text that is sent without a template, to add something to it',
  slo_id: 'the number of the SLO',
  slo_name: 'the name of the SLO',
  description: 'the description of the SLO',
  labels: 'all labels of the SLO; {{labels.KEY}} is the value of one',
  alert_type: 'the kind of alert, as the rule has it',
  event: 'alert, recovery or message',
  priority: 'low, medium, high or critical',
  status: 'the status of the SLO',
  current_value: 'the SLI over the window, in percent',
  target: 'the target, in percent',
  time_window: 'the window of the SLO',
  error_budget_used: 'the error budget of the whole window used, in percent',
  error_budget_remaining: 'the error budget that remains, in percent',
  severity: 'page or ticket of a burn rate, warning or critical of all else',
  alert: 'the name of the alert, as budget:25',
  threshold: 'the percent of the budget at which a budget alert fires',
  burn_rate: 'the burn rate over the long window',
  burn_rate_short: 'the burn rate over the short window',
  factor: 'the burn rate above which the tier fires',
  long_window: 'the long window of the tier',
  short_window: 'the short window of the tier',
  began_at: 'when the alert began',
  ended_at: 'when the alert ended; empty while it fires',
  acknowledged_by: 'who acknowledged the alert; empty until somebody does',
  acknowledged_at: 'when it was acknowledged',
  acknowledgement_note: 'what was noted with that',
  duration: 'how long the alert has fired, or did',
  since: 'when it began to fail, in the time zone of the organization, with UTC',
  time_zone: 'the time zone of the organization',
  measured_at: 'when the SLO was last measured',
  timestamp: 'when the notification was written',
  link: 'the page of the SLO',
  incident_link: 'the page of the incident; empty where there is none',
  cause: 'why the last check failed; empty where it is no outage',
  forecast: 'when the budget is gone at this burn rate, as in: budget gone in 11 min; empty where it lasts',
  runbook: 'the address of the runbook; empty where the SLO has none',
  owner: 'the owner of the SLO; empty where there is none',
  policy: 'what the error budget policy says now, with its link; empty where no line holds',
}

type Placeholder = { name: string; description: string; value: string }

/** Lists every placeholder with its value in this data, and each label of the SLO separately. `defaultMessage`: the default text. */
export function placeholdersOf(data: TemplateData, defaultMessage: string): Placeholder[] {
  return placeholderNames.flatMap((listed) => {
    const [name = listed] = listed.split(',') // `labels` of `labels, labels.KEY`
    const value = name === defaultName ? defaultMessage : (valueOf(name, data) ?? '')
    const described = { name, description: meanings[name] ?? '', value }
    if (name !== 'labels') return [described]
    const single = Object.entries(data.slo.labels).map(([key, text]) => {
      return { name: `labels.${key}`, description: `the label ${key} of the SLO`, value: text }
    })
    return [described, ...single]
  })
}
