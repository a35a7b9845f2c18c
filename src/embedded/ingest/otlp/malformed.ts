import { AppError } from '../../../errors.ts'

/** Error for a body that is not what its headers say; nothing of it is stored. */
export function malformedMetrics(
  details = 'body: must be an ExportMetricsServiceRequest in protobuf, sent whole',
): AppError {
  return new AppError('invalid', 'Invalid OTLP metrics', { details })
}
