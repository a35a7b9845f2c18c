/** Fields that decide how an SLO is measured; changing one starts a new revision. */
export const measuredBy = [
  'source_id',
  'metric_query',
  'good_query',
  'bad_query',
  'total_query',
  'threshold',
  'threshold_op',
  'window_method',
  'query_unit',
] as const
