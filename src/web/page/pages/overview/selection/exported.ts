import { leftPercent } from '../../../slo/budget-words.ts'
import type { OverviewSlo, Slo } from '../../../api/types.ts'
import type { TableData } from '../../../charts/table-data.ts'
import { shownState, states } from '../../../slo/states.ts'
import { labelsOf } from '../view.ts'

const columns = ['id', 'name', 'team', 'labels', 'state', 'target', 'window', 'sli', 'budget_left_percent']

/** Values of SLOs for a CSV, one row each, as in the overview. */
export function figuresOf(slos: readonly OverviewSlo[]): TableData {
  const rows = slos.map((slo) => [
    slo.id,
    slo.name,
    slo.team_name,
    labelsOf(slo).join(' '),
    states[shownState(slo)].label,
    slo.target,
    slo.time_window,
    slo.sli,
    leftPercent(slo),
  ])
  return { columns, rows }
}

/** Definitions of SLOs as a JSON array of bodies for `POST /slos`. */
export function definitionsJson(slos: readonly Slo[]): string {
  const bodies = slos.map((slo) => ({
    name: slo.name,
    description: slo.description,
    owner: slo.owner,
    runbook_url: slo.runbook_url,
    budget_policy: slo.budget_policy,
    target: slo.target,
    time_window: slo.time_window,
    ...(slo.time_zone !== null && { time_zone: slo.time_zone }),
    metric_type: slo.metric_type,
    ...(slo.composite ? { composite: slo.composite } : measurementOf(slo)),
    team_id: slo.team_id,
    labels: slo.labels,
  }))
  return `${JSON.stringify(bodies, null, 2)}\n`
}

function measurementOf(slo: Slo) {
  return {
    ...(slo.total_query === null
      ? { metric_query: slo.metric_query }
      : { good_query: slo.good_query, bad_query: slo.bad_query, total_query: slo.total_query }),
    ...(slo.threshold !== null && { threshold: slo.threshold, threshold_op: slo.threshold_op }),
    window_method: slo.window_method,
    query_unit: slo.query_unit,
    source_id: slo.source_id,
    service_hours: slo.service_hours,
  }
}
