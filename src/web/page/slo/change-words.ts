/** Names of fields of an SLO that are not those of the API. */
const ownNames: Record<string, string> = {
  runbook_url: 'runbook',
  time_window: 'window',
  metric_type: 'kind',
  metric_query: 'query',
  threshold_op: 'comparison',
  query_unit: 'unit',
  source_id: 'source',
  team_id: 'team',
  burn_rate_tiers: 'alert tiers',
}

/** Name of a field of an SLO in the list of changes. */
export function fieldName(field: string): string {
  return ownNames[field] ?? field.replaceAll('_', ' ')
}
