/** Where a request came from. */
export type Origin = { ip: string; userAgent: string }
