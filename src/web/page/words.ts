/** Texts that several views use. Texts of a single view are in its own folder. */
export const words = {
  product: 'nines',
  /** Text in place of "Unknown", by the API's reason. */
  reasons: {
    no_data: 'No data',
    no_traffic: 'No traffic',
    warming_up: 'Warming up',
    source_error: 'Source error',
  } as Record<string, string | undefined>,
  close: 'Close',
  undo: 'Undo',
  retry: 'Try again',
  how: 'how?',
  loading: 'Loading',
  noData: 'No data',
  noAnswer: 'The server does not answer',
  noAnswerYet: 'The server does not answer. The page tries again by itself.',
} as const
