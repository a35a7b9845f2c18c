import { AppError } from '../../errors.ts'

/** Error for a body that is not what its headers say; nothing of it is stored. */
export function malformed(details: string): AppError {
  return new AppError('invalid', 'Invalid remote write', { details })
}
