import type { ColumnType } from 'kysely'

/** Set once, when the row is made. */
export type Once<T> = ColumnType<T, T, never>

/** SQLite's booleans. */
export type Flag = 0 | 1

export type TimeWindow = '1h' | '24h' | '7d' | '30d' | '90d'
export type MetricType = 'availability' | 'latency' | 'throughput'
export type ThresholdOp = 'lte' | 'lt' | 'gte' | 'gt'
export type QueryUnit = 'auto' | 'ratio' | 'percent'

/** An SLO's verdict for a window; `unknown` where there is no value to judge. */
export type Status = 'healthy' | 'warning' | 'critical' | 'unknown'
export type BackfillStatus = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
export type QueryType = 'availability' | 'latency' | 'throughput' | 'error_rate' | 'custom' | 'ratio'
