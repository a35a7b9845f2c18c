/** What is shown of the first source of an organization, which no SLO reads and nobody has asked. */
export const onlySource = {
  is_active: true,
  is_default: true,
  slo_count: 0,
  health: { status: 'unknown', last_answer_at: null, latency_ms: null, error: null, failing_since: null },
}
