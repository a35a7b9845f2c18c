/** Response for the first source of an organization that no SLO reads and that was not queried yet. */
export const onlySource = {
  is_active: true,
  is_default: true,
  slo_count: 0,
  health: { status: 'unknown', last_answer_at: null, latency_ms: null, error: null, failing_since: null },
}
